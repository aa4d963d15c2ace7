// A bucket read through copies on the local disk, on a real MinIO if one is installed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../../../../platform/storage/canonical.ts';
import { CachedS3ObjectStore } from '../../../../platform/storage/s3/open-store.ts';
import { FileCache } from '../../../../platform/storage/s3/file-cache.ts';
import { type Minio, minioProgram, startMinio } from '../../../support/minio.ts';
import { withFolder } from '../../../snapshots/support/world.ts';
import { clientOf, inBucket, newPrefix } from './bucket.ts';

const isInstalled = minioProgram() !== undefined;
let minio: Minio;
beforeAll(async () => {
  if (isInstalled) minio = await startMinio();
});
afterAll(async () => {
  if (isInstalled) await minio.stop();
});

const MANY = Array.from({ length: 5 }, (_, n) => Buffer.alloc(1_000, n));
const keyOf = (bytes: Buffer) => `datasets/x/${sha256Hex(bytes)}.ndjson`;

async function written(prefix: string): Promise<void> {
  const store = inBucket(minio, { prefix });
  for (const bytes of MANY) await store.put(keyOf(bytes), [bytes]);
  await store.put('current.json', [Buffer.from('1')]);
}

function reading(dir: string, prefix: string, maxBytes = 3_500) {
  const faults: string[] = [];
  const onFault = ({ message }: Error) => void faults.push(message);
  const cache = new FileCache({ dir, maxBytes, onFault });
  const store = new CachedS3ObjectStore(clientOf(minio, { prefix, tries: 1 }), cache);
  const get = async (bytes: Buffer) => (await store.get(keyOf(bytes), sha256Hex(bytes)))?.equals(bytes);
  return { store, faults, get };
}

/** Whether the process may mount a small disk for a test. */
function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', dir], { stdio: 'ignore' });
    execFileSync('umount', [dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const [first, ...others] = MANY as [Buffer, ...Buffer[]];

test.runIf(isInstalled)('what was read once needs no store, and a damaged copy is fetched again', () =>
  withFolder(async (dir) => {
    const prefix = newPrefix();
    await written(prefix);
    const { store, get } = reading(dir, prefix);
    expect(await get(first)).toBe(true);
    await minio.kill();
    expect(await get(first)).toBe(true);
    const opened = await store.open(keyOf(first), sha256Hex(first));
    expect(await opened?.read(Buffer.alloc(10), 995)).toBe(5);
    await opened?.close();
    await writeFile(join(dir, sha256Hex(first)), 'damaged');
    await expect(get(first)).rejects.toMatchObject({ fault: 'network' });
    await minio.start();
    expect(await get(first)).toBe(true);
    expect((await stat(join(dir, sha256Hex(first)))).size).toBe(1_000);
  }),
);

test.runIf(isInstalled)('copies stay within the size limit, including those of an earlier process', () =>
  withFolder(async (dir) => {
    const prefix = newPrefix();
    await written(prefix);
    for (const bytes of MANY) expect(await reading(dir, prefix).get(bytes)).toBe(true);
    expect((await readdir(dir)).length).toBeLessThanOrEqual(3);
    const small = reading(dir, prefix, 500);
    for (const bytes of others) expect(await small.get(bytes)).toBe(true);
    expect(small.faults).toEqual([]);
  }),
);

test.runIf(isInstalled)('when no copy can be kept, the store is read and the fault reported once', () =>
  withFolder(async (dir) => {
    const prefix = newPrefix();
    await written(prefix);
    await writeFile(join(dir, 'taken'), '');
    const { get, faults, store } = reading(join(dir, 'taken'), prefix);
    for (const bytes of MANY) expect(await get(bytes)).toBe(true);
    expect(await (await store.open(keyOf(first), sha256Hex(first)))?.read(Buffer.alloc(3), 0)).toBe(3);
    expect(faults).toHaveLength(1);
  }),
);

test.runIf(isInstalled)('a copy that cannot be read costs one more request and no failure', () =>
  withFolder(async (dir) => {
    const prefix = newPrefix();
    await written(prefix);
    const { get, store, faults } = reading(dir, prefix);
    await mkdir(join(dir, sha256Hex(first)));
    expect(await get(first)).toBe(true);
    const opened = await store.open(keyOf(first), sha256Hex(first));
    expect(await opened?.read(Buffer.alloc(3), 0)).toBe(3);
    await opened?.close();
    expect(faults).toHaveLength(1);
  }),
);

test.runIf(isInstalled)('copies are kept again once the folder is writable', () =>
  withFolder(async (dir) => {
    const prefix = newPrefix();
    await written(prefix);
    const taken = join(dir, 'taken');
    await writeFile(taken, '');
    const { get, faults } = reading(taken, prefix);
    expect(await get(first)).toBe(true);
    await rm(taken);
    expect(await get(first)).toBe(true);
    expect(await readdir(taken)).toEqual([sha256Hex(first)]);
    expect(faults).toHaveLength(1);
  }),
);

test.runIf(isInstalled && canMount())(
  'a full disk holds no partial copies, and existing copies stay readable',
  () =>
    withFolder(async (dir) => {
      const prefix = newPrefix();
      await written(prefix);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', dir]);
      try {
        const { get, faults, store } = reading(dir, prefix, 1_000_000);
        const large = Buffer.alloc(6_000, 9);
        await inBucket(minio, { prefix }).put(keyOf(large), [large]);
        expect(await get(first)).toBe(true);
        for (let n = 0; n < 3; n++) {
          expect(await get(large)).toBe(true);
          expect(await readdir(dir)).toEqual([sha256Hex(first)]);
        }
        expect(faults).toHaveLength(1);
        await minio.kill();
        expect(await get(first)).toBe(true);
        await expect(store.get(keyOf(large), sha256Hex(large))).rejects.toMatchObject({ fault: 'network' });
        await minio.start();
      } finally {
        execFileSync('umount', [dir]);
      }
    }),
);

test.runIf(isInstalled)('the pointer is revalidated on every read', () =>
  withFolder(async (dir) => {
    const prefix = newPrefix();
    await written(prefix);
    const { store } = reading(dir, prefix);
    for (let n = 0; n < 2; n++) expect((await store.get('current.json'))?.toString()).toBe('1');
    await inBucket(minio, { prefix }).put('current.json', [Buffer.from('2')]);
    expect((await store.get('current.json'))?.toString()).toBe('2');
    await inBucket(minio, { prefix }).remove(['current.json']);
    expect(await store.get('current.json')).toBe(null);
  }),
);

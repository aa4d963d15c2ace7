// What the writer continues from: the newest version, or nothing at all; and every way to lose or damage the proof of it.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openEventLog } from '../../snapshots/events.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { openHistory } from '../../snapshots/history.ts';
import { manifestPath, POINTER_FILE, segmentPath } from '../../snapshots/layout.ts';
import { pointerText } from '../../snapshots/manifest.ts';
import { verifyFolder } from '../../snapshots/verify.ts';
import { type PublishedVersion, publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';
import { flip, last, runTick, ticks } from './support/ticks.ts';
import { candidate, publication, T0, withFolder } from './support/world.ts';

const STOPPING: [string, (dir: string, done: readonly PublishedVersion[]) => Promise<string>][] = [
  ['a segment is missing', (dir, done) => damageSegment(dir, done, (file) => rm(file))],
  ['a segment is cut short', (dir, done) => damageSegment(dir, done, (file) => writeFile(file, '{"key'))],
  ['a segment is empty', (dir, done) => damageSegment(dir, done, (file) => writeFile(file, ''))],
  ['a bit of a segment flipped', (dir, done) => damageSegment(dir, done, flip)],
  ['the newest manifest is missing', (dir, done) => damageManifest(dir, done, (file) => rm(file))],
  ['the newest manifest is empty', (dir, done) => damageManifest(dir, done, (file) => writeFile(file, ''))],
  ['a bit of the newest manifest flipped', (dir, done) => damageManifest(dir, done, flip)],
  [
    'the folder of the newest version is missing',
    (dir, done) => damageManifest(dir, done, (file) => rm(dirname(file), { recursive: true })),
  ],
  [
    'the newest manifest is damaged and the pointer is lost',
    async (dir, done) => {
      await rm(join(dir, POINTER_FILE));
      return damageManifest(dir, done, flip);
    },
  ],
  [
    'the newest manifest has the bytes of an older one',
    (dir, done) =>
      damageManifest(dir, done, async (file) =>
        writeFile(file, await readFile(join(dir, manifestPath(done[0]?.version ?? '')))),
      ),
  ],
  [
    'the pointer names a version that does not exist',
    async (dir) => {
      const version = '01KZZZZZZZ0000000000000000';
      await writeFile(join(dir, POINTER_FILE), pointerText({ version, manifest_sha256: '0'.repeat(64) }));
      return manifestPath(version);
    },
  ],
  [
    'the pointer is damaged and no version is left',
    async (dir) => {
      await writeFile(join(dir, POINTER_FILE), '{}');
      await rm(join(dir, 'versions'), { recursive: true });
      return POINTER_FILE;
    },
  ],
];

async function damageSegment(
  dir: string,
  done: readonly PublishedVersion[],
  damage: (file: string) => Promise<unknown>,
): Promise<string> {
  const path = segmentPath(last(done).manifest.events.segments[0]?.name ?? '');
  await damage(join(dir, path));
  return path;
}

async function damageManifest(
  dir: string,
  done: readonly PublishedVersion[],
  damage: (file: string) => Promise<unknown>,
): Promise<string> {
  const path = manifestPath(last(done).version);
  await damage(join(dir, path));
  return path;
}

describe('the writer stops, names the file and writes nothing when', () => {
  test.each(STOPPING)('%s', (_, damage) =>
    withFolder(async (dir) => {
      const done = await ticks(dir, 4);
      const kept = new Map<string, Buffer>();
      for (const path of [POINTER_FILE, ...namesOf(last(done))])
        kept.set(path, await readFile(join(dir, path)));
      const path = await damage(dir, done);
      const pointer = await readFile(join(dir, POINTER_FILE)).catch(() => null);
      await expect(runTick(dir, 4)).rejects.toThrow(new RegExp(`${path}.* is damaged: .*(Restore|Publish)`));
      expect(await readFile(join(dir, POINTER_FILE)).catch(() => null)).toEqual(pointer);
      for (const [file, bytes] of kept) {
        await mkdir(dirname(join(dir, file)), { recursive: true });
        await writeFile(join(dir, file), bytes);
      }
      if (path === POINTER_FILE) return;
      const { manifest } = await runTick(dir, 4);
      expect(manifest.events.count).toBe(5);
      expect(manifest.previous).toBe(last(done).version);
    }),
  );
});

const namesOf = ({ manifest }: PublishedVersion) => [
  manifestPath(manifest.version),
  ...manifest.events.segments.map(({ name }) => segmentPath(name)),
];

const HEALING: [string, (dir: string, done: readonly PublishedVersion[]) => Promise<unknown>][] = [
  ['is missing', (dir) => rm(join(dir, POINTER_FILE))],
  ['is empty', (dir) => writeFile(join(dir, POINTER_FILE), '')],
  ['is truncated', (dir) => writeFile(join(dir, POINTER_FILE), '{"manifest_sha256":"')],
  ['is outdated', async (dir, done) => writeFile(join(dir, POINTER_FILE), pointerOf(done[1]))],
  [
    'has another hash',
    (dir, done) =>
      writeFile(
        join(dir, POINTER_FILE),
        pointerText({ version: last(done).version, manifest_sha256: 'f'.repeat(64) }),
      ),
  ],
  [
    'has another version with the hash of the newest',
    (dir, done) =>
      writeFile(
        join(dir, POINTER_FILE),
        pointerText({ version: '01KZZZZZZZ0000000000000000', manifest_sha256: last(done).manifestSha256 }),
      ),
  ],
];

const pointerOf = (published: PublishedVersion | undefined) =>
  pointerText({
    version: published?.version ?? '',
    manifest_sha256: published?.manifestSha256 ?? '',
  });

describe('the writer continues from the newest version, and reports the damage, when the pointer', () => {
  test.each(HEALING)('%s', (_, damage) =>
    withFolder(async (dir) => {
      const done = await ticks(dir, 4);
      await damage(dir, done);
      const history = await openHistory(inFolder(dir));
      expect(history.head).toEqual(last(done).manifest);
      expect({ isPointed: history.isPointed, damage: history.damage.length }).toEqual({
        isPointed: false,
        damage: 1,
      });
      const next = await runTick(dir, 4);
      expect(next.manifest.previous).toBe(last(done).version);
      expect(next.manifest.events.count).toBe(5);
      expect(next.damage[0]?.file).toBe(join(dir, POINTER_FILE));
      expect(await verifyFolder(inFolder(dir))).toEqual([]);
    }),
  );

  test('has any one byte changed, never from another history', () =>
    withFolder(async (dir) => {
      const done = await ticks(dir, 3);
      const file = join(dir, POINTER_FILE);
      const whole = await readFile(file);
      for (let index = 0; index < whole.length; index++) {
        await flip(file, index);
        expect((await openHistory(inFolder(dir))).head?.version, `byte ${index}`).toBe(last(done).version);
        await writeFile(file, whole);
      }
    }));
});

describe('a crash of the writer is not damage', () => {
  test('before the pointer of a first version', () =>
    withFolder(async (dir) => {
      const [first] = await ticks(dir, 1);
      await rm(join(dir, POINTER_FILE));
      expect(await openHistory(inFolder(dir))).toEqual({
        head: first?.manifest,
        isPointed: false,
        damage: [],
      });
    }));

  test('before the pointer of a later version: that version is complete, and the writer continues from it', () =>
    withFolder(async (dir) => {
      const done = await ticks(dir, 3);
      await writeFile(join(dir, POINTER_FILE), pointerOf(done[1]));
      const history = await openHistory(inFolder(dir));
      expect(history).toEqual({ head: last(done).manifest, isPointed: false, damage: [] });
    }));

  test('before any manifest of a version', () =>
    withFolder(async (dir) => {
      const done = await ticks(dir, 2);
      await mkdir(join(dir, 'versions', '01KZZZZZZZ0000000000000000'));
      expect(await openHistory(inFolder(dir))).toEqual({
        head: last(done).manifest,
        isPointed: true,
        damage: [],
      });
    }));
});

test('a version of another history beyond the pointer stops the writer', () =>
  withFolder((dir) =>
    withFolder(async (other) => {
      await ticks(dir, 2);
      const foreign = last(await ticks(other, 5));
      const file = join(dir, manifestPath(foreign.version));
      await mkdir(dirname(file));
      await writeFile(file, await readFile(join(other, manifestPath(foreign.version))));
      await expect(runTick(dir, 6)).rejects.toThrow(/is damaged/);
    }),
  ));

test('the writer rejects a log that begins later or has fewer events, even if its end matches', () =>
  withFolder(async (dir) => {
    const { manifest } = last(await ticks(dir, 3));
    const segments = manifest.events.segments.slice(1);
    await expect(publishVersion(inFolder(dir), publication(4, { segments }))).rejects.toThrow(
      /The event log has . events from .* but 3 from .* are published/,
    );
  }));

test('an unpublished segment that would change published events is rejected', () =>
  withFolder(async (dir) => {
    const log = await openEventLog(inFolder(dir), []);
    await log.append([candidate('a', T0, 'x'.repeat(100))], T0);
    const known = log.segments();
    await log.append([candidate('b'), candidate('c')], T0 + 1);
    const [merged, ...others] = log.segments();
    expect(others).toEqual([]);
    await flip(join(dir, segmentPath(merged?.name ?? '')), 120);
    await expect(openEventLog(inFolder(dir), known)).rejects.toThrow(/expected the bytes of/);
  }));

/** A disk that counts lookups. */
function countedDisk() {
  const asked = { times: 0 };
  const counted =
    <T>(ask: (path: string) => Promise<T>) =>
    (path: string) => {
      asked.times++;
      return ask(path);
    };
  const { stat, readdir, entries, read } = nodeDisk;
  const counting = { stat: counted(stat), readdir: counted(readdir), entries: counted(entries) };
  return { disk: { ...nodeDisk, ...counting, read: counted(read) }, asked };
}

describe('finding where to continue', () => {
  const stepsWith = (versions: number): Promise<number> =>
    withFolder(async (dir) => {
      for (let tick = 0; tick < versions; tick++) await publishVersion(inFolder(dir), publication(tick));
      const { disk, asked } = countedDisk();
      expect((await openHistory(inFolder(dir, disk))).isPointed).toBe(true);
      return asked.times;
    });

  test('takes the same number of steps with many kept versions as with two', async () => {
    expect(await stepsWith(40)).toBe(await stepsWith(2));
  });

  test('skips folders left by crashes, even without a pointer', () =>
    withFolder(async (dir) => {
      const done = await ticks(dir, 3);
      for (const end of ['A', 'B', 'C'])
        await mkdir(join(dir, 'versions', `01KZZZZZZZ000000000000000${end}`));
      const head = last(done).manifest;
      expect(await openHistory(inFolder(dir))).toEqual({ head, isPointed: true, damage: [] });
      await rm(join(dir, POINTER_FILE));
      expect(await openHistory(inFolder(dir))).toMatchObject({ head, isPointed: false });
    }));

  test('a pointer to a folder left by a crash means a lost version', () =>
    withFolder(async (dir) => {
      await ticks(dir, 2);
      const version = '01KZZZZZZZ0000000000000000';
      await mkdir(join(dir, 'versions', version));
      await writeFile(join(dir, POINTER_FILE), pointerText({ version, manifest_sha256: '0'.repeat(64) }));
      await expect(openHistory(inFolder(dir))).rejects.toThrow(/the version that current.json names/);
    }));
});

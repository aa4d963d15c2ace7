import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSealer, sealKey } from '../../../server/store/seal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ACTOR, keyRecord, NOW_MS, StoreFixture, sealerOf } from './store-fixture.ts';

let dir: string;
let made: string[];
beforeEach(async () => {
  dir = temporaryFolder('seal');
  made = [];
});
afterEach(() => rm(dir, { recursive: true }));

const keyAt = (file: string) => sealKey({ file, randomBytes, onMade: (path) => made.push(path) });
const sealer = sealerOf(1);

test('sealed text opens to the original, and never appears in the sealed bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.string(), (plain, location) => {
      const sealed = sealer.seal(plain, location);
      expect(sealer.open(sealed, location)).toEqual(Buffer.from(plain));
      if (plain.length > 8) expect(sealed.includes(Buffer.from(plain))).toBe(false);
    }),
  );
});

test('the same text sealed twice looks different', () => {
  const plain = Buffer.from('whsec_x');
  expect(sealer.seal(plain, 'a').equals(sealer.seal(plain, 'a'))).toBe(false);
});

test('it does not open after one flipped bit, in another place or with another key', () => {
  const sealed = sealer.seal(Buffer.from('whsec_x'), 'secret of wh_1');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Buffer.from(sealed);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => sealer.open(flipped, 'secret of wh_1')).toThrow();
  }
  expect(() => sealer.open(sealed, 'secret of wh_2')).toThrow();
  expect(() => sealerOf(2).open(sealed, 'secret of wh_1')).toThrow();
  for (let end = 0; end < sealed.length; end++)
    expect(() => sealer.open(sealed.subarray(0, end), 'secret of wh_1')).toThrow();
});

test('a key of another length is refused', () => {
  expect(() => makeSealer(new Uint8Array(16), randomBytes)).toThrow('32 bytes');
});

test('the key is created on first use, readable by the owner only, and does not change', async () => {
  const file = join(dir, 'ops', 'seal.key');
  const key = keyAt(file);
  expect(key).toHaveLength(32);
  expect(keyAt(file)).toEqual(key);
  expect(made).toEqual([file]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toBe(`${Buffer.from(key).toString('hex')}\n`);
  expect(await readdir(join(dir, 'ops'))).toEqual(['seal.key']);
});

test('two processes that create it at once get the same key', () => {
  const file = join(dir, 'seal.key');
  let other: Uint8Array | undefined;
  const key = sealKey({
    file,
    onMade: (path) => made.push(path),
    randomBytes: (count) => {
      other ??= keyAt(file);
      return randomBytes(count);
    },
  });
  expect(key).toEqual(other);
  expect(made).toEqual([file]);
});

test('a file that is not a key is refused with a message, and left unchanged', async () => {
  const file = join(dir, 'seal.key');
  await writeFile(file, 'secret');
  expect(() => keyAt(file)).toThrow('64 hexadecimal digits');
  expect(await readFile(file, 'utf8')).toBe('secret');
});

test('no file on disk contains a stored response or an idempotency key in plain text', async () => {
  const fixture = await StoreFixture.create();
  const store = await fixture.open();
  const claim = { org: 'acme', key: 'canary-idempotency-key', fingerprint: 'f', nowMs: NOW_MS };
  const body = Buffer.from('{"signing_secret":"whsec_canary"}');
  await store.idempotency.begin(claim);
  await store.transact(async ({ keys, idempotency }) => {
    await keys.create(keyRecord(), ACTOR);
    await idempotency.settle({
      ...claim,
      response: { status: 201, headers: ['X-Canary', 'whsec_head'], body },
    });
  });
  const names = await readdir(`${fixture.dir}/ops`);
  expect(names).toContain('ops.sqlite-wal');
  for (const name of names.filter((entry) => !entry.endsWith('-owners'))) {
    const bytes = await readFile(join(fixture.dir, 'ops', name), 'latin1');
    for (const canary of ['whsec_', 'canary']) expect(bytes).not.toContain(canary);
  }
  await fixture.remove();
});

test('a store does not open with another key, which could neither read nor replay its contents', async () => {
  const fixture = await StoreFixture.create();
  const store = await fixture.open();
  await store.close();
  await expect(fixture.open({ sealer: sealerOf(2) })).rejects.toThrow('belongs to another seal key');
  await fixture.open();
  await fixture.remove();
});

test('a response that cannot be opened is not replayed, and its request is not repeated', async () => {
  const fixture = await StoreFixture.create();
  const store = await fixture.open();
  const claim = { org: 'acme', key: 'k', fingerprint: 'f', nowMs: NOW_MS };
  await store.idempotency.begin(claim);
  await store.idempotency.settle({ ...claim, response: { status: 201, headers: [], body: Buffer.alloc(0) } });
  fixture.connections.at(-1)?.exec("update idempotent_request set sealed_answer = x'0100'");
  await expect(store.idempotency.begin(claim)).rejects.toThrow('has the seal key been replaced?');
  await fixture.remove();
});

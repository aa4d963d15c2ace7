import { afterEach, beforeEach, expect, test } from 'vitest';
import { KEY_POLL_MS, KEYS_TRUSTED_MS, KeyRing } from '../../../server/access/key-ring.ts';
import { type KeyRecord, type OpsStore, StoreUnavailableError } from '../../../server/store/store.ts';
import { ACTOR, keyRecord, NOW_MS, StoreFixture } from '../store/store-fixture.ts';

let fixture: StoreFixture;
/** The store as another process sees it. */
let elsewhere: OpsStore;
let ring: KeyRing;
let nowMs: number;
let steadyMs: number;
let reads: string[];
let failure: Error | undefined;
let warnings: string[];
let ended: (readonly KeyRecord[])[];
const timers = new Map<() => void, number>();

/** The ring's view of a store that counts its reads and can be made to fail. */
function watched({ keys }: OpsStore) {
  const read = <T>(name: string, work: () => Promise<T>) => {
    reads.push(name);
    return failure === undefined ? work() : Promise.reject(failure);
  };
  return {
    keys: {
      revision: () => read('revision', () => keys.revision()),
      changedSince: (revision: number | null) => read('changes', () => keys.changedSince(revision)),
    },
  };
}

async function poll(): Promise<void> {
  for (const work of timers.keys()) work();
  await ring.refresh();
}

beforeEach(async () => {
  [nowMs, steadyMs, reads, failure, warnings, ended] = [NOW_MS, 0, [], undefined, [], []];
  timers.clear();
  fixture = await StoreFixture.create();
  elsewhere = await fixture.open();
  ring = new KeyRing({
    store: watched(await fixture.open()),
    nowMs: () => nowMs,
    steadyMs: () => steadyMs,
    every: (ms, work) => {
      timers.set(work, ms);
      return () => timers.delete(work);
    },
    log: { warn: (_, message) => warnings.push(message) },
  });
  ring.onEnded((keys) => ended.push(keys));
});
afterEach(() => fixture.remove());

async function started(...keys: readonly KeyRecord[]): Promise<void> {
  for (const key of keys) await elsewhere.keys.create(key, ACTOR);
  await ring.start();
}

test('keys are found by the hash of the whole key, without a read', async () => {
  const key = keyRecord();
  await started(key, keyRecord());
  reads = [];
  expect(ring.find(key.hash)).toEqual(key);
  expect(ring.find(keyRecord().hash)).toBeUndefined();
  expect(reads).toEqual([]);
});

test.each(['', 'zz', 'deadbeef'])('the hash %j finds nothing', async (hash) => {
  await started(keyRecord());
  expect(ring.find(hash)).toBeUndefined();
});

test('a hash that differs only in its end is not found', async () => {
  const key = keyRecord();
  await started(key);
  const last = key.hash.endsWith('0') ? '1' : '0';
  expect(ring.find(key.hash.slice(0, -1) + last)).toBeUndefined();
  expect(ring.find(key.hash.slice(0, 16))).toBeUndefined();
});

test('a key created by another process is known after one poll, well within a second', async () => {
  await started();
  const key = keyRecord();
  await elsewhere.keys.create(key, ACTOR);
  expect([...timers.values()]).toEqual([KEY_POLL_MS]);
  expect(2 * KEY_POLL_MS).toBeLessThan(1_000);
  await poll();
  expect(ring.find(key.hash)).toEqual(key);
});

test('a poll reads only the revision, and after a change also what changed', async () => {
  await started(keyRecord(), keyRecord());
  reads = [];
  await poll();
  expect(reads).toEqual(['revision']);
  await elsewhere.keys.create(keyRecord(), ACTOR);
  await poll();
  expect(reads).toEqual(['revision', 'revision', 'changes']);
  expect(ring.size).toBe(3);
});

test('concurrent refreshes share one check', async () => {
  await started();
  reads = [];
  await Promise.all([ring.refresh(), ring.refresh(), ring.refresh()]);
  expect(reads).toEqual(['revision']);
});

test('listeners hear of a revoked key once, and it is found as revoked', async () => {
  const [key, other] = [keyRecord(), keyRecord()];
  await started(key, other);
  await elsewhere.keys.revoke(key.id, { ...ACTOR, atMs: NOW_MS + 1 });
  await poll();
  await poll();
  expect(ended).toEqual([[{ ...key, revoked_ms: NOW_MS + 1 }]]);
  expect(ring.find(key.hash)?.revoked_ms).toBe(NOW_MS + 1);
});

test('listeners hear of a key when it expires, not before', async () => {
  const [soon, later] = [
    keyRecord({ expires_ms: NOW_MS + 1_000 }),
    keyRecord({ expires_ms: NOW_MS + 5_000 }),
  ];
  await started(soon, later, keyRecord());
  nowMs = NOW_MS + 999;
  await poll();
  expect(ended).toEqual([]);
  nowMs = NOW_MS + 1_000;
  await poll();
  expect(ended).toEqual([[soon]]);
  nowMs = NOW_MS + 5_000;
  await poll();
  expect(ended).toEqual([[soon], [later]]);
});

test('listeners hear of the old key of a rotation when its overlap ends', async () => {
  const [old, next] = [keyRecord(), keyRecord()];
  await started(old);
  await elsewhere.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next }, ACTOR);
  await poll();
  expect(ring.find(next.hash)).toEqual(next);
  expect(ended).toEqual([]);
  nowMs = NOW_MS + 100;
  await poll();
  expect(ended).toEqual([[{ ...old, expires_ms: NOW_MS + 100 }]]);
});

test('if the clock jumps back and forth, the end of a key is reported again only if the key was valid in between', async () => {
  const key = keyRecord({ expires_ms: NOW_MS + 100 });
  await started(key);
  nowMs = NOW_MS + 100;
  await poll();
  nowMs = NOW_MS;
  await poll();
  nowMs = NOW_MS + 100;
  await poll();
  expect(ended.length).toBeGreaterThanOrEqual(1);
  expect(ended.flat()).toEqual(ended.map(() => key));
});

test('a key that was never valid is not reported', async () => {
  await started(keyRecord({ revoked_ms: NOW_MS }), keyRecord({ expires_ms: NOW_MS }));
  nowMs += 1;
  await elsewhere.keys.create(keyRecord(), ACTOR);
  await poll();
  expect(ended).toEqual([]);
});

test('a removed listener hears nothing', async () => {
  const key = keyRecord();
  const heard: unknown[] = [];
  const stopListening = ring.onEnded((keys) => heard.push(keys));
  await started(key);
  stopListening();
  await elsewhere.keys.revoke(key.id, ACTOR);
  await poll();
  expect([heard.length, ended.length]).toEqual([0, 1]);
});

test('while the store cannot be read, the keys stay valid for 30 seconds, then none is accepted', async () => {
  const key = keyRecord();
  await started(key);
  failure = new StoreUnavailableError('locked');
  await poll();
  steadyMs = KEYS_TRUSTED_MS - 1;
  await poll();
  expect(ring.find(key.hash)).toEqual(key);
  steadyMs = KEYS_TRUSTED_MS;
  await poll();
  expect(() => ring.find(key.hash)).toThrow(StoreUnavailableError);
  expect(warnings).toHaveLength(2);
});

test('a store that becomes readable is trusted at once, with what changed meanwhile', async () => {
  const [key, next] = [keyRecord(), keyRecord()];
  await started(key);
  failure = new StoreUnavailableError('locked');
  await poll();
  steadyMs = KEYS_TRUSTED_MS;
  await poll();
  await elsewhere.keys.revoke(key.id, ACTOR);
  await elsewhere.keys.create(next, ACTOR);
  failure = undefined;
  await poll();
  expect(ring.find(next.hash)).toEqual(next);
  expect(ring.find(key.hash)?.revoked_ms).toBe(NOW_MS);
  expect(ended).toHaveLength(1);
});

test('failures with a successful check in between do not add up', async () => {
  const key = keyRecord();
  await started(key);
  for (let at = 0; at <= KEYS_TRUSTED_MS * 2; at += KEYS_TRUSTED_MS / 2) {
    steadyMs = at;
    failure = failure === undefined ? new StoreUnavailableError('locked') : undefined;
    await poll();
  }
  expect(ring.find(key.hash)).toEqual(key);
});

test('keys expire while the store cannot be read', async () => {
  const key = keyRecord({ expires_ms: NOW_MS + 10 });
  await started(key);
  failure = new StoreUnavailableError('locked');
  nowMs = NOW_MS + 10;
  await poll();
  expect(ended).toEqual([[key]]);
});

test('it does not start on a store that cannot be read, and finds nothing before it started', async () => {
  expect(() => ring.find(keyRecord().hash)).toThrow(StoreUnavailableError);
  failure = new StoreUnavailableError('locked');
  await expect(ring.start()).rejects.toThrow(StoreUnavailableError);
  expect(timers.size).toBe(0);
});

test('a store that replaces the old one replaces all keys', async () => {
  const key = keyRecord();
  await started(key, keyRecord());
  await fixture.replace();
  const next = keyRecord();
  await (await fixture.open()).keys.create(next, ACTOR);
  await poll();
  expect(ring.find(key.hash)).toBeUndefined();
  expect(ring.find(next.hash)).toEqual(next);
  expect(ended.flat().map(({ id }) => id)).toContain(key.id);
});

test('a stopped ring polls no more', async () => {
  await started();
  ring.stop();
  expect(timers.size).toBe(0);
});

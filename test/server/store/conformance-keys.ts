// What every store must do with keys, and with the revisions by which other processes notice changes.
import { expect } from 'vitest';
import { type KeyRecord, type OpsStore, StoreConflictError } from '../../../server/store/store.ts';
import type { Cases } from './conformance-case.ts';
import { ACTOR, keyRecord, NOW_MS } from './store-fixture.ts';

async function refusesRotation(store: OpsStore, old: KeyRecord): Promise<void> {
  const before = await store.keys.list();
  const rotation = store.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next: keyRecord() }, ACTOR);
  await expect(rotation).rejects.toThrow(StoreConflictError);
  expect(await store.keys.list()).toEqual(before);
}

export const KEY_CASES: Cases = {
  'a created key is read back unchanged': async ({ store }) => {
    const key = keyRecord({
      limits: { requests_per_minute: 7 },
      expires_ms: NOW_MS + 5,
      scopes: ['data:read'],
    });
    await store.keys.create(key, ACTOR);
    expect(await store.keys.get(key.id)).toEqual(key);
    expect(await store.keys.get('key_other')).toBeUndefined();
  },

  'keys are listed by id, all or those of one organisation': async ({ store }) => {
    const [b, a, c] = [
      keyRecord({ id: 'key_b' }),
      keyRecord({ id: 'key_a' }),
      keyRecord({ id: 'key_c', org: 'x' }),
    ];
    for (const key of [b, a, c]) await store.keys.create(key, ACTOR);
    expect(await store.keys.list()).toEqual([a, b, c]);
    expect(await store.keys.list('acme')).toEqual([a, b]);
    expect(await store.keys.list('unknown')).toEqual([]);
  },

  'neither an id nor a hash can be used twice': async ({ store }) => {
    const key = keyRecord();
    await store.keys.create(key, ACTOR);
    await expect(store.keys.create(keyRecord({ id: key.id, hash: 'x' }), ACTOR)).rejects.toThrow(
      StoreConflictError,
    );
    await expect(store.keys.create(keyRecord({ hash: key.hash }), ACTOR)).rejects.toThrow(StoreConflictError);
    expect(await store.keys.list()).toEqual([key]);
    expect(await store.audit.list(0, 10)).toHaveLength(1);
  },

  'rotation adds the new key and ends the old one': async ({ store }) => {
    const [old, next] = [keyRecord(), keyRecord()];
    await store.keys.create(old, ACTOR);
    await store.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next }, ACTOR);
    expect(await store.keys.list()).toEqual([{ ...old, expires_ms: NOW_MS + 100 }, next]);
  },

  'rotation never lets the old key live longer than it would have': async ({ store }) => {
    const old = keyRecord({ expires_ms: NOW_MS + 50 });
    await store.keys.create(old, ACTOR);
    await store.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next: keyRecord() }, ACTOR);
    expect((await store.keys.get(old.id))?.expires_ms).toBe(NOW_MS + 50);
  },

  'an unknown key is not rotated, and nothing is added': async ({ store }) => {
    await refusesRotation(store, keyRecord());
  },

  'a revoked key is not rotated, and nothing is added': async ({ store }) => {
    const old = keyRecord();
    await store.keys.create(old, ACTOR);
    await store.keys.revoke(old.id, ACTOR);
    await refusesRotation(store, old);
  },

  'an expired key is not rotated, and nothing is added': async ({ store }) => {
    const old = keyRecord({ expires_ms: NOW_MS });
    await store.keys.create(old, ACTOR);
    await refusesRotation(store, old);
  },

  'a rotation to an existing key changes neither': async ({ store }) => {
    const [old, other] = [keyRecord(), keyRecord()];
    for (const key of [old, other]) await store.keys.create(key, ACTOR);
    const rotation = store.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next: other }, ACTOR);
    await expect(rotation).rejects.toThrow(StoreConflictError);
    expect(await store.keys.list()).toEqual([old, other]);
  },

  'revoking records its time, and reports if the key was already revoked': async ({ store }) => {
    const key = keyRecord();
    await store.keys.create(key, ACTOR);
    expect(await store.keys.revoke(key.id, { ...ACTOR, atMs: NOW_MS + 9 })).toBe(true);
    expect(await store.keys.revoke(key.id, { ...ACTOR, atMs: NOW_MS + 10 })).toBe(false);
    expect((await store.keys.get(key.id))?.revoked_ms).toBe(NOW_MS + 9);
    await expect(store.keys.revoke('key_none', ACTOR)).rejects.toThrow(StoreConflictError);
  },
};

export const REVISION_CASES: Cases = {
  'every change by another process gives a new revision; reading does not': async ({ store, again }) => {
    const other = await again();
    const key = keyRecord();
    const revisions = [await store.keys.revision()];
    await other.keys.create(key, ACTOR);
    revisions.push(await store.keys.revision());
    await other.keys.rotate({ oldId: key.id, oldEndsMs: NOW_MS + 1, next: keyRecord() }, ACTOR);
    revisions.push(await store.keys.revision());
    await other.keys.revoke(key.id, ACTOR);
    revisions.push(await store.keys.revision());
    expect(new Set(revisions).size).toBe(4);
    await other.keys.list();
    await other.keys.revoke(key.id, ACTOR);
    expect(await store.keys.revision()).toBe(revisions[3]);
  },

  'changes since a revision are exactly those': async ({ store }) => {
    const [a, b, c] = [keyRecord({ id: 'key_a' }), keyRecord({ id: 'key_b' }), keyRecord({ id: 'key_c' })];
    for (const key of [a, b]) await store.keys.create(key, ACTOR);
    const { revision, keys, isWhole } = await store.keys.changedSince(null);
    expect({ keys, isWhole }).toEqual({ keys: [a, b], isWhole: true });
    await store.keys.create(c, ACTOR);
    await store.keys.revoke(a.id, ACTOR);
    const changed = await store.keys.changedSince(revision);
    expect(changed).toMatchObject({ keys: [{ ...a, revoked_ms: NOW_MS }, c], isWhole: false });
    expect(changed.revision).toBe(await store.keys.revision());
    expect(await store.keys.changedSince(changed.revision)).toMatchObject({ keys: [], isWhole: false });
  },

  'a revision of another store returns all keys': async ({ store }) => {
    await store.keys.create(keyRecord(), ACTOR);
    for (const foreign of [-1, (await store.keys.revision()) + 1])
      expect(await store.keys.changedSince(foreign)).toMatchObject({ isWhole: true, keys: [{}] });
  },
};

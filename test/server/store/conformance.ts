// What every implementation of OpsStore must do. `open` opens the same store once more, as another process would.
import { describe, expect, test } from 'vitest';
import { type KeptAnswer, type OpsStore, StoreConflictError } from '../../../server/store/store.ts';
import { ACTOR, keyRecord, NOW_MS } from './store-world.ts';

export interface Subject {
  readonly store: OpsStore;
  /** Opens it as another process. */
  again(): Promise<OpsStore>;
}

const ANSWER: KeptAnswer = {
  status: 201,
  headers: ['Content-Type', 'application/json'],
  body: Buffer.from('{"secret":"whsec_ü"}'),
};
const claim = { org: 'acme', key: 'k-1', fingerprint: 'f', nowMs: NOW_MS };
const done = { org: 'acme', key: 'k-1', answer: ANSWER, nowMs: NOW_MS };

export function keysConform(subject: () => Subject): void {
  test('a key that was created is read back as it was', async () => {
    const { store } = subject();
    const key = keyRecord({
      limits: { requests_per_minute: 7 },
      expires_ms: NOW_MS + 5,
      scopes: ['data:read'],
    });
    await store.keys.create(key, ACTOR);
    expect(await store.keys.get(key.id)).toEqual(key);
    expect(await store.keys.get('key_other')).toBeUndefined();
  });

  test('keys are listed by id, all or those of one organisation', async () => {
    const { store } = subject();
    const [b, a, c] = [
      keyRecord({ id: 'key_b' }),
      keyRecord({ id: 'key_a' }),
      keyRecord({ id: 'key_c', org: 'x' }),
    ];
    for (const key of [b, a, c]) await store.keys.create(key, ACTOR);
    expect(await store.keys.list()).toEqual([a, b, c]);
    expect(await store.keys.list('acme')).toEqual([a, b]);
    expect(await store.keys.list('nobody')).toEqual([]);
  });

  test('neither an id nor a hash is taken twice', async () => {
    const { store } = subject();
    const key = keyRecord();
    await store.keys.create(key, ACTOR);
    await expect(store.keys.create(keyRecord({ id: key.id, hash: 'x' }), ACTOR)).rejects.toThrow(
      StoreConflictError,
    );
    await expect(store.keys.create(keyRecord({ hash: key.hash }), ACTOR)).rejects.toThrow(StoreConflictError);
    expect(await store.keys.list()).toEqual([key]);
    expect(await store.audit.list(0, 10)).toHaveLength(1);
  });

  test('rotation adds the new key and lets the old one end', async () => {
    const { store } = subject();
    const [old, next] = [keyRecord(), keyRecord()];
    await store.keys.create(old, ACTOR);
    await store.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next }, ACTOR);
    expect(await store.keys.list()).toEqual([{ ...old, expires_ms: NOW_MS + 100 }, next]);
  });

  test('rotation never lets the old key live longer than it would have', async () => {
    const { store } = subject();
    const old = keyRecord({ expires_ms: NOW_MS + 50 });
    await store.keys.create(old, ACTOR);
    await store.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next: keyRecord() }, ACTOR);
    expect((await store.keys.get(old.id))?.expires_ms).toBe(NOW_MS + 50);
  });

  test.each(['unknown', 'revoked', 'expired'])(
    'a key that is %s is not rotated, and nothing is added',
    async (what) => {
      const { store } = subject();
      const old = keyRecord(what === 'expired' ? { expires_ms: NOW_MS } : {});
      if (what !== 'unknown') await store.keys.create(old, ACTOR);
      if (what === 'revoked') await store.keys.revoke(old.id, ACTOR);
      const before = await store.keys.list();
      const rotation = store.keys.rotate(
        { oldId: old.id, oldEndsMs: NOW_MS + 100, next: keyRecord() },
        ACTOR,
      );
      await expect(rotation).rejects.toThrow(StoreConflictError);
      expect(await store.keys.list()).toEqual(before);
    },
  );

  test('a rotation to a key that exists changes neither', async () => {
    const { store } = subject();
    const [old, other] = [keyRecord(), keyRecord()];
    for (const key of [old, other]) await store.keys.create(key, ACTOR);
    const rotation = store.keys.rotate({ oldId: old.id, oldEndsMs: NOW_MS + 100, next: other }, ACTOR);
    await expect(rotation).rejects.toThrow(StoreConflictError);
    expect(await store.keys.list()).toEqual([old, other]);
  });

  test('revoking is remembered with its time, and says when it was done before', async () => {
    const { store } = subject();
    const key = keyRecord();
    await store.keys.create(key, ACTOR);
    expect(await store.keys.revoke(key.id, { ...ACTOR, atMs: NOW_MS + 9 })).toBe(true);
    expect(await store.keys.revoke(key.id, { ...ACTOR, atMs: NOW_MS + 10 })).toBe(false);
    expect((await store.keys.get(key.id))?.revoked_ms).toBe(NOW_MS + 9);
    await expect(store.keys.revoke('key_none', ACTOR)).rejects.toThrow(StoreConflictError);
  });
}

export function revisionsConform(subject: () => Subject): void {
  test('every change of another process gives another revision; reading gives none', async () => {
    const { store, again } = subject();
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
  });

  test('changes since a revision are those and no others', async () => {
    const { store } = subject();
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
  });

  test('a revision of another store gives all keys', async () => {
    const { store } = subject();
    await store.keys.create(keyRecord(), ACTOR);
    for (const foreign of [-1, (await store.keys.revision()) + 1])
      expect(await store.keys.changedSince(foreign)).toMatchObject({ isWhole: true, keys: [{}] });
  });
}

export function auditConforms(subject: () => Subject): void {
  test('every change is logged: who, what, when, by which request', async () => {
    const { store } = subject();
    const [key, next] = [keyRecord(), keyRecord()];
    await store.keys.create(key, ACTOR);
    await store.keys.rotate({ oldId: key.id, oldEndsMs: NOW_MS + 9, next }, { ...ACTOR, who: 'key:key_1' });
    await store.keys.revoke(key.id, { who: 'cli:x', requestId: null, atMs: NOW_MS + 5 });
    await store.keys.revoke(key.id, { who: 'cli:x', requestId: null, atMs: NOW_MS + 6 });
    const entries = await store.audit.list(0, 10);
    expect(entries).toMatchObject([
      { seq: 1, who: 'cli:test', action: 'key.create', subject: key.id, request_id: 'req_1', at_ms: NOW_MS },
      {
        seq: 2,
        who: 'key:key_1',
        action: 'key.rotate',
        subject: next.id,
        details: { replaces: key.id, old_ends_ms: NOW_MS + 9, org: 'acme', plan: 'team' },
      },
      { seq: 3, who: 'cli:x', action: 'key.revoke', subject: key.id, request_id: null, at_ms: NOW_MS + 5 },
    ]);
    expect(JSON.stringify(entries)).not.toContain(key.hash);
    expect(await store.audit.verify()).toBeUndefined();
  });

  test('each entry carries the hash of the one before', async () => {
    const { store } = subject();
    for (let count = 0; count < 3; count++) await store.keys.create(keyRecord(), ACTOR);
    const entries = await store.audit.list(0, 10);
    expect(entries.map(({ previous_hash }) => previous_hash)).toEqual([
      '',
      ...entries.slice(0, 2).map(({ hash }) => hash),
    ]);
  });

  test('the log is read in pages', async () => {
    const { store } = subject();
    for (let count = 0; count < 5; count++) await store.keys.create(keyRecord(), ACTOR);
    expect((await store.audit.list(0, 2)).map(({ seq }) => seq)).toEqual([1, 2]);
    expect((await store.audit.list(2, 10)).map(({ seq }) => seq)).toEqual([3, 4, 5]);
    expect(await store.audit.list(5, 10)).toEqual([]);
  });
}

export function idempotencyConforms(subject: () => Subject): void {
  test('the first request with a key begins, those beside it are busy, later ones get its answer', async () => {
    const { idempotency } = subject().store;
    expect(await idempotency.begin(claim)).toEqual({ state: 'begun' });
    expect(await idempotency.begin(claim)).toEqual({ state: 'busy' });
    await idempotency.settle(done);
    expect(await idempotency.begin(claim)).toEqual({ state: 'done', answer: ANSWER });
  });

  test('of many at once exactly one begins, from several processes too', async () => {
    const { store, again } = subject();
    const stores = [store, await again(), await again()];
    const begun = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (stores[index % 3] ?? store).idempotency.begin(claim)),
    );
    const states = begun.map(({ state }) => state).sort();
    expect(states).toEqual(['begun', ...Array.from({ length: 29 }, () => 'busy')]);
  });

  test('another request with the key is told so, while the first works and after', async () => {
    const { idempotency } = subject().store;
    await idempotency.begin(claim);
    const other = { ...claim, fingerprint: 'g' };
    expect(await idempotency.begin(other)).toEqual({ state: 'other' });
    await idempotency.settle(done);
    expect(await idempotency.begin(other)).toEqual({ state: 'other' });
  });

  test('keys of two organisations are apart', async () => {
    const { idempotency } = subject().store;
    await idempotency.begin(claim);
    expect(await idempotency.begin({ ...claim, org: 'other' })).toEqual({ state: 'begun' });
  });

  test('a released claim begins anew, also with another request', async () => {
    const { idempotency } = subject().store;
    await idempotency.begin(claim);
    await idempotency.release('acme', 'k-1');
    expect(await idempotency.begin({ ...claim, fingerprint: 'g' })).toEqual({ state: 'begun' });
  });

  test('releasing an answer or what was never claimed changes nothing', async () => {
    const { idempotency } = subject().store;
    await idempotency.begin(claim);
    await idempotency.settle(done);
    await idempotency.release('acme', 'k-1');
    await idempotency.release('acme', 'never');
    expect(await idempotency.begin(claim)).toMatchObject({ state: 'done' });
  });

  test('only the process that holds a claim settles or releases it', async () => {
    const { store, again } = subject();
    const other = await again();
    await store.idempotency.begin(claim);
    await expect(other.idempotency.settle(done)).rejects.toThrow(StoreConflictError);
    await other.idempotency.release('acme', 'k-1');
    expect(await other.idempotency.begin(claim)).toEqual({ state: 'busy' });
    await store.idempotency.settle(done);
    await expect(store.idempotency.settle(done)).rejects.toThrow(StoreConflictError);
  });

  test('a claim ends with the process that made it', async () => {
    const { store, again } = subject();
    const other = await again();
    await other.idempotency.begin(claim);
    expect(await store.idempotency.begin(claim)).toEqual({ state: 'busy' });
    await other.close();
    expect(await store.idempotency.begin(claim)).toEqual({ state: 'begun' });
  });

  test('an answer is kept for 24 hours', async () => {
    const { idempotency } = subject().store;
    await idempotency.begin(claim);
    await idempotency.settle(done);
    const day = 86_400_000;
    expect(await idempotency.begin({ ...claim, nowMs: NOW_MS + day - 1 })).toMatchObject({ state: 'done' });
    expect(await idempotency.begin({ ...claim, nowMs: NOW_MS + day })).toEqual({ state: 'begun' });
  });

  test('forgetting removes what is older, says how many, and leaves the rest', async () => {
    const { idempotency } = subject().store;
    for (let count = 0; count < 450; count++) {
      const key = `k-${count}`;
      const nowMs = NOW_MS + (count < 430 ? 0 : 10);
      await idempotency.begin({ ...claim, key, nowMs });
      if (count % 2 === 0) await idempotency.settle({ ...done, key, nowMs });
    }
    expect(await idempotency.forget(NOW_MS + 10)).toBe(430);
    expect(await idempotency.forget(NOW_MS + 10)).toBe(0);
    expect(await idempotency.begin({ ...claim, key: 'k-449', nowMs: NOW_MS + 10 })).toEqual({
      state: 'busy',
    });
    expect(await idempotency.begin({ ...claim, key: 'k-0', nowMs: NOW_MS + 10 })).toEqual({ state: 'begun' });
  });
}

export function transactionsConform(subject: () => Subject): void {
  test('an effect and the answer to it are there together', async () => {
    const { store, again } = subject();
    const key = keyRecord();
    await store.idempotency.begin(claim);
    const result = await store.transact(async (tables) => {
      await tables.keys.create(key, ACTOR);
      await tables.idempotency.settle(done);
      return tables.keys.get(key.id);
    });
    expect(result).toEqual(key);
    const other = await again();
    expect(await other.keys.get(key.id)).toEqual(key);
    expect(await other.idempotency.begin(claim)).toEqual({ state: 'done', answer: ANSWER });
  });

  test('work that throws leaves nothing behind, neither effect, answer nor log', async () => {
    const { store } = subject();
    const key = keyRecord();
    await store.idempotency.begin(claim);
    const work = store.transact(async (tables) => {
      await tables.keys.create(key, ACTOR);
      await tables.idempotency.settle(done);
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
    expect(await store.keys.list()).toEqual([]);
    expect(await store.audit.list(0, 10)).toEqual([]);
    await store.idempotency.release('acme', 'k-1');
    expect(await store.idempotency.begin(claim)).toEqual({ state: 'begun' });
  });

  test('a part that failed is undone when the work goes on', async () => {
    const { store } = subject();
    const [a, b] = [keyRecord(), keyRecord()];
    await store.keys.create(a, ACTOR);
    await store.transact(async ({ keys }) => {
      await keys.create(b, ACTOR);
      const rotation = keys.rotate({ oldId: a.id, oldEndsMs: NOW_MS + 1, next: b }, ACTOR);
      await expect(rotation).rejects.toThrow(StoreConflictError);
    });
    expect(await store.keys.list()).toEqual([a, b]);
    expect(await store.audit.verify()).toBeUndefined();
  });

  test('nobody sees what is not committed', async () => {
    const { store } = subject();
    const seen: number[] = [];
    let reading: Promise<unknown> = Promise.resolve();
    await expect(
      store.transact(async ({ keys }) => {
        await keys.create(keyRecord(), ACTOR);
        reading = store.keys.list().then((list) => seen.push(list.length));
        for (let turn = 0; turn < 50; turn++) await keys.revision();
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await reading;
    expect(seen).toEqual([0]);
  });

  test('transactions take turns, and each sees the one before', async () => {
    const { store } = subject();
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.transact(async ({ keys }) => {
          const before = await keys.list();
          await keys.create(keyRecord({ limits: { requests_per_minute: before.length } }), ACTOR);
        }),
      ),
    );
    const order = (await store.keys.list()).map(({ limits }) => limits.requests_per_minute);
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(await store.audit.verify()).toBeUndefined();
  });

  test('work that waits for something else is refused, and so are its tables afterwards', async () => {
    const { store } = subject();
    let late: Promise<unknown> = Promise.resolve();
    const work = store.transact(async ({ keys }) => {
      await keys.create(keyRecord(), ACTOR);
      late = new Promise((resolve) => setImmediate(resolve)).then(() => keys.create(keyRecord(), ACTOR));
      await late;
    });
    const refusedLater = expect(work).rejects.toThrow('waits for nothing but the tables');
    await refusedLater;
    await expect(late).rejects.toThrow('has ended');
    expect(await store.keys.list()).toEqual([]);
  });

  test('work that uses the store in place of its tables is refused, and the store goes on', async () => {
    const { store } = subject();
    const work = store.transact(async () => store.keys.create(keyRecord(), ACTOR));
    await expect(work).rejects.toThrow('waits for nothing but the tables');
    expect(await store.keys.revision()).toBeTypeOf('number');
  });
}

export function storeConforms(subject: () => Subject): void {
  describe('keys', () => keysConform(subject));
  describe('revisions', () => revisionsConform(subject));
  describe('the audit log', () => auditConforms(subject));
  describe('idempotency', () => idempotencyConforms(subject));
  describe('transactions', () => transactionsConform(subject));
}

// What every store must do with changes that belong together.
import { expect } from 'vitest';
import { StoreConflictError } from '../../../server/store/store.ts';
import { RESPONSE, claim, done } from './claims.ts';
import type { Cases } from './conformance-case.ts';
import { ACTOR, keyRecord, NOW_MS } from './store-fixture.ts';

export const TRANSACTION_CASES: Cases = {
  'an effect and its response are committed together': async ({ store, again }) => {
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
    expect(await other.idempotency.begin(claim)).toEqual({ state: 'done', response: RESPONSE });
  },

  'work that throws leaves nothing behind, neither effect nor response nor log entry': async ({ store }) => {
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
  },

  'a failed part is undone if the work continues': async ({ store }) => {
    const [a, b] = [keyRecord(), keyRecord()];
    await store.keys.create(a, ACTOR);
    await store.transact(async ({ keys }) => {
      await keys.create(b, ACTOR);
      const rotation = keys.rotate({ oldId: a.id, oldEndsMs: NOW_MS + 1, next: b }, ACTOR);
      await expect(rotation).rejects.toThrow(StoreConflictError);
    });
    expect(await store.keys.list()).toEqual([a, b]);
    expect(await store.audit.verify()).toBeUndefined();
  },

  'uncommitted changes are invisible': async ({ store }) => {
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
  },

  'transactions are serialized, and each sees the previous one': async ({ store }) => {
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
  },

  'work that awaits something else is refused, and so are its tables afterwards': async ({ store }) => {
    let late: Promise<unknown> = Promise.resolve();
    const work = store.transact(async ({ keys }) => {
      await keys.create(keyRecord(), ACTOR);
      late = new Promise((resolve) => setImmediate(resolve)).then(() => keys.create(keyRecord(), ACTOR));
      await late;
    });
    const refusedLater = expect(work).rejects.toThrow('may await only the tables');
    await refusedLater;
    await expect(late).rejects.toThrow('has ended');
    expect(await store.keys.list()).toEqual([]);
  },

  'work that uses the store instead of its tables is refused, and the store keeps working': async ({
    store,
  }) => {
    const work = store.transact(async () => store.keys.create(keyRecord(), ACTOR));
    await expect(work).rejects.toThrow('may await only the tables');
    expect(await store.keys.revision()).toBeTypeOf('number');
  },
};

// What every store must do with idempotency keys.
import { expect } from 'vitest';
import { StoreConflictError } from '../../../server/store/store.ts';
import { RESPONSE, claim, done } from './claims.ts';
import type { Cases } from './conformance-case.ts';
import { NOW_MS } from './store-fixture.ts';

export const IDEMPOTENCY_CASES: Cases = {
  'the first request with a key begins, concurrent ones are busy, later ones get its response': async ({
    store: { idempotency },
  }) => {
    expect(await idempotency.begin(claim)).toEqual({ state: 'begun' });
    expect(await idempotency.begin(claim)).toEqual({ state: 'busy' });
    await idempotency.settle(done);
    expect(await idempotency.begin(claim)).toEqual({ state: 'done', response: RESPONSE });
  },

  'of many concurrent requests exactly one begins, even across processes': async ({ store, again }) => {
    const stores = [store, await again(), await again()];
    const begun = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (stores[index % 3] ?? store).idempotency.begin(claim)),
    );
    const states = begun.map(({ state }) => state).sort();
    expect(states).toEqual(['begun', ...Array.from({ length: 29 }, () => 'busy')]);
  },

  'a different request with the key is a conflict, during the first request and afterwards': async ({
    store: { idempotency },
  }) => {
    await idempotency.begin(claim);
    const other = { ...claim, fingerprint: 'g' };
    expect(await idempotency.begin(other)).toEqual({ state: 'other' });
    await idempotency.settle(done);
    expect(await idempotency.begin(other)).toEqual({ state: 'other' });
  },

  'keys of two organisations are independent': async ({ store: { idempotency } }) => {
    await idempotency.begin(claim);
    expect(await idempotency.begin({ ...claim, org: 'other' })).toEqual({ state: 'begun' });
  },

  'a released claim starts again, even with another request': async ({ store: { idempotency } }) => {
    await idempotency.begin(claim);
    await idempotency.release('acme', 'k-1');
    expect(await idempotency.begin({ ...claim, fingerprint: 'g' })).toEqual({ state: 'begun' });
  },

  'releasing a settled claim, or one that never existed, changes nothing': async ({
    store: { idempotency },
  }) => {
    await idempotency.begin(claim);
    await idempotency.settle(done);
    await idempotency.release('acme', 'k-1');
    await idempotency.release('acme', 'never');
    expect(await idempotency.begin(claim)).toMatchObject({ state: 'done' });
  },

  'only the process that holds a claim settles or releases it': async ({ store, again }) => {
    const other = await again();
    await store.idempotency.begin(claim);
    await expect(other.idempotency.settle(done)).rejects.toThrow(StoreConflictError);
    await other.idempotency.release('acme', 'k-1');
    expect(await other.idempotency.begin(claim)).toEqual({ state: 'busy' });
    await store.idempotency.settle(done);
    await expect(store.idempotency.settle(done)).rejects.toThrow(StoreConflictError);
  },

  'a claim ends with the process that made it': async ({ store, again }) => {
    const other = await again();
    await other.idempotency.begin(claim);
    expect(await store.idempotency.begin(claim)).toEqual({ state: 'busy' });
    await other.close();
    expect(await store.idempotency.begin(claim)).toEqual({ state: 'begun' });
  },

  'a response is kept for 24 hours': async ({ store: { idempotency } }) => {
    await idempotency.begin(claim);
    await idempotency.settle(done);
    const day = 86_400_000;
    expect(await idempotency.begin({ ...claim, nowMs: NOW_MS + day - 1 })).toMatchObject({ state: 'done' });
    expect(await idempotency.begin({ ...claim, nowMs: NOW_MS + day })).toEqual({ state: 'begun' });
  },

  'forgetting deletes older entries, returns how many, and keeps the rest': async ({
    store: { idempotency },
  }) => {
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
  },
};

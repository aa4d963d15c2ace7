// What every store must do with the runs that organisations are charged for.
import { expect } from 'vitest';
import type { RunCharge } from '../../../server/store/store.ts';
import type { Cases } from './conformance-case.ts';
import { NOW_MS } from './store-fixture.ts';

const chargeOf = (run_key: string, more: Partial<RunCharge> = {}): RunCharge => ({
  org: 'acme',
  kind: 'monte_carlo',
  run_key,
  month: '2026-03',
  charged_ms: NOW_MS,
  limit: 2,
  ...more,
});

export const ANALYTICS_RUN_CASES: Cases = {
  'a run is charged once, up to the limit, and every process sees it': async ({ store, again }) => {
    const { analyticsRuns } = store;
    expect(await analyticsRuns.charge(chargeOf('a'))).toEqual({ state: 'charged', used: 1 });
    expect(await analyticsRuns.charge(chargeOf('a'))).toEqual({ state: 'known', used: 1 });
    expect(await analyticsRuns.charge(chargeOf('b'))).toEqual({ state: 'charged', used: 2 });
    expect(await analyticsRuns.charge(chargeOf('c'))).toEqual({ state: 'exceeded', used: 2 });
    const other = (await again()).analyticsRuns;
    expect(await other.countOf('acme', 'monte_carlo', '2026-03')).toBe(2);
    expect(await other.isCharged('acme', 'monte_carlo', 'b')).toBe(true);
    expect(await other.isCharged('acme', 'monte_carlo', 'c')).toBe(false);
  },

  'organisations, kinds and months are counted separately': async ({ store: { analyticsRuns } }) => {
    await analyticsRuns.charge(chargeOf('a'));
    await analyticsRuns.charge(chargeOf('a', { org: 'other' }));
    await analyticsRuns.charge(chargeOf('a', { kind: 'simulator' }));
    await analyticsRuns.charge(chargeOf('b', { month: '2026-04' }));
    for (const [org, kind, month] of [
      ['acme', 'monte_carlo', '2026-03'],
      ['acme', 'monte_carlo', '2026-04'],
      ['acme', 'simulator', '2026-03'],
      ['other', 'monte_carlo', '2026-03'],
    ] as const)
      expect(await analyticsRuns.countOf(org, kind, month)).toBe(1);
    expect(await analyticsRuns.charge(chargeOf('a', { month: '2026-04' }))).toMatchObject({ state: 'known' });
  },

  'old charges are deleted, newer ones are not': async ({ store: { analyticsRuns } }) => {
    for (let i = 0; i < 450; i++)
      await analyticsRuns.charge(chargeOf(`k${i}`, { limit: 1_000, charged_ms: NOW_MS + (i < 420 ? 0 : 1) }));
    expect(await analyticsRuns.forget(NOW_MS + 1)).toBe(420);
    expect(await analyticsRuns.countOf('acme', 'monte_carlo', '2026-03')).toBe(30);
  },
};

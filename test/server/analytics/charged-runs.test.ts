// Quotas over the real store: what is charged, and when.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PLANS } from '../../../schemas/plans.ts';
import { ChargedRuns } from '../../../server/analytics/charged-runs.ts';
import { runIdentity } from '../../../server/analytics/run-identity.ts';
import type { Caller } from '../../../server/define/caller.ts';
import type { Commit } from '../../../server/define/endpoint.ts';
import { openTestStore, type TestStore } from '../../support/ops-store.ts';

const MARCH_MS = Date.parse('2026-03-31T23:59:30Z');
const APRIL_MS = Date.parse('2026-04-01T00:00:00Z');

let ops: TestStore;
let nowMs: number;
let runs: ChargedRuns;
beforeEach(async () => {
  ops = await openTestStore();
  nowMs = MARCH_MS;
  runs = newRuns();
});
afterEach(() => ops.remove());

const newRuns = () =>
  new ChargedRuns({
    runs: ops.store.analyticsRuns,
    nowMs: () => nowMs,
    monthEndMs: (atMs) => (atMs < APRIL_MS ? APRIL_MS : Date.parse('2026-05-01T00:00:00Z')),
    upgradeUrl: () => 'https://service.example/plans',
  });

const callerOf = (limit: number, org = 'acme'): Caller => ({
  plan: 'team',
  key: { id: 'key_1', org, scopes: [] },
  limits: { ...PLANS.team, monte_carlo_runs_per_month: limit, simulator_runs_per_month: limit },
});
const commit: Commit = (work) => ops.store.transact(work);
const result = { reply: { payload: 1 }, isCharged: true };

interface Options {
  readonly limit?: number;
  readonly org?: string;
  readonly by?: ChargedRuns;
}

const run = (
  run_key: string,
  { limit = 2, org = 'acme', by = runs }: Options = {},
  work = async () => result,
) => by.perform({ kind: 'monte_carlo', run_key, caller: callerOf(limit, org), commit }, work);
const used = (org = 'acme') => ops.store.analyticsRuns.countOf(org, 'monte_carlo', '2026-03');
const quota = (limit: number, remaining: number) => [
  ...['X-Quota-Limit', String(limit), 'X-Quota-Remaining', String(remaining)],
  ...['X-Quota-Reset', String(APRIL_MS / 1000)],
];
const exceeded = (count: number) => ({
  code: 'MC_MONTHLY_QUOTA_EXCEEDED',
  details: {
    limit: count,
    used: count,
    resets_at: '2026-04-01T00:00:00.000Z',
    upgrade_url: 'https://service.example/plans',
  },
  headers: ['Retry-After', '30', ...quota(count, 0)],
});

test('the limit passes, one more does not, and repeats stay free', async () => {
  expect((await run('a')).headers).toEqual(quota(2, 1));
  expect((await run('a')).headers).toEqual(quota(2, 1));
  expect((await run('b')).headers).toEqual(quota(2, 0));
  await expect(run('c')).rejects.toMatchObject(exceeded(2));
  expect((await run('a')).headers).toEqual(quota(2, 0));
  expect(await used()).toBe(2);
});

test('the next month starts with an empty count, and recognizes the runs of the previous month', async () => {
  await run('a', { limit: 1 });
  nowMs = APRIL_MS;
  await run('a', { limit: 1 });
  await run('b', { limit: 1 });
  await expect(run('c', { limit: 1 })).rejects.toMatchObject({ details: { used: 1 } });
});

test('organisations and kinds have separate counts', async () => {
  await run('a', { limit: 1 });
  await run('a', { limit: 1, org: 'other' });
  const simulator = { kind: 'simulator', run_key: 'a', caller: callerOf(1), commit } as const;
  await runs.perform(simulator, async () => result);
  await expect(runs.perform({ ...simulator, run_key: 'b' }, async () => result)).rejects.toMatchObject({
    code: 'SIMULATOR_MONTHLY_QUOTA_EXCEEDED',
  });
  expect([await used(), await used('other')]).toEqual([1, 1]);
});

test('runs that fail or have no figures cost nothing and return their place', async () => {
  const fail = async () => {
    throw new Error('no worker');
  };
  await expect(run('a', { limit: 1 }, fail)).rejects.toThrow('no worker');
  await run('b', { limit: 1 }, async () => ({ ...result, isCharged: false }));
  expect(await used()).toBe(0);
  await run('c', { limit: 1 });
  expect(await used()).toBe(1);
});

test('of many concurrent runs exactly the limit passes, and no place is lost to repeats', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, (_, i) => run(`k${i % 60}`, { limit: 20 })),
  );
  const keys = new Set(outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [i % 60] : [])));
  expect(keys.size).toBe(20);
  expect(await used()).toBe(20);
  for (const key of keys) await run(`k${key}`, { limit: 20 });
  const exact = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => run(`n${i}`, { limit: 30 })));
  expect(exact.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await used()).toBe(30);
});

test('two servers over one store never charge more than the limit', async () => {
  const other = newRuns();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, i) => run(`k${i}`, { limit: 10, by: i % 2 === 0 ? runs : other })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(await used()).toBe(10);
});

test('a charge whose transaction fails is not counted', async () => {
  const broken: Commit = (work) =>
    ops.store.transact(async (tables) => {
      await work(tables);
      throw new Error('disk full');
    });
  const failing = { kind: 'monte_carlo', run_key: 'a', caller: callerOf(1), commit: broken } as const;
  await expect(runs.perform(failing, async () => result)).rejects.toThrow('disk full');
  expect(await used()).toBe(0);
  expect((await run('b', { limit: 1 })).headers).toEqual(quota(1, 0));
});

const FACTS = {
  endpoint: '/v2/x',
  id: 'm',
  request: { a: 1 },
  snapshot_version: 'v',
  model_version: '1',
  policy_version: '1',
};

test('a run is identified by its facts and seed; without a seed, the facts determine one', () => {
  const made = runIdentity(FACTS, undefined);
  expect(runIdentity(FACTS, undefined)).toEqual(made);
  expect(runIdentity(FACTS, made.seed)).toEqual(made);
  expect(Number.isSafeInteger(made.seed) && made.seed >= 0).toBe(true);
  const changed = [
    runIdentity(FACTS, made.seed === 0 ? 1 : 0),
    ...['endpoint', 'id', 'snapshot_version', 'model_version', 'policy_version'].map((name) =>
      runIdentity({ ...FACTS, [name]: 'other' }, made.seed),
    ),
    runIdentity({ ...FACTS, request: { a: 2 } }, made.seed),
  ];
  expect(new Set([made, ...changed].map(({ run_key }) => run_key)).size).toBe(8);
});

test('the seed is the first 53 bits of the hash', async () => {
  const { canonicalJson, sha256Hex } = await import('../../../platform/storage/canonical.ts');
  const bits = BigInt(`0x${sha256Hex(canonicalJson(FACTS))}`) >> BigInt(256 - 53);
  expect(BigInt(runIdentity(FACTS, undefined).seed)).toBe(bits);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analytics } from '../../../../jobs/families/analytics/domain.ts';
import { borrowing } from '../../../../jobs/families/borrowing/domain.ts';
import { exposure } from '../../../../jobs/families/exposure/domain.ts';
import { lending } from '../../../../jobs/families/lending/domain.ts';
import { oraclePaths } from '../../../../jobs/families/oracle-paths/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { vaults } from '../../../../jobs/families/vaults/domain.ts';
import { yields } from '../../../../jobs/families/yields/domain.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { apyAt, breachesOf, type Scored, type Sight } from './yield-loops.ts';
import { coin, DAY, type Fields, pool } from './yield-world.ts';

/** Whose tables the models of yields read, directly or through others. */
const BEHIND = [sources, oracles, pools, lending, borrowing, analytics, exposure, vaults, oraclePaths];
const FIRST = Date.UTC(2026, 1, 1) / 1000;
const DAYS = 20;
const LAST = FIRST + DAYS * DAY - 1;

/** Midnights and the seconds next to them come up more often than chance would have them. */
const second = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: DAY - 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, DAY - 1) },
);
const sight = fc.record({
  pool_id: fc.constantFrom('a', 'a', 'b', 'c'),
  observed_at: fc.tuple(fc.nat(DAYS - 1), second).map(([day, at]) => FIRST + day * DAY + at),
  net_apy: fc.constantFrom(null, 0, 2, 2.5, 3, 4.125, 9, 1e4, 1e6, -3),
  reward_apy: fc.constantFrom(null, 0, 1, 2),
  tvl_usd: fc.constantFrom(null, 0, 2e4, 1e6, 9e6, 5e8),
  asset: fc.constantFrom('USDC', 'USDC', 'NEW'),
  exposure: fc.constantFrom('single', 'multi', null),
  withdrawal_state: fc.constantFrom('instant', 'instant', 'queue', 'paused', null),
});
const sights = fc.uniqueArray(sight, {
  minLength: 80,
  maxLength: 90,
  selector: ({ pool_id, observed_at }) => `${pool_id} ${observed_at}`,
});
const listings = fc.uniqueArray(
  fc.record({
    at: fc.integer({ min: FIRST, max: LAST }),
    mechanism: fc.constantFrom('fiat-backed', 'algorithmic', 'x'),
  }),
  { minLength: 1, maxLength: 3, selector: ({ at }) => at },
);
const cuts = fc.uniqueArray(fc.integer({ min: FIRST, max: LAST - 1 }), { minLength: 2, maxLength: 4 });

const TABLES = [
  'derived.yield_apy_day',
  'derived.yield_apy',
  'derived.yield_basket',
  'derived.yield_state',
].concat(['derived.yield_day', 'derived.yield_breach', 'derived.yield_asset', 'out.yield_opportunity']);
const tables = (world: DomainWorld) =>
  Promise.all(TABLES.map((name) => world.rows(`select '${name}' as name, * from ${name} order by all`)));

async function walk(world: DomainWorld, instants: readonly number[]): Promise<void> {
  let from = FIRST;
  for (const now of instants) {
    await world.compute({ start: from - (from % DAY), end: now + 1, now });
    from = now + 1;
  }
}

async function landed(rows: readonly Fields[], coins: readonly Fields[]): Promise<DomainWorld> {
  const world = await openDomainWorld(yields, BEHIND);
  await world.landRows('yield_coin', coins);
  await world.landRows('yield_pool', rows);
  return world;
}

async function expectLoopsAgree(world: DomainWorld, given: readonly Sight[]): Promise<void> {
  const pools = await world.rows('select * from derived.yield_apy');
  for (const one of given) {
    const row = pools.find(
      ({ opportunity_id, observed_at }) =>
        observed_at === one.observed_at && String(opportunity_id).endsWith(`/${one.pool_id}`),
    );
    const { mean_7d, mean_30d, sigma, is_spike } = apyAt(given, one);
    const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 4));
    expect(row).toMatchObject({
      mean_7d: near(mean_7d),
      mean_30d: near(mean_30d),
      sigma: near(sigma),
      is_spike,
    });
  }
  for (const id of new Set(pools.map(({ opportunity_id }) => String(opportunity_id)))) {
    const where = `where opportunity_id = '${id}'`;
    const states = await world.rows(`select * from derived.yield_state ${where} order by observed_at`);
    const found = await world.rows(`select * from derived.yield_breach ${where}`);
    expect(
      found.map(({ category, severity, breached_at }) => `${category} ${severity} ${breached_at}`).sort(),
    ).toEqual(breachesOf(states as unknown as readonly Scored[]).toSorted());
  }
}

test('tables and breaches are those of plain loops, and the same in one go, in days and in odd steps', async () => {
  let breaches = 0;
  await fc.assert(
    fc.asyncProperty(sights, listings, cuts, async (given, listed, odd) => {
      const rows = given.map((one) => pool({ ...one, base_apy: null }));
      const coins = [
        coin('USDC', 'fiat-backed', { observed_at: FIRST - DAY }),
        ...listed.map(({ at, mechanism }) => coin('NEW', mechanism, { coin_id: 'new', observed_at: at })),
      ];
      const world = await landed(rows, coins);
      await walk(world, [LAST]);
      const whole = await tables(world);
      await expectLoopsAgree(world, given);
      breaches += whole[TABLES.indexOf('derived.yield_breach')]?.length ?? 0;
      await world.close();
      const days = [4, 5, 11, DAYS].map((day) => FIRST + day * DAY - 1);
      for (const instants of [days, [...odd.toSorted((a, b) => a - b), LAST]]) {
        const other = await landed(rows, coins);
        await walk(other, instants);
        expect(await tables(other), `walked over ${instants.join()}`).toEqual(whole);
        await other.close();
      }
    }),
    { numRuns: COUNTS.yieldWalks, endOnFailure: true },
  );
  expect(breaches).toBeGreaterThan(10);
}, 7_200_000);

// Doubts about the oracles behind a position: dollars by hand, each reason, and that what is taken away never makes a doubt go away.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MarketRows, oracleDoubtsOf } from '../../models/oracle-doubts.ts';
import type { OraclePath } from '../../schemas/oracle-paths.ts';

const assumption = (id: string, is_broken: boolean | null): OraclePath['assumptions'][number] => ({
  ...{ id, kind: 'equality', statement: id, tested_by: null, gap_bps: null },
  ...{ effective_enter_bps: 200, is_broken, since_at: null },
});
const SOUND = {
  verdict: 'verified',
  path_status: 'complete',
  assumptions: [assumption('feed:0xf', false)],
  is_broken: false,
  unrealised_bad_debt_low_usd: 0,
  unrealised_bad_debt_high_usd: 0,
  phantom_interest_usd_day: 0,
  gaps: [],
} as unknown as OraclePath;
const STATE: NonNullable<MarketRows['state']> = {
  ...{ supplied_usd: 1_000_000, borrowed_usd: 900_000, state_status: 'fresh' },
};
const of = (path: Partial<OraclePath> | undefined, more: Partial<MarketRows> = {}, amount_usd = 400_000) =>
  oracleDoubtsOf({
    claims: [{ market: 'ethereum:0x1', amount_usd }],
    marketOf: () => ({ state: STATE, path: path && { ...SOUND, ...path }, ...more }),
    hasPaths: true,
    hiddenShare: 0,
  });

test('a market whose oracle is verified, whose assumptions hold and whose debt is covered has no doubt', () => {
  expect(of({})).toEqual({
    ...{ loss_low_usd: 0, loss_high_usd: 0, phantom_interest_usd_day: 0, gaps: [], markets: [] },
  });
});

test('xUSD: a position with 40 % of the supply bears 40 % of the debt that is not covered, and its interest is phantom', () => {
  const found = of({
    assumptions: [assumption('XUSD=USD', true)],
    is_broken: true,
    unrealised_bad_debt_low_usd: 553_273.83,
    unrealised_bad_debt_high_usd: 553_273.83,
    phantom_interest_usd_day: 100,
  });
  expect(found).toEqual({
    ...{ loss_low_usd: 221_309.53, loss_high_usd: 221_309.53, phantom_interest_usd_day: 40, gaps: [] },
    markets: [
      {
        market: 'ethereum:0x1',
        reasons: ['assumption_broken', 'bad_debt', 'phantom_interest'],
        assumptions: ['XUSD=USD'],
        amount_usd: 400_000,
        ...{ loss_low_usd: 221_309.53, loss_high_usd: 221_309.53, phantom_interest_usd_day: 40, gaps: [] },
      },
    ],
  });
});

test('an interval stays an interval: 1.2 of 4 million bear 30 % of both ends', () => {
  const path = { unrealised_bad_debt_low_usd: 13_924, unrealised_bad_debt_high_usd: 26_840.05 };
  const found = of(path, { state: { ...STATE, supplied_usd: 4_000_000 } }, 1_200_000);
  expect(found).toMatchObject({ loss_low_usd: 4_177.2, loss_high_usd: 8_052.02 });
});

describe('unknown is a doubt', () => {
  test.each([
    ['no path of the market', undefined, ['path_unknown', 'bad_debt_unknown'], ['oracle_path_unknown']],
    ['a path that is not known', { verdict: 'unknown', is_broken: null }, ['path_unknown'], []],
    ['a path that is not verified', { verdict: 'unverified' }, ['path_unverified'], []],
    ['a path that fails a check', { verdict: 'wrong' }, ['path_wrong'], []],
    [
      'an assumption that nothing judges',
      { is_broken: null, assumptions: [assumption('A=B', null)] },
      ['assumption_unjudged'],
      [],
    ],
    [
      'borrowers that are unknown',
      {
        unrealised_bad_debt_low_usd: null,
        unrealised_bad_debt_high_usd: null,
        phantom_interest_usd_day: null,
        gaps: ['borrowers_unknown'],
      },
      ['bad_debt_unknown'],
      ['borrowers_unknown'],
    ],
  ] as const)('%s', (_, path, reasons, gaps) => {
    const found = of(path as Partial<OraclePath> | undefined);
    expect(found.markets[0]).toMatchObject({ reasons, gaps });
    if (gaps.length > 0) expect(found).toMatchObject({ loss_low_usd: null, loss_high_usd: null, gaps });
  });

  test('a version without oracle paths is named as such', () => {
    const found = oracleDoubtsOf({
      claims: [{ market: 'ethereum:0x1', amount_usd: 1 }],
      marketOf: () => ({ state: STATE, path: undefined }),
      hasPaths: false,
      hiddenShare: 0,
    });
    expect(found).toMatchObject({ loss_high_usd: null, gaps: ['oracle_paths_missing'] });
  });

  test('only a fresh state says that nothing is lent', () => {
    expect(of(undefined, { state: { ...STATE, borrowed_usd: 0 } }).markets).toEqual([]);
    expect(
      of(undefined, { state: { ...STATE, borrowed_usd: 0, state_status: 'stale' } }).markets,
    ).toHaveLength(1);
    expect(of(undefined, { state: undefined }).markets).toHaveLength(1);
  });

  test('of a supply makes the position’s part unknown, unless there is nothing to share', () => {
    const state = { ...STATE, supplied_usd: null };
    const debt = { unrealised_bad_debt_low_usd: 1, unrealised_bad_debt_high_usd: 2 };
    expect(of(debt, { state })).toMatchObject({
      loss_low_usd: null,
      loss_high_usd: null,
      gaps: ['supply_unknown'],
    });
    expect(of({ verdict: 'unverified' }, { state })).toMatchObject({
      loss_low_usd: 0,
      loss_high_usd: 0,
      gaps: [],
    });
  });

  test('of a part of a vault makes its figures unknown', () => {
    const claims = [{ market: 'ethereum:0x1', amount_usd: 1 }];
    const marketOf = () => ({ state: STATE, path: SOUND });
    expect(oracleDoubtsOf({ claims, marketOf, hasPaths: true, hiddenShare: 0.1 })).toMatchObject({
      ...{ loss_low_usd: null, loss_high_usd: null, gaps: ['lookthrough_incomplete'], markets: [] },
    });
  });
});

const dollars = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null, freq: 5 });
const market = fc
  .record({
    verdict: fc.constantFrom('verified', 'unverified', 'unknown', 'wrong'),
    is_broken: fc.constantFrom(true, false, null),
    low: dollars,
    width: fc.integer({ min: 0, max: 1_000 }),
    phantom: dollars,
    supplied: dollars,
    borrowed: fc.constantFrom(0, 900_000),
    amount: fc.integer({ min: 1, max: 1_000_000 }),
  })
  // What is not lent is no bad debt, and without bad debt no interest is phantom.
  .map((one) => (one.borrowed === 0 ? { ...one, low: one.low && 0, width: 0 } : one))
  .map(({ verdict, is_broken, low, width, phantom, supplied, borrowed, amount }) => ({
    amount,
    state: { ...STATE, supplied_usd: supplied, borrowed_usd: borrowed },
    path: {
      ...SOUND,
      verdict,
      is_broken,
      unrealised_bad_debt_low_usd: low,
      unrealised_bad_debt_high_usd: low === null ? null : low + width,
      phantom_interest_usd_day: low === null ? null : low === 0 ? phantom && 0 : phantom,
      gaps: low === null ? ['borrowers_unknown'] : [],
    } as OraclePath,
  }));
type Markets = readonly {
  readonly amount: number;
  readonly state: MarketRows['state'];
  readonly path: OraclePath | undefined;
}[];
const doubtsIn = (world: Markets, order = world.map((_, index) => index)) =>
  oracleDoubtsOf({
    claims: order.map((index) => ({ market: `one:${index}`, amount_usd: world[index]?.amount ?? 0 })),
    marketOf: (id) => world[Number(id.split(':')[1])] ?? { state: undefined, path: undefined },
    hasPaths: true,
    hiddenShare: 0,
  });

test('low is at most high, both at most the position, a null has a gap, and the order of claims changes nothing', () => {
  fc.assert(
    fc.property(fc.array(market, { minLength: 1, maxLength: 4 }), (world) => {
      const found = doubtsIn(world);
      const total = world.reduce((sum, { amount }) => sum + amount, 0);
      expect(found.loss_low_usd ?? 0).toBeLessThanOrEqual(found.loss_high_usd ?? Infinity);
      expect(found.loss_high_usd ?? 0).toBeLessThanOrEqual(total + 0.05);
      for (const one of [found, ...found.markets])
        if (one.loss_high_usd === null || one.phantom_interest_usd_day === null)
          expect(one.gaps.length).toBeGreaterThan(0);
      expect(
        doubtsIn(
          world,
          world.map((_, index) => world.length - 1 - index),
        ),
      ).toEqual(found);
    }),
  );
});

const withPath = (one: Markets[number], more: Partial<OraclePath>): Markets[number] => ({
  ...one,
  path: one.path && { ...one.path, ...more },
});
const withState = (one: Markets[number], more: Partial<typeof STATE>): Markets[number] => ({
  ...one,
  state: one.state && { ...one.state, ...more },
});
const removals: readonly ((one: Markets[number]) => Markets[number])[] = [
  (one) => ({ ...one, path: undefined }),
  (one) => ({ ...one, state: undefined }),
  (one) => withState(one, { supplied_usd: null }),
  (one) => withState(one, { borrowed_usd: null }),
  (one) => withState(one, { state_status: 'stale' }),
  (one) => withPath(one, { phantom_interest_usd_day: null }),
  (one) => withPath(one, { verdict: 'unknown', gaps: ['path_old'] }),
  (one) => withPath(one, { is_broken: one.path?.is_broken === true ? true : null }),
  (one) =>
    withPath(one, {
      unrealised_bad_debt_low_usd: null,
      unrealised_bad_debt_high_usd: null,
      phantom_interest_usd_day: null,
      gaps: ['borrowers_unknown'],
    }),
];

test('taking a path, a state or a figure away never makes a doubt go away or a figure smaller', () => {
  fc.assert(
    fc.property(
      fc.array(market, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...removals),
      fc.nat(2),
      (world, remove, at) => {
        const before = doubtsIn(world);
        const after = doubtsIn(world.map((one, index) => (index === at % world.length ? remove(one) : one)));
        expect(after.markets.length).toBeGreaterThanOrEqual(before.markets.length);
        for (const name of ['loss_low_usd', 'loss_high_usd', 'phantom_interest_usd_day'] as const)
          expect([null, before[name]]).toContain(after[name]);
      },
    ),
    { numRuns: 500 },
  );
});

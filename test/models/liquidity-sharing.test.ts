import fc from 'fast-check';
import { expect, test } from 'vitest';
import { simulate } from '../../models/simulator/simulate.ts';
import {
  expectNear,
  holdingsOf,
  inputOf,
  liquidityCase,
  MARKET,
  marketOf,
  part,
  share,
  totalIn,
  totalOf,
} from './liquidity-cases.ts';
import { type LiquidityCase, shareOut } from './pro-rata-shares.ts';

const RUNS = { numRuns: 300 };

const each = test.each([
  ['pro rata', false],
  ['first to leave', true],
]);

each('positions of one market get what an independent model gives them, %s', (_, isFirst) => {
  fc.assert(
    fc.property(liquidityCase, (one) => {
      const actual = holdingsOf(simulate(inputOf(one, isFirst)));
      for (const [index, { value, withdrawable }] of shareOut(one, isFirst).entries()) {
        expectNear(actual[index]?.value, value, one.supplied);
        expectNear(actual[index]?.withdrawable, Math.min(value, withdrawable), one.supplied);
      }
    }),
    RUNS,
  );
});

/** The case with the position at an index last, whole and in parts. */
function split(
  one: LiquidityCase,
  index: number,
  weights: readonly number[],
): readonly [LiquidityCase, LiquidityCase] {
  const others = one.positions.filter((_, other) => other !== index);
  const whole = one.positions.filter((_, other) => other === index);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = whole.flatMap((position) =>
    weights.map((weight) => ({ ...position, usd: (position.usd * weight) / all })),
  );
  return [
    { ...one, positions: [...others, ...whole] },
    { ...one, positions: [...others, ...parts] },
  ];
}

each('a position that is split gets the same in total, and so do the others, %s', (_, isFirst) => {
  const weights = fc.array(part, { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(liquidityCase, fc.nat(), weights, (one, at, ratio) => {
      const cases = split(one, at % one.positions.length, ratio);
      const [whole = [], pieces = []] = cases.map((each) => holdingsOf(simulate(inputOf(each, isFirst))));
      expectNear(totalOf(pieces).value, totalOf(whole).value, one.supplied);
      expectNear(totalOf(pieces).withdrawable, totalOf(whole).withdrawable, one.supplied);
      for (let other = 0; other < one.positions.length - 1; other++)
        expectNear(pieces[other]?.value, whole[other]?.value, one.supplied);
    }),
    RUNS,
  );
});

each('positions never get more than there is, alone or together, %s', (_, isFirst) => {
  fc.assert(
    fc.property(liquidityCase, (one) => {
      const { value, withdrawable } = totalIn(one, isFirst);
      const rounding = 1e-8 * one.supplied;
      expect(withdrawable).toBeLessThanOrEqual(one.free * one.leftByRun + one.vault.idle + rounding);
      const exists = one.supplied - one.borrowed * (1 - one.covered) + one.vault.idle;
      expect(value).toBeLessThanOrEqual(exists + rounding);
    }),
    RUNS,
  );
});

each('positions get no less when one of them is larger, %s', (_, isFirst) => {
  fc.assert(
    fc.property(liquidityCase, fc.nat(), share, (one, at, less) => {
      const index = at % one.positions.length;
      const positions = one.positions.map((position, other) =>
        other === index ? { ...position, usd: position.usd * less } : position,
      );
      const [small, large] = [totalIn({ ...one, positions }, isFirst), totalIn(one, isFirst)];
      const rounding = 1e-8 * one.supplied;
      expect(large.value).toBeGreaterThanOrEqual(small.value - rounding);
      expect(large.withdrawable).toBeGreaterThanOrEqual(small.withdrawable - rounding);
    }),
    RUNS,
  );
});

each('a vault that has supplied everything to a market is the same as supplying it, %s', (_, isFirst) => {
  fc.assert(
    fc.property(liquidityCase, (one) => {
      const calm = { ...one, leftByRun: 1, vault: { ...one.vault, idle: 0, leftByOutflow: 1 } };
      const usd = Math.min(calm.vault.held, one.supplied * 0.3);
      const direct = totalIn({ ...calm, positions: [{ kind: 'supply', usd }] }, isFirst);
      const through = totalIn({ ...calm, positions: [{ kind: 'vault', usd }] }, isFirst);
      expectNear(through.value, direct.value, one.supplied);
      expectNear(through.withdrawable, direct.withdrawable, one.supplied);
    }),
    RUNS,
  );
});

/** All suppliers of the market, through a fall of its collateral with a live oracle and a run. */
function fallOf(one: LiquidityCase, mine: number, prices: readonly [number, number]) {
  const positions = [mine, one.supplied - mine].map((usd) => ({ kind: 'supply', usd }) as const);
  return simulate({
    ...inputOf({ ...one, positions }),
    vaults: [],
    shocks: [
      {
        kind: 'price',
        subject: 'XUSD',
        path: [
          [0, 1],
          [3, prices[0]],
          [6, prices[1]],
        ],
      },
      {
        kind: 'withdrawable',
        subject: MARKET,
        path: [
          [0, 1],
          [5, one.leftByRun],
        ],
      },
    ],
    markets: [marketOf(one, 'live')],
    depths: new Map([['XUSD', one.borrowed / 50]]),
    horizon_hours: 8,
  });
}

test('all suppliers together have what the market has, whatever is liquidated and written off', () => {
  const price = fc.double({ min: 0.05, max: 1.2, noNaN: true });
  fc.assert(
    fc.property(liquidityCase, fc.tuple(price, price), share, (one, prices, own) => {
      const outcome = fallOf(one, one.supplied * own, prices);
      const last = outcome.markets.get(MARKET)?.at(-1);
      const lost = (last?.bad_debt_usd ?? 0) + (last?.unrealised_bad_debt_usd ?? 0);
      const { value, withdrawable } = totalOf(holdingsOf(outcome));
      expectNear(value, one.supplied - lost, one.supplied);
      expect(withdrawable).toBeLessThanOrEqual((last?.withdrawable_usd ?? 0) + 1e-8 * one.supplied);
    }),
    RUNS,
  );
});

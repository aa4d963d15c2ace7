import { expect, test } from 'vitest';
import { simulate } from '../../models/simulator/simulate.ts';
import { inputOf, keyOf, MARKET, marketOf, totalIn } from './liquidity-cases.ts';
import type { LiquidityCase } from './pro-rata-shares.ts';

const [SUPPLIED, FREE, UNCOVERED] = [9_420_000, 767_653, 8_193_330];
const FAILED: LiquidityCase = {
  supplied: SUPPLIED,
  borrowed: SUPPLIED - FREE,
  free: FREE,
  covered: 1 - UNCOVERED / (SUPPLIED - FREE),
  leftByRun: 1,
  vault: { held: 916_000, idle: 0, leftByOutflow: 1 },
  positions: [],
};

function lossOf(positions: LiquidityCase['positions'], isFirst = false): number {
  const { value } = totalIn({ ...FAILED, positions }, isFirst);
  return positions.reduce((sum, { usd }) => sum + usd, 0) - value;
}
const supply = (usd: number) => ({ kind: 'supply', usd }) as const;

test('takes the same from all of the supply in one position and in four', () => {
  const quarter = supply(SUPPLIED / 4);
  expect(lossOf([supply(SUPPLIED)])).toBeCloseTo(UNCOVERED, 4);
  expect(lossOf([quarter, quarter, quarter, quarter])).toBeCloseTo(UNCOVERED, 4);
});

test('takes its share from a small supplier, and from a vault next to it', () => {
  expect(lossOf([supply(1_000)])).toBeCloseTo((1_000 * UNCOVERED) / SUPPLIED, 6);
  const both = [supply(1_000_000), { kind: 'vault', usd: 916_000 } as const];
  expect(lossOf(both)).toBeCloseTo((1_916_000 * UNCOVERED) / SUPPLIED, 4);
  const { withdrawable } = totalIn({ ...FAILED, positions: both });
  expect(withdrawable).toBeCloseTo((1_916_000 * FREE) / SUPPLIED, 4);
});

test('spares whoever leaves first, up to what is free and not a dollar more', () => {
  expect(lossOf([supply(FREE)], true)).toBe(0);
  expect(lossOf([supply(FREE + 1)], true)).toBeCloseTo(UNCOVERED / (SUPPLIED - FREE), 6);
  expect(lossOf([supply(SUPPLIED)], true)).toBeCloseTo(UNCOVERED, 4);
});

test('takes nothing from whoever left before a debt was written off, and more from all who stayed', () => {
  const one: LiquidityCase = {
    ...{ supplied: 1_000, borrowed: 800, free: 200, covered: 1, leftByRun: 1 },
    vault: { held: 0, idle: 0, leftByOutflow: 1 },
    positions: [supply(100)],
  };
  const outcome = simulate({
    ...inputOf(one),
    shocks: [
      { kind: 'withdrawable', subject: MARKET, path: [[0, 0.5]] },
      {
        kind: 'price',
        subject: 'XUSD',
        path: [
          [0, 1],
          [1, 0.4],
        ],
      },
    ],
    markets: [
      {
        ...marketOf(one, 'live'),
        curve: { kind: 'kinked', base: 0, slope1: 0, slope2: 0, optimal: 0.9 },
      },
    ],
    depths: new Map([['XUSD', 1e15]]),
    horizon_hours: 1,
  });
  const lost = outcome.markets.get(MARKET)?.at(-1)?.bad_debt_usd ?? 0;
  expect(lost).toBeCloseTo(800 - 400 / 1.026, 9);
  // 100 of 1,000 have left, so 900 share the loss.
  expect(outcome.positions.get(keyOf(0))?.attribution.bad_debt).toBeCloseTo((100 * lost) / 900, 9);
});

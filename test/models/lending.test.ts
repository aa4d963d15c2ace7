import { expect, test } from 'vitest';
import { closeFactor, morphoIncentive } from '../../models/liquidation.ts';
import { adaptedRateAtTarget, adaptiveRate, kinkedRate, supplyRate } from '../../models/rates.ts';

const DAY = 86_400;
const YEAR = 31_536_000;

// Aave v3-core, LiquidationLogic: half only where `healthFactor > CLOSE_FACTOR_HF_THRESHOLD`; aave-v3-origin v3.3: and where debt and
// collateral are at least MIN_BASE_MAX_CLOSE_FACTOR_THRESHOLD.
test.each([
  [1, 50_000, 80_000, 0],
  [0.999, 50_000, 80_000, 0.5],
  [0.9501, 50_000, 80_000, 0.5],
  [0.95, 50_000, 80_000, 1],
  [0.9499, 50_000, 80_000, 1],
  [0.99, 1_999, 80_000, 1],
  [0.99, 2_000, 2_000, 0.5],
  [0.99, 50_000, 1_999, 1],
])(
  'at health %f with %i of debt and %i of collateral the close factor is %f',
  (health, debt, collateral, factor) => {
    expect(closeFactor(health, debt, collateral)).toBe(factor);
  },
);

// Incentives of the thresholds that Morpho Blue's governance has enabled.
test.each([
  [0.385, 1.15],
  [0.625, 1.126761],
  [0.77, 1.074114],
  [0.86, 1.043841],
  [0.915, 1.026167],
  [0.945, 1.016777],
  [0.965, 1.010611],
  [0.98, 1.006036],
])('a Morpho market with a threshold of %f pays liquidators %f', (lltv, incentive) => {
  expect(Number(morphoIncentive(BigInt(Math.round(lltv * 1e6)) * 10n ** 12n)) / 1e18).toBeCloseTo(
    incentive,
    6,
  );
});

// Morpho sdks, packages/blue-sdk/test/unit/MarketUtils.test.ts
test('Morpho’s incentive to the last digit', () => {
  expect(morphoIncentive(860000000000000000n)).toBe(1043841336116910229n);
  expect(morphoIncentive(100000000000000000n)).toBe(1150000000000000000n);
});

// Morpho's API for a market that stood at full utilisation from 2025-11-04, one value a day
test('the adaptive rate of a full market grows as it did on chain', () => {
  const published = [0.7885, 0.8952, 1.0321, 1.1842, 1.3591, 1.5656, 1.7942, 2.0589];
  const ratesAtTarget = published.map((_, day) => adaptedRateAtTarget(0.6846 / 4, 1, (day + 1) * DAY));
  for (const [day, rate] of ratesAtTarget.entries())
    expect(Math.abs(adaptiveRate(rate, 1) / (published[day] ?? 0) - 1)).toBeLessThan(0.006);
});

test('the adaptive rate is bounded: it ends at 8, a yield of e⁸ − 1', () => {
  const limit = adaptiveRate(adaptedRateAtTarget(0.5, 1, YEAR), 1);
  expect(limit).toBeCloseTo(8, 12);
  expect(Math.expm1(limit)).toBeCloseTo(2979.957987, 5);
  expect(adaptedRateAtTarget(0.01, 0, 10 * YEAR)).toBe(0.001);
  expect(adaptiveRate(0.04, 0)).toBeCloseTo(0.01, 15);
  expect(adaptiveRate(0.04, 0.9)).toBe(0.04);
});

test('a kinked curve stays finite where one of its slopes has no width', () => {
  const curve = { base: 0.01, slope1: 0.04, slope2: 0.6 };
  expect([0, 1, 1.2].map((utilization) => kinkedRate({ ...curve, optimal: 1 }, utilization))).toEqual([
    0.01, 0.05, 0.05,
  ]);
  expect([0, 1].map((utilization) => kinkedRate({ ...curve, optimal: 0 }, utilization))).toEqual([
    0.01, 0.65,
  ]);
});

test('a kinked curve has its three corners', () => {
  const curve = { base: 0.01, slope1: 0.04, slope2: 0.6, optimal: 0.9 };
  expect([0, 0.9, 1].map((utilization) => kinkedRate(curve, utilization))).toEqual([0.01, 0.05, 0.65]);
  expect(supplyRate(0.05, 0.9, 0.1)).toBeCloseTo(0.0405, 15);
});

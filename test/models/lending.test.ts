import { expect, test } from 'vitest';
import {
  closeFactor,
  compoundSeize,
  healthFactor,
  isProfitable,
  morphoIncentive,
  withdrawableTo,
} from '../../models/liquidation.ts';
import {
  adaptedRateAtTarget,
  adaptiveRate,
  compoundedInterest,
  continuousYield,
  kinkedRate,
  supplyRate,
} from '../../models/rates.ts';

const DAY = 86_400;
const YEAR = 31_536_000;

// Aave utilities, packages/math-utils
test('health factors of Aave’s own cases', () => {
  expect(healthFactor([{ value_usd: 100, threshold: 0.5 }], 30)).toBeCloseTo(5 / 3, 14);
  expect(healthFactor([{ value_usd: 40_000, threshold: 0.6 }], 20_000)).toBeCloseTo(1.2, 14);
  expect(healthFactor([{ value_usd: 40_000, threshold: 0.7 }], 20_000)).toBeCloseTo(1.4, 14);
  expect(healthFactor([], 0)).toBe(Number.POSITIVE_INFINITY);
});

test('interest compounded in ray', () => {
  const rate = 109284236984257451326752610n;
  expect(compoundedInterest(rate, YEAR)).toBe(115479365565265190368974686n);
  expect(compoundedInterest(rate, YEAR / 2)).toBe(56162565879545453589985212n);
  expect(compoundedInterest(rate, 0)).toBe(0n);
});

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

// Compound protocol, tests/Comptroller/liquidateCalculateAmountSeizeTest.js: exchange rate, prices of debt and collateral, incentive,
// repayment, and what that repayment seizes.
test.each([
  [1, 1, 1, 1, 1, 1_000_000_000_000_000_000n],
  [2, 1, 1, 1, 1, 500_000_000_000_000_000n],
  [2, 2, 1.42, 1.3, 2.45, 2_242_957_746_478_873_239n],
  [2.789, 5.230480842, 771.32, 1.3, 10_002.45, 31_616_096_631_969_335_716n],
])(
  'Compound seizes at %f, %f, %f, %f, %f what its test expects',
  (rate, debt, collateral, incentive, repaid, seized) => {
    const wad = (value: number) => BigInt(Math.round(value * 1e9)) * 10n ** 9n;
    const found = compoundSeize({
      repaid: wad(repaid),
      incentive: wad(incentive),
      priceBorrowed: wad(debt),
      priceCollateral: wad(collateral),
      exchangeRate: wad(rate),
    });
    const error = found - seized;
    expect(error < 0n ? -error : error).toBeLessThanOrEqual(10_000_000n);
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
test('Morpho’s incentive and what can be withdrawn up to a utilisation', () => {
  expect(morphoIncentive(860000000000000000n)).toBe(1043841336116910229n);
  expect(morphoIncentive(100000000000000000n)).toBe(1150000000000000000n);
  expect(withdrawableTo(2n * 10n ** 18n, 10n ** 18n, 9n * 10n ** 17n)).toBe(888888888888888888n);
  expect(withdrawableTo(10n ** 18n, 10n ** 18n, 9n * 10n ** 17n)).toBe(0n);
});

test('liquidators act only when the incentive pays for the slippage', () => {
  expect(isProfitable(1.05, 0.04)).toBe(true);
  expect(isProfitable(1.05, 0.05)).toBe(false);
});

// Morpho's API for a market that stood at full utilisation from 2025-11-04, one value a day
test('the adaptive rate of a full market grows as it did on chain', () => {
  const published = [0.7885, 0.8952, 1.0321, 1.1842, 1.3591, 1.5656, 1.7942, 2.0589];
  const ratesAtTarget = published.map((_, day) => adaptedRateAtTarget(0.6846 / 4, 1, (day + 1) * DAY));
  for (const [day, rate] of ratesAtTarget.entries())
    expect(Math.abs(adaptiveRate(rate, 1) / (published[day] ?? 0) - 1)).toBeLessThan(0.006);
});

test('the adaptive rate is bounded: its yield ends at e⁸ − 1', () => {
  const limit = adaptiveRate(adaptedRateAtTarget(0.5, 1, YEAR), 1);
  expect(continuousYield(limit)).toBeCloseTo(2979.957987, 5);
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

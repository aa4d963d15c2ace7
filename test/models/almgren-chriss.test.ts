import { expect, test } from 'vitest';

// Almgren and Chriss (2000), table 1: a million shares over five days.
const SHARES = 1e6;
const DAYS = 5;
const VOLATILITY = 0.95;
const FIXED_COST = 0.0625;
const PERMANENT = 2.5e-7;
const TEMPORARY = 2.5e-6;
const TEMPORARY_NET = TEMPORARY - PERMANENT / 2;

/** Expected cost and variance of selling down to `holdings[k]` at the end of day k, from the definitions (equations 8 and 9). */
function costOf(holdings: readonly number[]): { readonly cost: number; readonly variance: number } {
  const sales = holdings.slice(1).map((left, day) => (holdings[day] ?? 0) - left);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    cost:
      0.5 * PERMANENT * SHARES ** 2 +
      FIXED_COST * sum(sales) +
      TEMPORARY_NET * sum(sales.map((sale) => sale ** 2)),
    variance: VOLATILITY ** 2 * sum(holdings.slice(1).map((left) => left ** 2)),
  };
}

/** Decay rate a day of the best holdings for an aversion to risk. */
const urgencyOf = (aversion: number) => Math.acosh((aversion * VOLATILITY ** 2) / TEMPORARY_NET / 2 + 1);

const bestHoldings = (aversion: number) => {
  const urgency = urgencyOf(aversion);
  return Array.from(
    { length: DAYS + 1 },
    (_, day) => (SHARES * Math.sinh(urgency * (DAYS - day))) / Math.sinh(urgency * DAYS),
  );
};

test('equal parts cost what equations 10 and 11 give', () => {
  const { cost, variance } = costOf([5, 4, 3, 2, 1, 0].map((fifths) => (SHARES * fifths) / 5));
  expect(cost).toBeCloseTo(662_500, 6);
  expect(variance / 1e12).toBeCloseTo(1.083, 9);
});

test('the best holdings have the published cost, variance and half-life', () => {
  expect(1 / urgencyOf(1e-9)).toBeCloseTo(51.3, 2);
  const calm = costOf(bestHoldings(1e-9));
  expect(calm.cost / 1e6).toBeCloseTo(0.6625, 4);
  expect(calm.variance / 1e12).toBeCloseTo(1.0812, 4);
  expect(urgencyOf(1e-6)).toBeCloseTo(0.607, 3);
  const averse = costOf(bestHoldings(1e-6));
  expect(averse.cost).toBeCloseTo(911_227, -1);
  expect(averse.variance / 1e11).toBeCloseTo(3.6413, 3);
});

test('no other holdings are better for their aversion to risk', () => {
  const aversion = 1e-6;
  const utility = (holdings: readonly number[]) => {
    const { cost, variance } = costOf(holdings);
    return cost + aversion * variance;
  };
  const best = bestHoldings(aversion);
  for (const day of [1, 2, 3, 4])
    for (const change of [-1_000, -1, 1, 1_000])
      expect(utility(best.with(day, (best[day] ?? 0) + change))).toBeGreaterThan(utility(best));
});

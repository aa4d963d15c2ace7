import { expect, test } from 'vitest';

// Fraxlend's CRV market on 1 August 2023, as Delphi Digital described it that day: full, at 81.2 % a year, the rate doubling every 12
// hours up to its maximum; 15.8 million FRAX owed against 59 million CRV, at most 75 % of the value lent.
const RATE = 0.812;
const MAX_RATE = 99.69;
const DOUBLING_DAYS = 0.5;
const DEBT = 15.8e6;
const COLLATERAL = 59e6;
const MAX_LOAN_TO_VALUE = 0.75;

/** Simple interest after so many days, a fraction of the debt. */
function interestAfter(days: number): number {
  const steps = 10_000;
  let sum = 0;
  for (let step = 0; step < steps; step++) {
    const at = ((step + 0.5) / steps) * days;
    sum += Math.min(MAX_RATE, RATE * 2 ** (at / DOUBLING_DAYS));
  }
  return (sum / steps / 365) * days;
}

const liquidationPriceAfter = (days: number) =>
  (DEBT * (1 + interestAfter(days))) / (COLLATERAL * MAX_LOAN_TO_VALUE);

test('a full market reaches its maximum of almost 10,000 % in three and a half days', () => {
  const days = DOUBLING_DAYS * Math.log2(MAX_RATE / RATE);
  expect(days).toBeCloseTo(3.5, 1);
});

test('the loan can be liquidated below .517 after four and a half days', () => {
  expect(liquidationPriceAfter(0)).toBeCloseTo(0.357, 3);
  expect(Math.abs(liquidationPriceAfter(4.5) / 0.517 - 1)).toBeLessThan(0.05);
});

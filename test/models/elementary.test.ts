import { expect, test } from 'vitest';
import { chiSquareTail1, erfc, exp, ln } from '../../models/elementary.ts';
import { normalCdf } from './closed-forms.ts';

const close = (value: number, expected: number, tolerance: number) =>
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(expected)));

test('the logarithm agrees with the platform’s over 600 orders of magnitude', () => {
  for (let x = 1e-300; x < 1e300; x *= 1.37) close(ln(x), Math.log(x), 4e-16);
  expect(ln(1)).toBe(0);
  expect(ln(0)).toBe(Number.NEGATIVE_INFINITY);
  expect(ln(-1)).toBeNaN();
  expect(ln(Number.NaN)).toBeNaN();
});

test('the exponential agrees with the platform’s from −700 to 700', () => {
  for (let x = -700; x < 700; x += 0.371) expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(3e-13);
  for (let x = -2; x < 2; x += 0.01) close(exp(x), Math.exp(x), 5e-16);
  expect([exp(0), exp(710), exp(-800)]).toEqual([1, Number.POSITIVE_INFINITY, 0]);
});

test.each([
  // Abramowitz and Stegun, table 7.1, and 7.2 for large arguments
  [0, 1],
  [0.5, 0.4795001222],
  [1, 0.1572992071],
  [1.5, 0.0338948535],
  [2, 0.0046777349],
  [3, 0.0000220905],
  [4, 1.541726e-8],
  [-1, 1.8427007929],
])('erfc(%f) is %f', (x, expected) => {
  close(erfc(x), expected, 1e-10);
});

test('the normal distribution and χ² have their known quantiles', () => {
  close(normalCdf(1.6448536269514722), 0.95, 1e-13);
  close(normalCdf(-2.3263478740408408), 0.01, 1e-13);
  close(chiSquareTail1(3.841458820694124), 0.05, 1e-12);
});

import { expect, test } from 'vitest';
import {
  baselZone,
  binomialCdf,
  christoffersen,
  conditionalCoverage,
  kupiec,
} from '../../models/var-tests.ts';

// The first two as printed in MathWorks' documentation of varbacktest.pof; all recomputed independently.
test.each([
  [1043, 57, 0.05, 0.46147, 0.49694],
  [1043, 17, 0.01, 3.5118, 0.060933],
  [1043, 59, 0.05, 0.91023, 0.34005],
  [1043, 12, 0.01, 0.22768, 0.63325],
  [1043, 22, 0.01, 9.8298, 0.0017171],
])('Kupiec: %i trials with %i exceedances at %f', (trials, exceedances, rate, statistic, p) => {
  const result = kupiec(trials, exceedances, rate);
  expect(Math.abs(result.statistic / statistic - 1)).toBeLessThan(1e-4);
  expect(Math.abs(result.p_value / p - 1)).toBeLessThan(1e-4);
});

test('Kupiec is defined where nothing or everything exceeds', () => {
  expect(kupiec(250, 0, 0.01).statistic).toBeCloseTo(-2 * 250 * Math.log(0.99), 10);
  expect(kupiec(10, 10, 0.01).p_value).toBeLessThan(1e-9);
});

// Basel committee 1996, table 1: cumulative probabilities for 250 days at 99 %
test.each([
  [4, 89.22, 'green'],
  [5, 95.88, 'yellow'],
  [9, 99.97, 'yellow'],
  [10, 99.99, 'red'],
])('Basel: at most %i exceedances have %f %', (count, percent, zone) => {
  expect(Math.abs(binomialCdf(count, 250, 0.01) * 100 - percent)).toBeLessThan(0.01);
  expect(baselZone(250, count, 0.01)).toBe(zone);
});

const series = (text: string) => [...text].map((letter) => letter === 'x');

test('Christoffersen: spread hits are independent, bunched ones are not', () => {
  const spread = series('.........x'.repeat(30));
  const bunched = series(`${'.'.repeat(270)}${'x'.repeat(30)}`);
  expect(christoffersen(spread).p_value).toBeGreaterThan(0.005);
  expect(christoffersen(bunched).p_value).toBeLessThan(1e-9);
});

test('Christoffersen: the statistic of a small table is the likelihood ratio by hand', () => {
  // Transitions 00: 3, 01: 2, 10: 2, 11: 1
  const hits = series('..x..xx..'.replace('..x..xx..', '...x.xx..'));
  const [n00, n01, n10, n11] = [3, 2, 2, 1];
  const p = (n01 + n11) / 8;
  const [p0, p1] = [n01 / 5, n11 / 3];
  const byHand =
    2 *
    (n00 * Math.log(1 - p0) +
      n01 * Math.log(p0) +
      n10 * Math.log(1 - p1) +
      n11 * Math.log(p1) -
      (n00 + n10) * Math.log(1 - p) -
      (n01 + n11) * Math.log(p));
  expect(christoffersen(hits).statistic).toBeCloseTo(byHand, 10);
});

test('conditional coverage adds both statistics', () => {
  const hits = series('.........x'.repeat(30));
  const { statistic } = conditionalCoverage(hits, 0.05);
  expect(statistic).toBeCloseTo(kupiec(300, 30, 0.05).statistic + christoffersen(hits).statistic, 12);
});

// scipy.stats.binom.cdf; the chance of no exceedance at all is below what a double can hold from 14,525 trials on
test.each([
  [20_000, 1_000, 0.05, 0.508412, 'green'],
  [20_000, 1_051, 0.05, 0.951784, 'yellow'],
  [80_000, 4_300, 0.05, 0.9999993, 'red'],
])('Basel: %i trials with %i exceedances at %f', (trials, count, rate, share, zone) => {
  expect(binomialCdf(count, trials, rate)).toBeCloseTo(share, 6);
  expect(baselZone(trials, count, rate)).toBe(zone);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ascendingOf,
  expectedShortfall,
  quantile,
  quantileInterval,
  wilsonInterval,
} from '../../models/estimates.ts';

const hundred = Array.from({ length: 100 }, (_, i) => i + 1);

test('a quantile is the ⌈level · n⌉-th smallest value', () => {
  expect([0.01, 0.05, 0.5, 0.95, 0.951, 1].map((level) => quantile(hundred, level))).toEqual([
    1, 5, 50, 95, 96, 100,
  ]);
  // .95 · 20 is above 19 in floating point
  expect(quantile(hundred.slice(0, 20), 0.95)).toBe(19);
  expect(() => quantile([], 0.5)).toThrow(RangeError);
  expect(() => quantile(hundred, 0)).toThrow(RangeError);
  expect(() => quantile(hundred, 1.1)).toThrow(RangeError);
});

test('its interval has the ranks n·p ± 1.96 √(n·p·(1 − p))', () => {
  expect(quantileInterval(hundred, 0.5)).toEqual({ from: 40, to: 60 });
  expect(quantileInterval(hundred, 0.99)).toEqual({ from: 97, to: 100 });
});

test('expected shortfall is the mean from the quantile upward, with its error', () => {
  const { value, count, standard_error } = expectedShortfall(hundred, 0.95);
  expect([value, count]).toEqual([97.5, 6]);
  // s² of 95 … 100 is 3.5, VaR is 95
  expect(standard_error).toBeCloseTo(Math.sqrt((3.5 + (1 - 6 / 100) * 2.5 ** 2) / 6), 12);
  expect(expectedShortfall([3], 0.95)).toEqual({ value: 3, count: 1, standard_error: 0 });
});

test('the error of expected shortfall is what repeated samples show', () => {
  let state = 1;
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const runs = Array.from({ length: 400 }, () =>
    expectedShortfall(ascendingOf(Array.from({ length: 500 }, uniform)), 0.95),
  );
  const mean = runs.reduce((sum, { value }) => sum + value, 0) / runs.length;
  const spread = Math.sqrt(runs.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / (runs.length - 1));
  const claimed = runs.reduce((sum, { standard_error }) => sum + standard_error, 0) / runs.length;
  expect(claimed / spread).toBeGreaterThan(0.85);
  expect(claimed / spread).toBeLessThan(1.2);
});

// Wilson 1927, as tabulated by Newcombe 1998: 81 of 263 is .2553 to .3662, 0 of 20 is 0 to .1611, 1 of 29 is .0061 to .1718
test.each([
  [81, 263, 0.2553, 0.3662],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('Wilson: %i of %i', (successes, trials, from, to) => {
  const interval = wilsonInterval(successes, trials);
  expect(Math.abs(interval.from - from)).toBeLessThan(1e-4);
  expect(Math.abs(interval.to - to)).toBeLessThan(1e-4);
});

test('values are put in the order of numbers, whatever their signs and sizes', () => {
  const smallest = Number.MIN_VALUE;
  expect(ascendingOf([3, -0, 0, -2, Number.POSITIVE_INFINITY, -smallest, smallest, -5, -5])).toEqual(
    Float64Array.of(-5, -5, -2, -smallest, -0, 0, smallest, 3, Number.POSITIVE_INFINITY),
  );
  expect(ascendingOf([])).toEqual(new Float64Array());
  fc.assert(
    fc.property(fc.float64Array({ noNaN: true }), (values) => {
      expect(ascendingOf(values)).toEqual(values.toSorted());
    }),
  );
});

import { expect, test } from 'vitest';
import { slope } from './growth-fit.ts';

test('the slope in log-log is the exponent of the growth', () => {
  const sizes = [10, 100, 1_000];
  expect(slope(sizes.map((size) => [size, 7]))).toBeCloseTo(0);
  expect(slope(sizes.map((size) => [size, 3 * size]))).toBeCloseTo(1);
  expect(slope(sizes.map((size) => [size, size ** 2]))).toBeCloseTo(2);
  expect(slope(sizes.map((size) => [size, 0]))).toBeCloseTo(0);
});

import { expect, test } from 'vitest';
import { expectedShortfall, quantile } from '../../models/estimates.ts';
import { openStream } from '../../models/random-stream.ts';
import { DANISH_CLAIMS, DANISH_LARGE_CLAIMS } from './danish-fire.ts';
import { fitTail, tailQuantile, tailShortfall } from './tail-fit.ts';

test('the tail of the Danish fire claims is the published one', () => {
  expect(DANISH_LARGE_CLAIMS).toHaveLength(109);
  const fit = fitTail(DANISH_LARGE_CLAIMS.map((claim) => claim - 10));
  expect(fit.shape).toBeCloseTo(0.49699, 4);
  expect(fit.scale).toBeCloseTo(6.9755, 3);
  const tail = { ...fit, threshold: 10, share: 109 / DANISH_CLAIMS };
  expect(tailQuantile(tail, 0.99)).toBeCloseTo(27.29, 1);
  expect(tailShortfall(tail, 0.99)).toBeCloseTo(58.24, 1);
});

test('a quantile and shortfall of the estimates agree with the tail that the sample is drawn from', () => {
  // Drawn by inversion from the fitted tail; its variance is finite as the shape is below a half.
  const tail = { shape: 0.3, scale: 7, threshold: 10, share: 1 };
  const stream = openStream(11, 0, 0);
  const sample = Float64Array.from({ length: 200_000 }, () => tailQuantile(tail, stream.fraction())).sort();
  expect(quantile(sample, 0.99) / tailQuantile(tail, 0.99)).toBeCloseTo(1, 1);
  const { value, standard_error } = expectedShortfall(sample, 0.99);
  expect(Math.abs(value - tailShortfall(tail, 0.99))).toBeLessThan(3 * standard_error);
});

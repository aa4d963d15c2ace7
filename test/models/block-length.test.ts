import { expect, test } from 'vitest';
import { optimalBlockLength } from '../../models/block-length.ts';
import { numpyNormals } from './numpy-random.ts';

// Printed by numpy.random.RandomState(0).standard_normal(3)
test('the draws of numpy are reproduced', () => {
  expect(numpyNormals(0, 3).map((value) => value.toFixed(8))).toEqual([
    '1.76405235',
    '0.40015721',
    '0.97873798',
  ]);
});

// arch, arch/tests/bootstrap/test_block_length.py: an AR(1) series with coefficient .3, the first 100 of 10,100 values dropped
test('the block lengths of a published series', () => {
  const series = numpyNormals(0, 10_100);
  for (let i = 1; i < series.length; i++) series[i] = 0.3 * (series[i - 1] ?? 0) + (series[i] ?? 0);
  const length = optimalBlockLength(series.slice(100));
  expect(Math.abs((length?.stationary ?? 0) / 13.635665 - 1)).toBeLessThan(1e-4);
  expect(Math.abs((length?.circular ?? 0) / 15.60894 - 1)).toBeLessThan(1e-4);
});

test('there is no estimate for a constant or very short series', () => {
  expect(optimalBlockLength(new Array<number>(100).fill(3))).toBeNull();
  expect(optimalBlockLength([1, 2, 3])).toBeNull();
});

test('a series with a longer memory needs longer blocks', () => {
  const lengths = [0.1, 0.5, 0.9].map((memory) => {
    const series = numpyNormals(7, 3_000);
    for (let i = 1; i < series.length; i++) series[i] = memory * (series[i - 1] ?? 0) + (series[i] ?? 0);
    return optimalBlockLength(series)?.stationary ?? 0;
  });
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
});

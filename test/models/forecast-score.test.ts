import { expect, test } from 'vitest';
import {
  brierScore,
  climatologyScore,
  reliabilityBins,
  type ScoredForecast,
  verdictOf,
} from '../../models/forecast-score.ts';

const forecasts = (probability: number, hits: number, misses: number): readonly ScoredForecast[] => [
  ...Array.from({ length: hits }, () => ({ probability, isTrue: true })),
  ...Array.from({ length: misses }, () => ({ probability, isTrue: false })),
];

test('the Brier score is the mean squared error, and climatology is r(1 − r)', () => {
  expect(brierScore([...forecasts(1, 3, 0), ...forecasts(0, 0, 2)])).toBe(0);
  expect(brierScore(forecasts(0.5, 1, 7))).toBe(0.25);
  expect(brierScore(forecasts(0.9, 1, 1))).toBeCloseTo((0.01 + 0.81) / 2, 15);
  expect(climatologyScore(forecasts(0.9, 1, 3))).toBe(0.1875);
  expect(brierScore([])).toBe(null);
  expect(climatologyScore([])).toBe(null);
});

test('bins have the width of a tenth, include their lower end, and the last one includes 1', () => {
  const bins = reliabilityBins([0, 0.0999, 0.1, 0.7, 0.9, 1].flatMap((one) => forecasts(one, 1, 0)));
  expect(bins.map(({ from, forecasts: count }) => [from, count])).toEqual([
    [0, 2],
    [0.1, 1],
    [0.7, 1],
    [0.9, 2],
  ]);
  const [bin] = reliabilityBins([...forecasts(0.2, 1, 2), ...forecasts(0.28, 0, 1)]);
  expect(bin?.mean_probability).toBeCloseTo(0.22, 15);
  expect(bin?.observed_share).toBe(0.25);
  // Wilson's interval of 1 in 4
  expect(bin?.interval.from).toBeCloseTo(0.0456, 4);
  expect(bin?.interval.to).toBeCloseTo(0.6994, 4);
});

const RULE = { min_forecasts: 40, min_outcomes: 5, min_bin_forecasts: 10 };

test('forecasts pass that are reliable and better than climatology', () => {
  expect(verdictOf([...forecasts(0.1, 2, 18), ...forecasts(0.9, 18, 2)], RULE)).toBe('pass');
});

test.each<[string, readonly ScoredForecast[], string]>([
  ['one forecast too few', [...forecasts(0.1, 2, 18), ...forecasts(0.9, 18, 1)], 'insufficient'],
  ['one miss too few', [...forecasts(0.1, 0, 4), ...forecasts(0.9, 40, 0)], 'insufficient'],
  ['one hit too few', [...forecasts(0.1, 0, 40), ...forecasts(0.9, 4, 0)], 'insufficient'],
  ['none', [], 'insufficient'],
  ['a bin outside of its interval', [...forecasts(0.5, 2, 18), ...forecasts(0.9, 18, 2)], 'fail'],
  ['such a bin of 9 is not judged', [...forecasts(0.5, 0, 9), ...forecasts(0.9, 29, 3)], 'pass'],
  ['no better than climatology', forecasts(0.5, 20, 20), 'fail'],
  ['everything the wrong way round', [...forecasts(0.9, 2, 18), ...forecasts(0.1, 18, 2)], 'fail'],
])('%s', (_, list, verdict) => {
  expect(verdictOf(list, RULE)).toBe(verdict);
});

import { expect, test } from 'vitest';
import {
  brierScore,
  climatologyScore,
  reliabilityBins,
  type ScoredForecast,
  verdictOf,
} from '../../models/forecast-score.ts';

const FORTNIGHT = 14 * 86_400;
/** One in each fortnight, the hits first. */
const forecasts = (probability: number, hits: number, misses: number): readonly ScoredForecast[] =>
  Array.from({ length: hits + misses }, (_, i) => ({ at: i * FORTNIGHT, probability, isTrue: i < hits }));

test('the Brier score is the mean squared error; climatology is that of the share of all other fortnights', () => {
  expect(brierScore([...forecasts(1, 3, 0), ...forecasts(0, 0, 2)])).toBe(0);
  expect(brierScore(forecasts(0.5, 1, 7))).toBe(0.25);
  expect(brierScore(forecasts(0.9, 1, 1))).toBeCloseTo((0.01 + 0.81) / 2, 15);
  // The hit knows 0 of 3, each miss 1 of 3.
  expect(climatologyScore(forecasts(0.9, 1, 3))).toBeCloseTo((1 + 3 / 9) / 4, 15);
  const together = forecasts(0.9, 2, 2).map((one, i) => ({ ...one, at: i < 3 ? 0 : FORTNIGHT }));
  expect(climatologyScore(together)).toBeCloseTo((2 * 1 + 0 + (2 / 3) ** 2) / 4, 15);
  expect(climatologyScore(together.map((one) => ({ ...one, at: 0 })))).toBe(null);
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

const RULE = { min_forecasts: 40, min_outcomes: 5 };
const good = [...forecasts(0.1, 2, 18), ...forecasts(0.9, 18, 2)];

test.each<[string, readonly ScoredForecast[], number | null, string]>([
  ['reliable and better than climatology', good, 0.05, 'pass'],
  ['better than climatology, and not reliable', good, 0.0499, 'fail'],
  ['too few fortnights', good, null, 'insufficient'],
  ['one forecast too few', [...forecasts(0.1, 2, 18), ...forecasts(0.9, 18, 1)], 0.5, 'insufficient'],
  ['one miss too few', [...forecasts(0.1, 0, 4), ...forecasts(0.9, 40, 0)], 0.5, 'insufficient'],
  ['one hit too few', [...forecasts(0.1, 0, 40), ...forecasts(0.9, 4, 0)], 0.5, 'insufficient'],
  ['none', [], null, 'insufficient'],
  ['no better than climatology', forecasts(0.7, 20, 20), 0.5, 'fail'],
  ['everything the wrong way round', [...forecasts(0.9, 2, 18), ...forecasts(0.1, 18, 2)], 0.5, 'fail'],
])('%s', (_, list, p_value, verdict) => {
  expect(verdictOf(list, { p_value }, RULE)).toBe(verdict);
});

import { expect, test } from 'vitest';
import { calibrationTest, type DatedForecast } from '../../models/calibration-test.ts';
import { seededRandom } from '../support/seeded-random.ts';

const FORTNIGHT = 14 * 86_400;
const forecast = (block: number, probability: number, isTrue: boolean): DatedForecast => ({
  at: block * FORTNIGHT + 86_400,
  probability,
  isTrue,
});

/** Forecasts of so many fortnights; `happens` turns a probability into what is really likely. */
function fortnights(seed: number, blocks: number, happens: (probability: number) => number): DatedForecast[] {
  const random = seededRandom(seed);
  return Array.from({ length: blocks * 20 }, (_, i) => {
    const probability = random();
    return forecast(Math.floor(i / 20), probability, random() < happens(probability));
  });
}

const shareBelow = (level: number, happens: (probability: number) => number, blocks = 7) => {
  const runs = 400;
  const values = Array.from({ length: runs }, (_, run) =>
    calibrationTest(fortnights(run + 1, blocks, happens)),
  );
  return values.filter(({ p_value }) => p_value !== null && p_value < level).length / runs;
};

test('right probabilities seldom fail', () => {
  for (const level of [0.05, 0.2]) expect(shareBelow(level, (p) => p)).toBeLessThan(level);
  // Rare outcomes: in most fortnights nothing happens, and all errors are of one sign.
  const random = seededRandom(5);
  const rare = () =>
    Array.from({ length: 140 }, (_, i) => forecast(Math.floor(i / 20), 0.01, random() < 0.01));
  const tilted = () => rare().map((one, i) => ({ ...one, probability: i % 2 === 0 ? 0.01 : 0.012 }));
  const values = Array.from({ length: 200 }, () => calibrationTest(tilted()).p_value ?? 1);
  expect(values.filter((p) => p < 0.05).length / 200).toBeLessThan(0.05);
});

test('probabilities that are too high, too bold or too timid fail', () => {
  expect(shareBelow(0.05, (p) => p * 0.6)).toBeGreaterThan(0.8);
  expect(shareBelow(0.05, (p) => 0.5 + (p - 0.5) * 0.3)).toBeGreaterThan(0.8);
  expect(shareBelow(0.05, (p) => (p < 0.5 ? p * 0.2 : 1 - (1 - p) * 0.2))).toBeGreaterThan(0.8);
});

test('what happens to all forecasts of a fortnight at once is one case, not many', () => {
  const together = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 7 }, (_, block) => {
      const probability = random();
      const isTrue = random() < probability;
      return Array.from({ length: 40 }, () => forecast(block, probability, isTrue));
    }).flat();
  };
  const values = Array.from({ length: 300 }, (_, run) => calibrationTest(together(run + 1)).p_value ?? 1);
  // Seven outcomes are few for T²: a quarter fails, where 280 independent ones would nearly always.
  expect(values.filter((p) => p < 0.05).length / 300).toBeLessThan(0.3);
});

test('against the formula of T² with three degrees of freedom', () => {
  // Sums of e: 1, −1, 2, 1, 0; of e (p − ½): worked out by hand below.
  const list = [
    forecast(0, 0, true),
    forecast(1, 1, false),
    ...[forecast(2, 0, true), forecast(2, 0, true)],
    forecast(3, 0.5, true),
    ...[forecast(4, 0, false), forecast(4, 1, true)],
  ];
  const sums = [
    [1, -0.5],
    [-1, -0.5],
    [2, -1],
    [0.5, 0],
    [0, 0],
  ] as const;
  const n = sums.length;
  const mean = [0, 1].map((i) => sums.reduce((total, own) => total + (own[i as 0 | 1] ?? 0), 0) / n);
  const covariance = (i: 0 | 1, j: 0 | 1) =>
    sums.reduce((total, own) => total + (own[i] - (mean[i] ?? 0)) * (own[j] - (mean[j] ?? 0)), 0) / (n - 1);
  const [a, b, c] = [covariance(0, 0), covariance(0, 1), covariance(1, 1)];
  const [x = 0, y = 0] = mean;
  const t2 = (n * (c * x * x - 2 * b * x * y + a * y * y)) / (a * c - b * b);
  // F with 2 and n − 2 degrees of freedom has a survival function in closed form.
  const f = (t2 * (n - 2)) / (2 * (n - 1));
  const p = (1 + (2 * f) / (n - 2)) ** (-(n - 2) / 2);
  // Forecasts of 0, 1 and ½ alone have no slope to compare with if they are independent.
  expect(calibrationTest(list)).toEqual({ blocks: 5, p_value: expect.closeTo(p, 12) });
});

test('too few fortnights, forecasts that are all alike, and forecasts that are always right', () => {
  const alike = (isTrue: (block: number) => boolean, blocks: number) =>
    Array.from({ length: blocks }, (_, block) => forecast(block, 0.5, isTrue(block)));
  expect(calibrationTest([])).toEqual({ blocks: 0, p_value: null });
  expect(calibrationTest(fortnights(1, 3, (p) => p)).p_value).toBeNull();
  expect(calibrationTest(alike((block) => block % 2 === 0, 6))).toEqual({ blocks: 6, p_value: null });
  const right = Array.from({ length: 10 }, (_, block) => forecast(block, block % 2, block % 2 === 1));
  expect(calibrationTest(right)).toEqual({ blocks: 10, p_value: 1 });
});

import { expect, test } from 'vitest';
import { byTables, calibrationTest, type DatedForecast } from '../../models/calibration-test.ts';
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

type History = (seed: number) => readonly DatedForecast[];

/** Share of worlds that fail at .05. */
function failing(world: History, runs = 200): number {
  const values = Array.from({ length: runs }, (_, run) => calibrationTest(world(run + 1)).p_value ?? 1);
  return values.filter((p) => p < 0.05).length / runs;
}

const apart =
  (happens: (probability: number) => number): History =>
  (seed) =>
    fortnights(seed, 7, happens);

/** Within each group of a fortnight outcomes follow one chance, and probabilities differ by up to `jitter`. */
const together =
  (happens: (p: number) => number, { groups = 1, blocks = 7, jitter = 0.4 } = {}): History =>
  (seed) => {
    const random = seededRandom(seed);
    return Array.from({ length: blocks * groups }, (_, place) => {
      const [middle, chance] = [random(), random()];
      return Array.from({ length: 40 / groups }, () => {
        const probability = Math.min(1, Math.max(0, middle + (random() - 0.5) * jitter));
        return forecast(Math.floor(place / groups), probability, chance < happens(probability));
      });
    }).flat();
  };

/** In most fortnights nothing happens, and all errors are of one sign. */
const rare =
  (factor: number): History =>
  (seed) => {
    const random = seededRandom(seed);
    const probabilities = Array.from({ length: 140 }, (_, i) => (i % 2 === 0 ? 0.01 : 0.012));
    return probabilities.map((p, i) => forecast(Math.floor(i / 20), p, random() < p * factor));
  };

// Two standard errors of 200 runs at .05 are .03.
test.each<[string, History, number]>([
  ['outcomes are independent', apart((p) => p), 0.08],
  ['outcomes are rare', rare(1), 0.08],
  ['groups of a fortnight move together', together((p) => p, { groups: 8 }), 0.1],
  ['all of a fortnight moves together', together((p) => p), 0.14],
  ['all of a fortnight moves together, and forecasts are alike', together((p) => p, { jitter: 0 }), 0.14],
  ['all moves together, over half a year', together((p) => p, { blocks: 13 }), 0.1],
])('right probabilities seldom fail where %s', (_, world, most) => {
  expect(failing(world)).toBeLessThan(most);
});

test.each<[string, History, number]>([
  ['too high', apart((p) => p * 0.6), 0.85],
  ['too bold', apart((p) => 0.5 + (p - 0.5) * 0.3), 0.75],
  ['too timid', apart((p) => (p < 0.5 ? p * 0.2 : 1 - (1 - p) * 0.2)), 0.9],
  ['too high while groups move together', together((p) => p * 0.5, { groups: 8 }), 0.5],
  ['much too high while all moves together', together((p) => p * 0.1, { blocks: 13 }), 0.4],
])('probabilities that are %s fail', (_, world, least) => {
  expect(failing(world)).toBeGreaterThan(least);
});

test('the order of the forecasts does not matter', () => {
  const forecasts = together((p) => p, { groups: 8 })(3);
  expect(calibrationTest(forecasts.toReversed())).toEqual(calibrationTest(forecasts));
});

test('against the formula of T² with three degrees of freedom', () => {
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
  const blocks = sums.map(([level, slope]) => ({ level, slope }));
  // A spread of independent forecasts that has one direction alone says nothing.
  expect(byTables(blocks, { a: 1, b: 1, c: 1 })).toBeCloseTo(p, 12);
  // One that is wide says that errors of this size are nothing.
  expect(byTables(blocks, { a: 1e6, b: 0, c: 1e6 })).toBeCloseTo(1, 4);
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

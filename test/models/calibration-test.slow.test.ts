import { expect, test } from 'vitest';
import { distanceOf, spreadsOf, dependence } from '../../models/calibration-spread.ts';
import { calibrationTest, type DatedForecast } from '../../models/calibration-test.ts';
import { COUNTS } from '../reliability/counts.ts';
import { seededRandom } from '../support/seeded-random.ts';

const FORTNIGHT = 14 * 86_400;
const forecast = (block: number, probability: number, isTrue: boolean): DatedForecast => ({
  at: block * FORTNIGHT + 86_400,
  probability,
  isTrue,
});

/** Forecasts over `blocks` fortnights; `happens` turns a forecast probability into the true one. */
function fortnights(seed: number, blocks: number, happens: (probability: number) => number): DatedForecast[] {
  const random = seededRandom(seed);
  return Array.from({ length: blocks * 20 }, (_, i) => {
    const probability = random();
    return forecast(Math.floor(i / 20), probability, random() < happens(probability));
  });
}

type History = (seed: number) => readonly DatedForecast[];

/** Share of generated histories that fail at .05. */
function failing(world: History, runs = COUNTS.calibrationWorlds): number {
  const values = Array.from({ length: runs }, (_, run) => calibrationTest(world(run + 1)).p_value ?? 1);
  return values.filter((p) => p < 0.05).length / runs;
}

const apart =
  (happens: (probability: number) => number): History =>
  (seed) =>
    fortnights(seed, 7, happens);

/** Within each group of a fortnight outcomes follow one chance, and probabilities differ by up to `jitter`. */
const together =
  (
    happens: (p: number) => number,
    { groups = 1, blocks = 7, jitter = 0.4, from = 0, to = 1 } = {},
  ): History =>
  (seed) => {
    const random = seededRandom(seed);
    return Array.from({ length: blocks * groups }, (_, index) => {
      const [middle, chance] = [from + (to - from) * random(), random()];
      return Array.from({ length: 40 / groups }, () => {
        const probability = Math.min(1, Math.max(0, middle + (random() - 0.5) * jitter));
        return forecast(Math.floor(index / groups), probability, chance < happens(probability));
      });
    }).flat();
  };

/** In most fortnights nothing happens, and all errors have the same sign. */
const rare =
  (factor: number): History =>
  (seed) => {
    const random = seededRandom(seed);
    const probabilities = Array.from({ length: 140 }, (_, i) => (i % 2 === 0 ? 0.01 : 0.012));
    return probabilities.map((p, i) => forecast(Math.floor(i / 20), p, random() < p * factor));
  };

// Two standard errors of 200 runs at .05 are .03, of 60 runs .06; the worlds are the same each time.
test.each<[string, History]>([
  ['outcomes are independent', apart((p) => p)],
  ['outcomes are rare', rare(1)],
  ['groups of a fortnight move together', together((p) => p, { groups: 8 })],
  ['two groups of a fortnight move together', together((p) => p, { groups: 2 })],
  ['all of a fortnight moves together', together((p) => p)],
  ['all of a fortnight moves together, and forecasts are alike', together((p) => p, { jitter: 0 })],
  ['all moves together and is likely', together((p) => p, { from: 0.7, jitter: 0.2 })],
  ['all moves together and is unlikely', together((p) => p, { to: 0.3, jitter: 0.2 })],
  ['all moves together, over half a year', together((p) => p, { blocks: 13 })],
  ['all moves together, over two months', together((p) => p, { blocks: 4 })],
])('correct probabilities rarely fail if %s', (_, world) => {
  expect(failing(world)).toBeLessThan(0.08);
});

test.each<[string, History, number]>([
  ['too high', apart((p) => p * 0.6), 0.95],
  ['too bold', apart((p) => 0.5 + (p - 0.5) * 0.3), 0.95],
  ['too timid', apart((p) => (p < 0.5 ? p * 0.2 : 1 - (1 - p) * 0.2)), 0.9],
  ['an eighth of what is rare', rare(8), 0.9],
  ['too high while groups move together', together((p) => p * 0.5, { groups: 8 }), 0.9],
  ['much too high while all moves together', together((p) => p * 0.2), 0.6],
  ['much too high while all moves together, over half a year', together((p) => p * 0.2, { blocks: 13 }), 0.9],
])('probabilities that are %s fail', (_, world, min) => {
  expect(failing(world, COUNTS.calibrationWorlds / 2)).toBeGreaterThan(min);
});

test('the order of the forecasts does not matter', () => {
  const forecasts = together((p) => p, { groups: 8 })(3);
  expect(calibrationTest(forecasts.toReversed())).toEqual(calibrationTest(forecasts));
});

/** Second moments of the sums over all possible outcomes, each weighted with its probability. */
function enumerated(probabilities: readonly number[], chanceOf: (outcomes: readonly boolean[]) => number) {
  const moments = { a: 0, b: 0, c: 0 };
  for (let bits = 0; bits < 2 ** probabilities.length; bits++) {
    const outcomes = probabilities.map((_, i) => Math.floor(bits / 2 ** i) % 2 === 1);
    const errors = probabilities.map((p, i) => (outcomes[i] === true ? 1 : 0) - p);
    const level = errors.reduce((sum, error) => sum + error, 0);
    const slope = errors.reduce((sum, error, i) => sum + error * ((probabilities[i] ?? 0) - 0.5), 0);
    const chance = chanceOf(outcomes);
    moments.a += chance * level * level;
    moments.b += chance * level * slope;
    moments.c += chance * slope * slope;
  }
  return moments;
}

test('the spread of independent outcomes, and of outcomes that follow one chance, equals a count of every case', () => {
  const own = [0.1, 0.35, 0.35, 0.8];
  const { apart, together: common } = spreadsOf([Float64Array.from(own)]);
  const independent = enumerated(own, (outcomes) =>
    own.reduce((chance, p, i) => chance * (outcomes[i] === true ? p : 1 - p), 1),
  );
  // One chance u: what is likelier than u comes true.
  const oneChance = enumerated(own, (outcomes) => {
    const from = Math.max(0, ...own.filter((_, i) => outcomes[i] === false));
    const to = Math.min(1, ...own.filter((_, i) => outcomes[i] === true));
    return Math.max(0, to - from);
  });
  for (const key of ['a', 'b', 'c'] as const) {
    expect(apart[key]).toBeCloseTo(independent[key], 12);
    expect(common[key]).toBeCloseTo(oneChance[key], 12);
  }
});

test('how often two outcomes of a block follow one chance', () => {
  const half = (outcomes: readonly (readonly boolean[])[]) =>
    dependence(
      outcomes.map((own) => new Float64Array(own.length).fill(0.5)),
      outcomes.map((own) => ({
        level: own.reduce((sum, isTrue) => sum + (isTrue ? 0.5 : -0.5), 0),
        slope: 0,
      })),
    );
  const [all, none, mixed] = [
    [true, true],
    [false, false],
    [true, false],
  ];
  expect(half([all, none, all, none])).toBe(1);
  expect(half([mixed, mixed, mixed, mixed])).toBe(0);
  // Variance of a block: ½ if independent, 1 together; seen 4/3 · (1 + 1) / 4 = ⅔.
  expect(half([all, none, mixed, mixed])).toBeCloseTo((2 / 3 - 1 / 2) / (1 - 1 / 2), 12);
  // Probabilities that are wrong throughout do not look like dependence, and outcomes that are all alike do not look independent.
  expect(half([all, all, all, all])).toBe(1);
  expect(failing(together(() => 0, { from: 0.7 }))).toBeGreaterThan(0.95);
});

test('the distance in units of one spread, and of two', () => {
  const alike = [new Float64Array([0.5, 0.5]), new Float64Array([0.5, 0.5])];
  const zero = { a: 0, b: 0, c: 0 };
  // Errors cancel: no dependence is seen.
  const sums = [
    { level: 1, slope: 0 },
    { level: 1, slope: 0 },
  ];
  expect(distanceOf(alike, sums, { apart: { a: 2, b: 0, c: 0 }, together: { a: 4, b: 0, c: 0 } })).toBe(1);
  const tilted = [
    { level: 1, slope: 0.5 },
    { level: 1, slope: 0.5 },
  ];
  const spread = { a: 2, b: 1, c: 3 };
  // (2, 1) · [[3, −1], [−1, 2]] / 5 · (2, 1)
  expect(distanceOf(alike, tilted, { apart: spread, together: spread })).toBeCloseTo(10 / 5, 12);
  expect(distanceOf(alike, sums, { apart: zero, together: zero })).toBe(Number.POSITIVE_INFINITY);
});

test('too few fortnights, forecasts that are all alike, and forecasts that are always right', () => {
  const alike = (isTrue: (block: number) => boolean, blocks: number) =>
    Array.from({ length: blocks }, (_, block) => forecast(block, 0.5, isTrue(block)));
  expect(calibrationTest([])).toEqual({ blocks: 0, p_value: null });
  expect(calibrationTest(fortnights(1, 3, (p) => p)).p_value).toBeNull();
  expect(calibrationTest(alike((block) => block % 2 === 0, 6)).p_value).toBeGreaterThan(0.5);
  expect(calibrationTest(alike(() => true, 4)).p_value).toBeGreaterThan(0.05);
  expect(calibrationTest(alike(() => true, 8)).p_value).toBeLessThan(0.05);
  const right = Array.from({ length: 10 }, (_, block) => forecast(block, block % 2, block % 2 === 1));
  expect(calibrationTest(right)).toEqual({ blocks: 10, p_value: 1 });
});

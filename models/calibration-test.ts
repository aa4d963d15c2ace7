// Are probabilities what they claim to be? What happened less its probability is 0 on average, whatever was forecast. Forecasts of one
// fortnight depend on each other: their horizons overlap, sizes and markets share their hours.
import { type ForecastBlock, type Outcome, shareOfWorlds } from './calibration-worlds.ts';
import { chiSquareTail2 } from './elementary.ts';

export interface DatedForecast {
  /** When it was made, Unix seconds. */
  readonly at: number;
  readonly probability: number;
  readonly isTrue: boolean;
}

export interface CalibrationTest {
  /** Fortnights with forecasts. */
  readonly blocks: number;
  /** Of errors this large if the probabilities are right; null where the blocks are too few, or too much alike, to tell. */
  readonly p_value: number | null;
}

/** Twice the longest horizon: the forecasts of a fortnight reach at most half of the next one. */
const BLOCK_S = 14 * 86_400;
/** With two means to test, fewer leave nothing to estimate their errors from. */
const MIN_BLOCKS = 4;
/** Relative determinant below which both means are one. */
const ALIKE = 1e-12;

/** The fortnight of a time. */
export const blockOf = (at: number): number => Math.floor(at / BLOCK_S);

/**
 * How often `byTables` is as small in worlds in which the probabilities are right: where outcomes come together for weeks, its tables are
 * wrong, and seven fortnights would fail in a fifth of such worlds at a level of .05.
 */
export function calibrationTest(forecasts: readonly DatedForecast[]): CalibrationTest {
  const blocks = blocksOf(forecasts);
  if (blocks.length < MIN_BLOCKS) return { blocks: blocks.length, p_value: null };
  const expected = expectedSpread(forecasts);
  const seen = byTables(
    blocks.map(({ sums }) => sums),
    expected,
  );
  if (seen === null || seen === 1) return { blocks: blocks.length, p_value: seen };
  const inWorld = (sorted: readonly Float64Array[], outcomeIn: (block: number) => Outcome) =>
    byTables(
      sorted.map((probabilities, block) => sumsWith(probabilities, outcomeIn(block))),
      expected,
    );
  return { blocks: blocks.length, p_value: shareOfWorlds(seen, blocks, inWorld) };
}

/**
 * The sums of e and of e · (p − ½) over each block, e being the error of a forecast and p its probability: the first shows forecasts that are
 * too high or too low throughout, the second forecasts that are too bold or too timid. They are compared with their spread over the blocks
 * (Hotelling's T²), which knows how forecasts depend on each other but little of rare outcomes, and with the spread that independent
 * forecasts have if they are right (χ²), which knows the opposite. The larger p-value of the two counts; null where the blocks are too much
 * alike.
 */
export function byTables(blocks: readonly Sums[], expected: Spread): number | null {
  const total = { level: 0, slope: 0 };
  const seen = { a: 0, b: 0, c: 0 };
  for (const { level, slope } of blocks) {
    total.level += level;
    total.slope += slope;
    seen.a += level * level;
    seen.b += level * slope;
    seen.c += slope * slope;
  }
  if (seen.a === 0) return 1;
  const [w, chi] = [distance(total, seen), distance(total, expected)];
  if (w === null) return null;
  // With the moments about 0, the p-value of T² is (1 − W / n) ^ ((n − 2) / 2).
  const root = Math.sqrt(Math.max(0, 1 - w / blocks.length));
  let byBlocks = 1;
  for (let i = 0; i < blocks.length - 2; i++) byBlocks *= root;
  return Math.max(byBlocks, chi === null ? 0 : chiSquareTail2(chi));
}

export interface Sums {
  readonly level: number;
  readonly slope: number;
}

/** Second moments: of the level, of both, of the slope. */
export interface Spread {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** Squared, in units of the spread; null where that has one direction alone. */
function distance({ level, slope }: Sums, { a, b, c }: Spread): number | null {
  const determinant = a * c - b * b;
  if (!(determinant > ALIKE * a * c)) return null;
  return (c * level * level - 2 * b * level * slope + a * slope * slope) / determinant;
}

interface Block extends ForecastBlock {
  readonly sums: Sums;
}

/** Fortnights with forecasts, oldest first. */
function blocksOf(forecasts: readonly DatedForecast[]): readonly Block[] {
  const byBlock = [...Map.groupBy(forecasts, ({ at }) => blockOf(at))];
  return byBlock
    .toSorted(([one], [other]) => one - other)
    .map(([, own]) => {
      const sums = own.map(({ probability, isTrue }) => errorOf(probability, isTrue)).reduce(added);
      return { probabilities: own.map(({ probability }) => probability), error: sums.level, sums };
    });
}

function errorOf(probability: number, isTrue: boolean): Sums {
  const level = (isTrue ? 1 : 0) - probability;
  return { level, slope: level * (probability - 0.5) };
}

const added = (one: Sums, other: Sums): Sums => ({
  level: one.level + other.level,
  slope: one.slope + other.slope,
});

function sumsWith(probabilities: Float64Array, isTrue: Outcome): Sums {
  let [level, slope] = [0, 0];
  for (const probability of probabilities) {
    const error = (isTrue(probability) ? 1 : 0) - probability;
    level += error;
    slope += error * (probability - 0.5);
  }
  return { level, slope };
}

/** The spread of the total that independent forecasts have if they are right. */
function expectedSpread(forecasts: readonly DatedForecast[]): Spread {
  const expected = { a: 0, b: 0, c: 0 };
  for (const { probability } of forecasts) {
    const tilt = probability - 0.5;
    const variance = probability * (1 - probability);
    expected.a += variance;
    expected.b += variance * tilt;
    expected.c += variance * tilt * tilt;
  }
  return expected;
}

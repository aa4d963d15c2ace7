// Are probabilities what they claim to be? What happened less its probability is 0 on average, whatever was forecast. Forecasts of one
// fortnight depend on each other: their horizons overlap, sizes and markets share their hours.
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
 * The sums of e and of e · (p − ½), e being the error of a forecast and p its probability: the first shows forecasts that are too high or
 * too low throughout, the second forecasts that are too bold or too timid. They are compared with their spread over the fortnights
 * (Hotelling's T²), which knows how forecasts depend on each other but little of rare outcomes, and with the spread that independent
 * forecasts have if they are right (χ²), which knows the opposite. The larger p-value of the two counts.
 */
export function calibrationTest(forecasts: readonly DatedForecast[]): CalibrationTest {
  const { sums, expected } = momentsOf(forecasts);
  const blocks = sums.length;
  if (blocks < MIN_BLOCKS) return { blocks, p_value: null };
  const total = { level: 0, slope: 0 };
  const seen = { a: 0, b: 0, c: 0 };
  for (const { level, slope } of sums) {
    total.level += level;
    total.slope += slope;
    seen.a += level * level;
    seen.b += level * slope;
    seen.c += slope * slope;
  }
  if (seen.a === 0) return { blocks, p_value: 1 };
  const [w, chi] = [distance(total, seen), distance(total, expected)];
  if (w === null) return { blocks, p_value: null };
  // With the moments about 0, the p-value of T² is (1 − W / n) ^ ((n − 2) / 2).
  const root = Math.sqrt(Math.max(0, 1 - w / blocks));
  let byBlocks = 1;
  for (let i = 0; i < blocks - 2; i++) byBlocks *= root;
  return { blocks, p_value: Math.max(byBlocks, chi === null ? 0 : chiSquareTail2(chi)) };
}

interface Sums {
  readonly level: number;
  readonly slope: number;
}

/** Second moments: of the level, of both, of the slope. */
interface Spread {
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

/** Sums over each fortnight, oldest first, and the spread of their total that independent forecasts have if they are right. */
function momentsOf(forecasts: readonly DatedForecast[]): {
  readonly sums: readonly Sums[];
  readonly expected: Spread;
} {
  const sums = new Map<number, Sums>();
  const expected = { a: 0, b: 0, c: 0 };
  for (const { at, probability, isTrue } of forecasts) {
    const { level, slope } = sums.get(blockOf(at)) ?? { level: 0, slope: 0 };
    const error = (isTrue ? 1 : 0) - probability;
    const tilt = probability - 0.5;
    sums.set(blockOf(at), { level: level + error, slope: slope + error * tilt });
    const variance = probability * (1 - probability);
    expected.a += variance;
    expected.b += variance * tilt;
    expected.c += variance * tilt * tilt;
  }
  return { sums: [...sums].toSorted(([one], [other]) => one - other).map(([, own]) => own), expected };
}

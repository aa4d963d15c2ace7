// Are probabilities what they claim to be? What happened less its probability is 0 on average, whatever was forecast. Forecasts of one
// fortnight depend on each other: their horizons overlap, sizes and markets share their hours.
import { distanceOf, type Sums, spreadsOf } from './calibration-spread.ts';
import { shareOfWorlds } from './calibration-worlds.ts';

export interface DatedForecast {
  /** When it was made, Unix seconds. */
  readonly at: number;
  readonly probability: number;
  readonly isTrue: boolean;
}

export interface CalibrationTest {
  /** Fortnights with forecasts. */
  readonly blocks: number;
  /** Of errors this large if the probabilities are right; null where the blocks are too few to tell. */
  readonly p_value: number | null;
}

/** Twice the longest horizon: the forecasts of a fortnight reach at most half of the next one. */
const BLOCK_S = 14 * 86_400;
/** With two means to test, fewer leave nothing to estimate their errors from. */
const MIN_BLOCKS = 4;

/** The fortnight of a time. */
export const blockOf = (at: number): number => Math.floor(at / BLOCK_S);

/**
 * The sums of e and of e · (p − ½) over all forecasts, e being the error of one and p its probability: the first shows forecasts that are too
 * high or too low throughout, the second forecasts that are too bold or too timid. Their distance from 0 is compared with that in worlds in
 * which the probabilities are right.
 */
export function calibrationTest(forecasts: readonly DatedForecast[]): CalibrationTest {
  const own = [...Map.groupBy(forecasts, ({ at }) => blockOf(at))]
    .toSorted(([one], [other]) => one - other)
    .map(([, block]) => block.toSorted(byProbability));
  if (own.length < MIN_BLOCKS) return { blocks: own.length, p_value: null };
  const blocks = own.map((block) => Float64Array.from(block, ({ probability }) => probability));
  const spreads = spreadsOf(blocks);
  const statistic = (sums: readonly Sums[]) => distanceOf(blocks, sums, spreads);
  return { blocks: own.length, p_value: shareOfWorlds(statistic(own.map(errorsOf)), blocks, statistic) };
}

/** Rounding then does not depend on the order in which forecasts came. */
const byProbability = (one: DatedForecast, other: DatedForecast): number =>
  one.probability - other.probability || Number(one.isTrue) - Number(other.isTrue);

function errorsOf(block: readonly DatedForecast[]): Sums {
  let [level, slope] = [0, 0];
  for (const { probability, isTrue } of block) {
    const error = (isTrue ? 1 : 0) - probability;
    level += error;
    slope += error * (probability - 0.5);
  }
  return { level, slope };
}

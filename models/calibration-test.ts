// Tests whether probabilities are what they claim to be: outcome minus probability is 0 on average, whatever was forecast. Forecasts of one
// fortnight depend on each other, because their horizons overlap and sizes and markets share their hours.
import { distanceOf, type Sums, spreadsOf } from './calibration-spread.ts';
import { shareOfWorlds } from './calibration-worlds.ts';

export interface DatedForecast {
  /** Time of the forecast, Unix seconds. */
  readonly at: number;
  readonly probability: number;
  readonly isTrue: boolean;
}

export interface CalibrationTest {
  /** Fortnights with forecasts. */
  readonly blocks: number;
  /** Probability of errors this large if the probabilities are right; null if there are too few blocks to tell. */
  readonly p_value: number | null;
}

/** Twice the longest horizon, so that the forecasts of a fortnight reach at most halfway into the next one. */
const BLOCK_S = 14 * 86_400;
/** The test estimates two means; fewer blocks leave nothing to estimate their errors from. */
const MIN_BLOCKS = 4;

/** The number of the fortnight that a time falls into. */
export const blockOf = (at: number): number => Math.floor(at / BLOCK_S);

/**
 * Takes the sums of e and of e · (p − ½) over all forecasts, with e the error of a forecast and p its probability. The first sum shows
 * forecasts that are too high or too low throughout, the second forecasts that are too bold or too timid. Their distance from 0 is compared
 * with that in simulated worlds in which the probabilities are right.
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

/** Makes rounding independent of the order in which forecasts came. */
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

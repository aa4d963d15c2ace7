// Tests whether probabilities are what they claim to be: outcome minus probability is 0 on average, whatever was forecast. Forecasts of one
// fortnight depend on each other, because their horizons overlap and sizes and markets share their hours.
import { distanceOf, type Sums, spreadsOf, type Blocks } from './calibration-spread.ts';
import { openStream, type RandomStream } from './random-stream.ts';

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

// The distribution of a statistic in simulated worlds with right probabilities, from independent outcomes to outcomes that all follow one
// chance of their block. Tables assume many blocks; with a few blocks of dependent outcomes they understate the p-value.

const WORLDS = 199;
/** Probabilities that an outcome follows the one chance of its block. */
const FOLLOWING = [0, 0.2, 0.4, 0.6, 0.8, 1] as const;
/** Purpose of the random numbers; an exit uses purposes 0 to 2. */
const PURPOSE_WORLDS = 3;
/** Relative difference below which two values are equal except for rounding. */
const ROUNDING = 1e-9;

/**
 * A p-value for a statistic of which large values contradict the probabilities: the share of worlds, with the observed one, whose statistic
 * is at least this large. A few blocks do not show how dependent outcomes are, so the largest share over all degrees of dependence counts.
 */
function shareOfWorlds(seen: number, blocks: Blocks, statistic: (sums: readonly Sums[]) => number): number {
  const min = seen * (1 - ROUNDING);
  const shares = FOLLOWING.map((following, path) => {
    const stream = openStream(0, path, PURPOSE_WORLDS);
    let extreme = 1;
    for (let world = 0; world < WORLDS; world++) {
      const sums = blocks.map((probabilities) => outcomesOf(probabilities, following, stream));
      if (statistic(sums) >= min) extreme++;
    }
    return extreme / (WORLDS + 1);
  });
  return Math.max(...shares);
}

/** Each outcome follows the chance of its block with the probability `following`, else a chance of its own. */
function outcomesOf(probabilities: Float64Array, following: number, stream: RandomStream): Sums {
  const common = stream.fraction();
  let [level, slope] = [0, 0];
  for (const probability of probabilities) {
    const own = stream.fraction();
    const chance = stream.fraction() < following ? common : own;
    const error = (chance < probability ? 1 : 0) - probability;
    level += error;
    slope += error * (probability - 0.5);
  }
  return { level, slope };
}

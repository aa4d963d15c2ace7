// The distribution of a statistic in simulated worlds with right probabilities, from independent outcomes to outcomes that all follow one
// chance of their block. Tables assume many blocks; with a few blocks of dependent outcomes they understate the p-value.
import type { Blocks, Sums } from './calibration-spread.ts';
import { openStream, type RandomStream } from './random-stream.ts';

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
export function shareOfWorlds(
  seen: number,
  blocks: Blocks,
  statistic: (sums: readonly Sums[]) => number,
): number {
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

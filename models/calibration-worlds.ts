// What a statistic is in worlds in which the probabilities are right, from outcomes that are independent to outcomes which all follow the
// one chance of their block. Tables of a distribution assume many blocks; with a few, in which outcomes come together, they promise too much.
import type { Blocks, Sums } from './calibration-spread.ts';
import { openStream, type RandomStream } from './random-stream.ts';

const WORLDS = 199;
/** How often an outcome follows the one chance of its block. */
const FOLLOWING = [0, 0.2, 0.4, 0.6, 0.8, 1] as const;
/** Random numbers of one kind: the purposes of an exit are 0 to 2. */
const PURPOSE_WORLDS = 3;
/** Values that differ by rounding alone are one. */
const ROUNDING = 1e-9;

/**
 * A p-value where large values speak against the probabilities: the share of worlds, and of the one that was seen, whose statistic is at
 * least this. How much outcomes depend on each other is known too little from a few blocks: the largest share counts over all that it may be.
 */
export function shareOfWorlds(
  seen: number,
  blocks: Blocks,
  statistic: (sums: readonly Sums[]) => number,
): number {
  const least = seen * (1 - ROUNDING);
  const shares = FOLLOWING.map((following, path) => {
    const stream = openStream(0, path, PURPOSE_WORLDS);
    let extreme = 1;
    for (let world = 0; world < WORLDS; world++) {
      const sums = blocks.map((probabilities) => outcomesOf(probabilities, following, stream));
      if (statistic(sums) >= least) extreme++;
    }
    return extreme / (WORLDS + 1);
  });
  return Math.max(...shares);
}

/** Each outcome follows the chance of its block with the probability `following`, else one of its own. */
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

// What a statistic is in worlds in which the probabilities are right, and outcomes of one block depend on each other as much as those that
// were seen. Tables of a distribution assume many blocks; with a few, in which outcomes come together, they promise too much.
import { ascendingOf } from './estimates.ts';
import { openStream, type RandomStream } from './random-stream.ts';

/** Forecasts that depend on each other. */
export interface ForecastBlock {
  readonly probabilities: readonly number[];
  /** What happened less what was forecast, summed. */
  readonly error: number;
}

/** Decides whether a forecast came true. */
export type Outcome = (probability: number) => boolean;

const WORLDS = 199;
/** Random numbers of one kind: the purposes of an exit are 0 to 2. */
const PURPOSE_WORLDS = 3;

/**
 * Share of worlds, and of the one that was seen, whose statistic is at most this: a p-value where small values speak against the
 * probabilities. `statistic` computes it from the outcomes of each block, for its probabilities in ascending order; null, which leaves the
 * world out, where it cannot be computed.
 */
export function shareOfWorlds(
  seen: number,
  blocks: readonly ForecastBlock[],
  statistic: (blocks: readonly Float64Array[], outcomeIn: (block: number) => Outcome) => number | null,
): number {
  const together = togetherness(blocks);
  const stream = openStream(0, 0, PURPOSE_WORLDS);
  const sorted = blocks.map(({ probabilities }) => ascendingOf(probabilities));
  let [worlds, extreme] = [1, 1];
  for (let world = 0; world < WORLDS; world++) {
    const value = statistic(sorted, () => outcomeOf(stream, together));
    if (value === null) continue;
    worlds++;
    if (value <= seen) extreme++;
  }
  return extreme / worlds;
}

/** Each outcome follows the chance of its block with the probability `together`, else one of its own. */
function outcomeOf(stream: RandomStream, together: number): Outcome {
  const common = stream.fraction();
  return (probability) => {
    const own = stream.fraction();
    return (stream.fraction() < together ? common : own) < probability;
  };
}

/**
 * How often outcomes of a block follow one chance: from the variance of the errors of the blocks, between that of independent outcomes and
 * that of outcomes which all follow one chance. The mean error is left out, since that is what is tested.
 */
function togetherness(blocks: readonly ForecastBlock[]): number {
  const mean = blocks.reduce((sum, { error }) => sum + error, 0) / blocks.length;
  const squares = blocks.reduce((sum, { error }) => sum + (error - mean) * (error - mean), 0);
  const seen = (squares * blocks.length) / (blocks.length - 1);
  const { apart, together } = blocks.map(variancesOf).reduce((sum, own) => ({
    apart: sum.apart + own.apart,
    together: sum.together + own.together,
  }));
  if (together <= apart) return 0;
  return Math.sqrt(Math.min(1, Math.max(0, (seen - apart) / (together - apart))));
}

/** Of the sum of the outcomes of a block. For p ≤ q that follow one chance the covariance is p (1 − q). */
function variancesOf({ probabilities }: ForecastBlock): {
  readonly apart: number;
  readonly together: number;
} {
  let [apart, together, below] = [0, 0, 0];
  for (const probability of ascendingOf(probabilities)) {
    apart += probability * (1 - probability);
    together += (probability + 2 * below) * (1 - probability);
    below += probability;
  }
  return { apart, together };
}

// The uncertainty of a short history: the same exit over histories that might have happened instead, each made of blocks of the known one.
import { sortAscending } from './estimates.ts';
import {
  chooseRows,
  chosenRows,
  type ExitMarket,
  type ExitPlan,
  exitTables,
  priceLoss,
  PURPOSE_ROWS,
  type WalkedPaths,
  walkedPaths,
  walkPaths,
} from './exit.ts';
import { exits, type LossFigures, lossFigures } from './exit-figures.ts';
import type { PathTables } from './exit-path.ts';
import { type WalkTables, walkTables } from './history-walk.ts';
import { finished, statesBefore, WordStream } from './random-stream.ts';

/** Number of re-runs over resampled histories, and the maximum of paths in each. */
export const RESAMPLES = 20;
const RESAMPLE_PATHS = 500;
/** With more paths than this, the request leaves no time for re-runs. */
const MAX_PATHS_WITH_PARAMETERS = 5_000;
const PURPOSE_RESAMPLE = 2;
const TWO_32 = 0x1_0000_0000;

export interface ParameterRun {
  /** Probability of exiting within the horizon. */
  readonly probability: number;
  /** By confidence level. */
  readonly losses: readonly LossFigures[];
}

export const hasParameters = ({ paths }: { readonly paths: number }): boolean =>
  paths <= MAX_PATHS_WITH_PARAMETERS;

/** Number of paths over each resampled history, for a run with this many paths. */
export const resamplePaths = (paths: number): number => Math.min(paths, RESAMPLE_PATHS);

/**
 * Runs `from` (inclusive) to `to` (exclusive) over resampled histories as long as the known one; null if the order has too many paths.
 * Each run depends only on the seed and its own number.
 */
export function parameterRuns(
  market: ExitMarket,
  order: ExitPlan & { readonly paths: number; readonly confidence: readonly number[] },
  from: number,
  to: number,
): readonly ParameterRun[] | null {
  if (!hasParameters(order)) return null;
  const count = resamplePaths(order.paths);
  const tables = exitTables(market, order);
  const { bucket } = market.history;
  const resampled = resampler(market, order.seed);
  // Every history is walked with the same random words.
  const states = statesBefore(order.seed, 0, count, PURPOSE_ROWS);
  // Buffers for one run, reused by all.
  const [chosen, walked, losses] = [chosenRows(bucket.length), walkedPaths(count), new Float64Array(count)];
  return Array.from({ length: to - from }, (_, index) => {
    const own = chooseRows(tables, resampled(from + index), bucket, chosen);
    walkPaths(own, walked, states);
    for (let path = 0; path < count; path++) losses[path] = lossOf(own, walked, path);
    sortAscending(losses);
    return {
      probability: exits(walked.exit_hour) / count,
      losses: order.confidence.map((level) => lossFigures(losses, level)),
    };
  });
}

/** Adds up the loss in the same way as models/exit-figures.ts does for the paths of a run. */
const lossOf = (tables: PathTables, walked: WalkedPaths, path: number): number =>
  priceLoss(tables, walked, path) + (tables.hasDepth ? (walked.slippage[path] as number) : 0);

/** Returns the rows of each resampled history, always in the same array. */
function resampler({ history, block_hours }: ExitMarket, seed: number): (resample: number) => Int32Array {
  const walk = walkTables(history, block_hours);
  const stream = new WordStream(new Uint32Array(2 * history.bucket.length));
  const rows = new Int32Array(history.bucket.length);
  return (resample) => {
    stream.open(seed, resample, PURPOSE_RESAMPLE);
    stream.fill(1);
    writeWalkedRows(rows, walk, stream.words);
    return rows;
  };
}

/** Writes as many rows as the history has: the first takes one random word, each later one two. */
function writeWalkedRows(rows: Int32Array, { isLast, goesOnBelow }: WalkTables, words: Uint32Array): void {
  let row = 0;
  for (let index = 0; index < rows.length; index++) {
    const goesOn = index > 0 && (words[2 * index] as number) < goesOnBelow && isLast[row] === 0;
    row = goesOn ? row + 1 : Math.floor((finished(words[2 * index + 1] as number) / TWO_32) * rows.length);
    rows[index] = row;
  }
}

// What a short history leaves open: the same exit over histories that could have happened instead, each of blocks of the known one.
import { ascendingOf } from './estimates.ts';
import {
  type ExitMarket,
  type ExitPlan,
  exitTables,
  PURPOSE_ROWS,
  rowsChosen,
  simulatePaths,
} from './exit.ts';
import { exits, type LossFigures, lossesOf, lossFigures } from './exit-figures.ts';
import { type WalkTables, walkTables } from './history-walk.ts';
import { finished, openBefore, WordStream } from './random-stream.ts';

/** Re-runs over resampled histories, and the paths of each. */
export const RESAMPLES = 20;
const RESAMPLE_PATHS = 500;
/** More paths of the caller's than this leave no time for them. */
const MAX_PATHS_WITH_PARAMETERS = 5_000;
const PURPOSE_RESAMPLE = 2;
const TWO_32 = 0x1_0000_0000;

export interface ParameterRun {
  /** Of leaving within the horizon. */
  readonly probability: number;
  /** By confidence level. */
  readonly losses: readonly LossFigures[];
}

interface ParameterOrder extends ExitPlan {
  readonly paths: number;
  readonly confidence: readonly number[];
}

/**
 * Runs `from` (inclusive) to `to` (exclusive) over resampled histories of as many hours as the known one; null where the order has too many
 * paths. Each depends on the seed and its own number alone.
 */
export function parameterRuns(
  market: ExitMarket,
  order: ParameterOrder,
  from: number,
  to: number,
): readonly ParameterRun[] | null {
  if (order.paths > MAX_PATHS_WITH_PARAMETERS) return null;
  const count = Math.min(order.paths, RESAMPLE_PATHS);
  const tables = exitTables(market, order);
  const resampled = resampler(market, order.seed);
  const states = statesOfPaths(order, count);
  const open = (state: Int32Array, place: number) => {
    for (let word = 0; word < 4; word++) state[word] = states[4 * place + word] as number;
  };
  return Array.from({ length: to - from }, (_, place) => {
    const own = rowsChosen(tables, resampled(from + place), market.history.bucket);
    const paths = simulatePaths(own, count, open);
    const ascending = ascendingOf(lossesOf(paths));
    return {
      probability: exits(paths.exit_hour) / count,
      losses: order.confidence.map((level) => lossFigures(ascending, level)),
    };
  });
}

/** States before the stream of each path, found once: every history is walked with the same words. */
function statesOfPaths({ seed }: ExitPlan, count: number): Int32Array {
  const states = new Int32Array(4 * count);
  const state = new Int32Array(4);
  for (let path = 0; path < count; path++) {
    openBefore(state, seed, path, PURPOSE_ROWS);
    states.set(state, 4 * path);
  }
  return states;
}

/** Gives the rows of each resampled history. */
function resampler(
  { history, block_hours }: ExitMarket,
  seed: number,
): (resample: number) => Int32Array<ArrayBuffer> {
  const walk = walkTables(history, block_hours);
  const stream = new WordStream(new Uint32Array(2 * history.bucket.length));
  return (resample) => {
    stream.open(seed, resample, PURPOSE_RESAMPLE);
    stream.fill(1);
    return walkedRows(walk, stream.words);
  };
}

/** As many rows as the history has: the first is drawn with one word, and each later one takes two. */
function walkedRows({ isLast, goesOnBelow }: WalkTables, words: Uint32Array): Int32Array<ArrayBuffer> {
  const rows = new Int32Array(isLast.length);
  let row = 0;
  for (let place = 0; place < rows.length; place++) {
    const goesOn = place > 0 && (words[2 * place] as number) < goesOnBelow && isLast[row] === 0;
    row = goesOn ? row + 1 : Math.floor((finished(words[2 * place + 1] as number) / TWO_32) * rows.length);
    rows[place] = row;
  }
  return rows;
}

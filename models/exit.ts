// Exit Monte Carlo: can a position exit a lending market, when, and at what cost? Withdrawable liquidity and price move together, as in the
// same hours of history; the position's own withdrawals are not refilled. Amounts are in USD at the initial price.
import { oncePer } from '../platform/base/once-per.ts';
import { boundOf, type PathTables, type RawPaths, STRIDE, simulatePath } from './exit-path.ts';
import { type BucketRows, bucketRows, type History, walkTables } from './history-walk.ts';
import { statesBefore } from './random-stream.ts';

/** Change it whenever equal inputs may yield different numbers. */
export const EXIT_MODEL_VERSION = '1.3.0';

/** Lower bounds, in utilisation, of the buckets from which rows are drawn. */
export const BUCKET_BOUNDS = [0, 0.8, 0.9, 0.95, 0.99] as const;

export const bucketOf = (utilization: number): number =>
  Number(utilization >= 0.8) +
  Number(utilization >= 0.9) +
  Number(utilization >= 0.95) +
  Number(utilization >= 0.99);

export interface ExitMarket {
  /** Above 0. */
  readonly supplied_usd: number;
  readonly withdrawable_usd: number;
  /** Amount that can be sold at a slippage of 100 bps. If null, as in a backtest of liquidity alone, nothing else limits sales. */
  readonly depth_usd: number | null;
  /** Standard deviation of the price's return over the next hour. */
  readonly sigma_now: number;
  /** Mean length of a block of history, hours. */
  readonly block_hours: number;
  /** Hourly rows; `bucket` is that of the utilisation at the start of the hour. */
  readonly history: History;
  /** Change of the withdrawable amount over the hour, as a share of the supply. */
  readonly flow: Float64Array;
  /** Return of the price over the hour divided by its standard deviation at the time; zeros for an asset without a price. */
  readonly z: Float64Array;
}

export interface ExitPlan {
  readonly position_usd: number;
  readonly horizon_hours: number;
  readonly max_slippage_bps: number;
  /** Number of equal parts that fall due over the horizon; 1 sells at once. */
  readonly slices: number;
  readonly seed: number;
}

/** Results of paths `from` to `to`, by path. */
export interface ExitPaths {
  /** Hour in which the last of the position exited; −1 if some of it stayed. */
  readonly exit_hour: Int32Array;
  /** Before slippage if the depth is unknown. */
  readonly proceeds_usd: Float64Array;
  /** Value that could not exit, at the final price. */
  readonly stranded_usd: Float64Array;
  /** Loss from the price, on what was sold and what stayed; negative for a gain. */
  readonly price_loss_usd: Float64Array;
  /** Null if the depth is unknown. */
  readonly slippage_loss_usd: Float64Array | null;
  /** Buckets in which some path began a block, ascending. */
  readonly buckets_entered: readonly number[];
}

export const PURPOSE_ROWS = 0;
/** A remainder below this share of the position is rounding. */
const DUST = 1e-12;
const TWO_32 = 0x1_0000_0000;

/** Simulates paths `from` (inclusive) to `to` (exclusive). Each depends only on the seed and its own number. */
export function simulateExit(market: ExitMarket, plan: ExitPlan, from: number, to: number): ExitPaths {
  const tables = exitTables(market, plan);
  const walked = walkedPaths(to - from);
  walkPaths(tables, walked, statesBefore(plan.seed, from, to, PURPOSE_ROWS));
  const { exit_hour, proceeds, stranded, slippage } = walked;
  return {
    exit_hour,
    proceeds_usd: proceeds,
    stranded_usd: stranded,
    price_loss_usd: priceLosses(tables, walked),
    slippage_loss_usd: tables.hasDepth ? slippage : null,
    buckets_entered: [...tables.entered.keys()].filter((bucket) => tables.entered[bucket] === 1),
  };
}

function priceLosses(tables: PathTables, walked: WalkedPaths): Float64Array {
  const losses = new Float64Array(walked.exit_hour.length);
  for (let index = 0; index < losses.length; index++) losses[index] = priceLoss(tables, walked, index);
  return losses;
}

/** Buffers for the results of walked paths; every walk overwrites all of them. */
export interface WalkedPaths extends RawPaths {
  readonly exit_hour: Int32Array;
}

/** Buffers for `count` paths. */
export const walkedPaths = (count: number): WalkedPaths => ({
  exit_hour: new Int32Array(count),
  proceeds: new Float64Array(count),
  stranded: new Float64Array(count),
  slippage: new Float64Array(count),
});

/**
 * Walks each path. `states` are one step before their streams: an hour takes two words, and the first hour does not use the first of them.
 */
export function walkPaths(tables: PathTables, walked: WalkedPaths, states: Int32Array): void {
  for (let index = 0; index < walked.exit_hour.length; index++)
    walked.exit_hour[index] = simulatePath(tables, states, walked, index);
}

/** Loss of a path from the price: on what was sold, and on what stayed. */
export const priceLoss = (
  { position }: Pick<PathTables, 'position'>,
  { proceeds, slippage, stranded }: RawPaths,
  index: number,
): number =>
  position - (proceeds[index] as number) - (slippage[index] as number) - (stranded[index] as number);

export function exitTables(market: ExitMarket, plan: ExitPlan): PathTables {
  return {
    ...tablesOf(market),
    supplied: market.supplied_usd,
    withdrawable: Math.min(market.withdrawable_usd, market.supplied_usd),
    due: Float64Array.from({ length: plan.horizon_hours + 1 }, (_, hour) => dueBy(plan, hour)),
    position: plan.position_usd,
    dust: plan.position_usd * DUST,
    horizon: plan.horizon_hours,
    entered: new Uint8Array(BUCKET_BOUNDS.length),
    hasDepth: market.depth_usd !== null,
    ...curveOf(market, plan),
  };
}

type MarketTables = Pick<PathTables, 'blocks' | 'scale' | 'cuts' | 'steps' | 'ends' | 'bound'>;

/** The tables that do not depend on the plan: most runs repeat a market, and their simulation is often shorter than its history. */
const tablesOf = oncePer((market: ExitMarket): MarketTables => {
  const { supplied_usd: supplied, flow, z, sigma_now, history, block_hours } = market;
  const walk = walkTables(history, block_hours, BUCKET_BOUNDS.length);
  const steps = new Float64Array(flow.length * STRIDE);
  for (let row = 0; row < flow.length; row++) {
    steps[STRIDE * row] = supplied * (flow[row] ?? 0);
    steps[STRIDE * row + 1] = 1 + Math.max(-1, (z[row] ?? 0) * sigma_now);
  }
  return {
    ...blocksOf(walk),
    cuts: cutsOf(supplied),
    steps,
    ends: history.stretchEnd.map((end) => STRIDE * end),
    bound: boundOf(walk.goesOnBelow),
  };
});

/** Buffers for a history in another order of rows, as tables; every order overwrites all of them. */
export interface ChosenRows {
  readonly steps: Float64Array;
  readonly ends: Int32Array;
  readonly bucket: Uint8Array;
  readonly blocks: Int32Array;
}

/** Buffers for `count` rows. */
export const chosenRows = (count: number): ChosenRows => ({
  steps: new Float64Array(count * STRIDE),
  ends: new Int32Array(count),
  bucket: new Uint8Array(count),
  blocks: new Int32Array(count * BUCKET_BOUNDS.length),
});

/** The tables over reordered rows of the same history: `rows` lists them in the new order, `bucket` holds the buckets of the history. */
export function chooseRows(
  tables: PathTables,
  rows: Int32Array,
  bucket: Uint8Array,
  chosen: ChosenRows,
): PathTables {
  const { steps, ends } = tables;
  const { steps: ownSteps, ends: ownEnds, bucket: ownBucket } = chosen;
  let [next, end] = [-1, -1];
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index] as number;
    // Here the row is followed by its successor in the history, too.
    if (next !== row + 1 || ends[row] === STRIDE * row) end = STRIDE * index;
    next = row;
    ownSteps[STRIDE * index] = steps[STRIDE * row] as number;
    ownSteps[STRIDE * index + 1] = steps[STRIDE * row + 1] as number;
    ownEnds[index] = end;
    ownBucket[index] = bucket[row] as number;
  }
  return {
    ...tables,
    steps: chosen.steps,
    ends: chosen.ends,
    ...blocksOf(bucketRows(chosen.bucket, BUCKET_BOUNDS.length, chosen.blocks)),
  };
}

const blocksOf = (blocks: BucketRows): Pick<PathTables, 'blocks' | 'scale'> => ({
  blocks,
  scale: Float64Array.from(blocks.counts, (count) => count / TWO_32),
});

/**
 * The largest withdrawable amount in each bucket above the first, exact to the last bit: utilisation falls as the amount rises, so with
 * these a path finds its bucket without a division.
 */
const cutsOf = (supplied: number): Float64Array =>
  Float64Array.from(BUCKET_BOUNDS.slice(1), (bound) => {
    let [inside, outside] = [0, supplied];
    for (;;) {
      const middle = inside + (outside - inside) / 2;
      if (middle === inside || middle === outside) return inside;
      if (1 - middle / supplied >= bound) inside = middle;
      else outside = middle;
    }
  });

/** Slippage of selling a is a / (reserve + a): 1 % at the depth. */
function curveOf(
  { depth_usd }: ExitMarket,
  { max_slippage_bps }: ExitPlan,
): Pick<PathTables, 'reserve' | 'limit'> {
  if (depth_usd === null) return { reserve: Number.POSITIVE_INFINITY, limit: Number.POSITIVE_INFINITY };
  const reserve = 99 * depth_usd;
  const share = max_slippage_bps / 10_000;
  return {
    // Selling nothing costs nothing even without any depth.
    reserve: Math.max(Number.MIN_VALUE, reserve),
    limit: share >= 1 ? Number.POSITIVE_INFINITY : (reserve * share) / (1 - share),
  };
}

/** Amount that should have been sold by an hour: the k-th of n parts falls due at hour ⌊k · horizon / n⌋. */
function dueBy({ position_usd, horizon_hours, slices }: ExitPlan, hour: number): number {
  if (slices === 1) return position_usd;
  const due = Math.min(slices, Math.floor((hour * slices) / horizon_hours) + 1);
  return Math.min(position_usd, (position_usd * due) / slices);
}

// Exit Monte Carlo: can a position leave a lending market, when, and at what cost? Withdrawable liquidity and price move together, as
// they did in the same hours of history; own withdrawals stay gone. Amounts are in USD at the price of the start.
import { type BucketRows, bucketRows, type History, walkTables } from './history-walk.ts';
import { finished, finishedBits, openBefore } from './random-stream.ts';

/** Changes whenever equal inputs may give other numbers. */
export const EXIT_MODEL_VERSION = '1.1.0';

/** Lower bounds of utilisation of the buckets that rows are drawn by. */
export const BUCKET_BOUNDS = [0, 0.8, 0.9, 0.95, 0.99] as const;

/** A sum instead of branches: which bucket a path is in changes often, and a wrong guess costs more than the sum. */
export const bucketOf = (utilization: number): number =>
  Number(utilization >= 0.8) +
  Number(utilization >= 0.9) +
  Number(utilization >= 0.95) +
  Number(utilization >= 0.99);

export interface ExitMarket {
  /** Above 0. */
  readonly supplied_usd: number;
  readonly withdrawable_usd: number;
  /** What can be sold at 100 bps of slippage; null where it is not known: then no slippage is reported, and only liquidity limits. */
  readonly depth_usd: number | null;
  /** Standard deviation of the price's return over the next hour. */
  readonly sigma_now: number;
  /** Mean length of a block of history, hours. */
  readonly block_hours: number;
  /** Hourly rows; `bucket` is that of the utilisation at the start of the hour. */
  readonly history: History;
  /** Change of the withdrawable amount over the hour, as a share of what is supplied. */
  readonly flow: Float64Array;
  /** Return of the price over the hour divided by its standard deviation at the time; zeros for an asset without a price. */
  readonly z: Float64Array;
}

export interface ExitPlan {
  readonly position_usd: number;
  readonly horizon_hours: number;
  readonly max_slippage_bps: number;
  /** Equal parts that fall due over the horizon; 1 sells at once. */
  readonly slices: number;
  readonly seed: number;
}

/** Results of paths `from` to `to`, by path. */
export interface ExitPaths {
  /** Hour in which the last of the position left; −1 where some stayed. */
  readonly exit_hour: Int32Array;
  /** Before slippage where the depth is not known. */
  readonly proceeds_usd: Float64Array;
  /** Value that could not leave, at the price of the end. */
  readonly stranded_usd: Float64Array;
  /** Lost by the price, on what was sold and what stayed; negative for a gain. */
  readonly price_loss_usd: Float64Array;
  /** Null where the depth is not known. */
  readonly slippage_loss_usd: Float64Array | null;
  /** Buckets in which some path began a block, ascending. */
  readonly buckets_entered: readonly number[];
}

export const PURPOSE_ROWS = 0;
/** What is left below this share of the position is rounding. */
const DUST = 1e-12;
const TWO_32 = 0x1_0000_0000;

/** Simulates paths `from` (inclusive) to `to` (exclusive). Each depends on the seed and its own number alone. */
export function simulateExit(market: ExitMarket, plan: ExitPlan, from: number, to: number): ExitPaths {
  const open = (state: Int32Array, place: number) => openBefore(state, plan.seed, from + place, PURPOSE_ROWS);
  return simulatePaths(exitTables(market, plan), to - from, open);
}

/**
 * The same by tables. `open` writes the state that comes one step before the stream of a path: an hour takes two words, and the first hour
 * has no use for the first of them.
 */
export function simulatePaths(
  tables: ExitTables,
  count: number,
  open: (state: Int32Array, place: number) => void,
): ExitPaths {
  const state = new Int32Array(4);
  const numbers = () => new Float64Array(count);
  const paths = {
    exit_hour: new Int32Array(count),
    proceeds: numbers(),
    stranded: numbers(),
    slippage: numbers(),
  };
  for (let place = 0; place < count; place++) {
    open(state, place);
    paths.exit_hour[place] = simulatePath(tables, state, paths, place);
  }
  const { exit_hour, proceeds, stranded, slippage } = paths;
  return {
    exit_hour,
    proceeds_usd: proceeds,
    stranded_usd: stranded,
    price_loss_usd: proceeds.map(
      (value, i) => tables.position - value - (slippage[i] as number) - (stranded[i] as number),
    ),
    slippage_loss_usd: tables.hasDepth ? slippage : null,
    buckets_entered: [...tables.entered.keys()].filter((bucket) => tables.entered[bucket] === 1),
  };
}

interface RawPaths {
  readonly exit_hour: Int32Array;
  readonly proceeds: Float64Array;
  readonly stranded: Float64Array;
  readonly slippage: Float64Array;
}

/** Everything that all paths share, laid out for the loop over hours. */
interface ExitTables {
  /** Rows that a block can begin at. */
  readonly blocks: BucketRows;
  readonly supplied: number;
  readonly withdrawable: number;
  /**
   * Two numbers for each row: by how much the withdrawable amount changes, USD, and what the price is multiplied by.
   */
  readonly steps: Float64Array;
  /**
   * By row: the block goes on after it where the next word is below this, both with their first bit flipped, as signed integers. One more
   * stands for the hour before the first.
   */
  readonly bounds: Int32Array;
  /** What should have been sold by each hour. */
  readonly due: Float64Array;
  readonly position: number;
  readonly dust: number;
  readonly horizon: number;
  /** 1 for each bucket in which a path began a block. */
  readonly entered: Uint8Array;
  readonly hasDepth: boolean;
  /** Reserve of the constant product that has the market's depth at 100 bps; infinite where depth is unknown. */
  readonly reserve: number;
  /** Amount that can be sold within the limit of slippage in one hour. */
  readonly limit: number;
}

export function exitTables(market: ExitMarket, plan: ExitPlan): ExitTables {
  const { supplied_usd: supplied, flow, z, sigma_now } = market;
  const walk = walkTables(market.history, market.block_hours, BUCKET_BOUNDS.length);
  const steps = new Float64Array(flow.length * STRIDE);
  const bounds = new Int32Array(flow.length + 1).fill(NEVER);
  for (let row = 0; row < flow.length; row++) {
    steps[STRIDE * row] = supplied * (flow[row] ?? 0);
    steps[STRIDE * row + 1] = 1 + Math.max(-1, (z[row] ?? 0) * sigma_now);
    bounds[row] = boundOf(walk.isLast[row] === 1 ? 0 : walk.goesOnBelow);
  }
  return {
    blocks: walk,
    supplied,
    withdrawable: Math.min(market.withdrawable_usd, supplied),
    steps,
    bounds,
    due: Float64Array.from({ length: plan.horizon_hours + 1 }, (_, hour) => dueBy(plan, hour)),
    position: plan.position_usd,
    dust: plan.position_usd * DUST,
    horizon: plan.horizon_hours,
    entered: new Uint8Array(BUCKET_BOUNDS.length),
    hasDepth: market.depth_usd !== null,
    ...curveOf(market, plan),
  };
}

/** The tables over other rows of the same history: `rows` names them in their new order, `bucket` those of the history itself. */
export function rowsChosen(tables: ExitTables, rows: Int32Array, bucket: Uint8Array): ExitTables {
  const { steps, bounds } = tables;
  const chosen = new Float64Array(rows.length * STRIDE);
  const goOn = new Int32Array(rows.length + 1).fill(NEVER);
  const buckets = new Uint8Array(rows.length);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    const goesOn = place + 1 < rows.length && rows[place + 1] === row + 1;
    chosen[STRIDE * place] = steps[STRIDE * row] as number;
    chosen[STRIDE * place + 1] = steps[STRIDE * row + 1] as number;
    goOn[place] = goesOn ? (bounds[row] as number) : NEVER;
    buckets[place] = bucket[row] as number;
  }
  return { ...tables, steps: chosen, bounds: goOn, blocks: bucketRows(buckets, BUCKET_BOUNDS.length) };
}

/** Slippage of selling a is a / (reserve + a): 1 % at the depth. */
function curveOf(
  { depth_usd }: ExitMarket,
  { max_slippage_bps }: ExitPlan,
): Pick<ExitTables, 'reserve' | 'limit'> {
  if (depth_usd === null) return { reserve: Number.POSITIVE_INFINITY, limit: Number.POSITIVE_INFINITY };
  const reserve = 99 * depth_usd;
  const share = max_slippage_bps / 10_000;
  return {
    // Selling nothing costs nothing even where there is no depth.
    reserve: Math.max(Number.MIN_VALUE, reserve),
    limit: share >= 1 ? Number.POSITIVE_INFINITY : (reserve * share) / (1 - share),
  };
}

/** What should have been sold by an hour: the k-th of n parts falls due at hour ⌊k · horizon / n⌋. */
function dueBy({ position_usd, horizon_hours, slices }: ExitPlan, hour: number): number {
  if (slices === 1) return position_usd;
  const due = Math.min(slices, Math.floor((hour * slices) / horizon_hours) + 1);
  return Math.min(position_usd, (position_usd * due) / slices);
}

/** Numbers of each row in `steps`. */
const STRIDE = 2;
/** The first bit of a word, and the bound that no word is below. */
const FLIP = 0x80000000 | 0;
const NEVER = FLIP;

/** Signed, so that it is compared without being converted. Blocks are not as long as to need a bound above every word. */
const boundOf = (below: number): number => Math.min(below, TWO_32 - 1) ^ FLIP;

/**
 * One path; returns the hour in which the last of the position left, or −1. The market's own path does not depend on the position, so that
 * larger positions and shorter horizons compare path by path. A run spends its time in this loop: it allocates nothing, and two steps of
 * the generator in random-stream.ts are written out, so that they are computed while amounts are waited for.
 */
function simulatePath(t: ExitTables, state: Int32Array, paths: RawPaths, place: number): number {
  const { supplied, steps, bounds, due, position, dust, horizon, reserve, limit } = t;
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let { withdrawable } = t;
  let price = 1;
  let taken = 0;
  let proceeds = 0;
  let slippage = 0;
  let row = bounds.length - 1;
  for (let hour = 0; ; hour++) {
    const wanted = due[hour] as number;
    const possible = (wanted > withdrawable ? withdrawable : wanted) - taken;
    const amount = positive(possible > limit ? limit : possible);
    const cost = amount / (reserve + amount);
    proceeds += amount * price * (1 - cost);
    slippage += amount * price * cost;
    taken += amount;
    const left = position - taken;
    if (left <= dust || hour === horizon)
      return keep(paths, place, { hour, left: left <= dust ? 0 : left, price, proceeds, slippage });
    const goesOn = (finishedBits(b) ^ FLIP) < (bounds[row] as number);
    const e = c ^ a;
    const f = d ^ b;
    const second = b ^ e;
    a ^= f;
    c = e ^ (b << 9) ^ a;
    d = ((f << 11) | (f >>> 21)) ^ second;
    b = second ^ c;
    a ^= d;
    c ^= second << 9;
    d = (d << 11) | (d >>> 21);
    row = goesOn ? row + 1 : drawRow(t, 1 - withdrawable / supplied, second);
    withdrawable = positive(withdrawable + (steps[STRIDE * row] as number));
    if (withdrawable > supplied) withdrawable = supplied;
    price *= steps[STRIDE * row + 1] as number;
  }
}

interface PathEnd {
  readonly hour: number;
  /** 0 where all has left. */
  readonly left: number;
  readonly price: number;
  readonly proceeds: number;
  readonly slippage: number;
}

/** The hour of the exit; −1 without one. */
function keep(paths: RawPaths, place: number, { hour, left, price, proceeds, slippage }: PathEnd): number {
  paths.proceeds[place] = proceeds;
  paths.slippage[place] = slippage;
  paths.stranded[place] = left * price;
  return left === 0 ? hour : -1;
}

/** The larger of 0 and a number, without a branch: which it is changes from hour to hour, and a wrong guess costs more than the sum. */
const positive = (value: number): number => (value + Math.abs(value)) / 2;

/** The first row of a new block, from the bucket of a utilisation. */
function drawRow({ blocks, entered }: ExitTables, utilization: number, word: number): number {
  const { rows, starts, counts } = blocks;
  const bucket = bucketOf(utilization);
  entered[bucket] = 1;
  const draw = Math.floor((finished(word) / TWO_32) * (counts[bucket] as number));
  return rows[(starts[bucket] as number) + draw] as number;
}

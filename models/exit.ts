// Exit Monte Carlo: can a position leave a lending market, when, and at what cost? Withdrawable liquidity and price move together, as
// they did in the same hours of history; own withdrawals stay gone. Amounts are in USD at the price of the start.
import { type BucketRows, bucketRows, type History, walkTables } from './history-walk.ts';
import { finished, WordStream } from './random-stream.ts';

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
  const stream = new WordStream(new Uint32Array(Math.min(WORDS_AHEAD, 2 * plan.horizon_hours)));
  const words = { stream, isFilled: false };
  return simulatePaths(exitTables(market, plan), from, to, (path) => {
    stream.open(plan.seed, path, PURPOSE_ROWS);
    return words;
  });
}

/** The random words of one path. */
export interface PathWords {
  readonly stream: WordStream;
  /** The words of the whole horizon are there, from the second place on; otherwise none is yet. */
  readonly isFilled: boolean;
}

/** The same by tables, for runs that repeat paths. */
export function simulatePaths(
  tables: ExitTables,
  from: number,
  to: number,
  wordsOf: (path: number) => PathWords,
): ExitPaths {
  const numbers = () => new Float64Array(to - from);
  const paths = {
    exit_hour: new Int32Array(to - from),
    proceeds: numbers(),
    stranded: numbers(),
    slippage: numbers(),
  };
  for (let path = from; path < to; path++) simulatePath(tables, wordsOf(path), paths, path - from);
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
   * Three numbers for each row: by how much the withdrawable amount changes, USD, what the price is multiplied by, and the bound below
   * which the next word must be for the block to go on after it. One more row of zeros stands for the hour before the first.
   */
  readonly steps: Float64Array;
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
  const steps = new Float64Array((flow.length + 1) * STRIDE);
  for (let row = 0; row < flow.length; row++) {
    steps[STRIDE * row] = supplied * (flow[row] ?? 0);
    steps[STRIDE * row + 1] = 1 + Math.max(-1, (z[row] ?? 0) * sigma_now);
    steps[STRIDE * row + 2] = walk.isLast[row] === 1 ? 0 : walk.goesOnBelow;
  }
  return {
    blocks: walk,
    supplied,
    withdrawable: Math.min(market.withdrawable_usd, supplied),
    steps,
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
  const { steps } = tables;
  const chosen = new Float64Array((rows.length + 1) * STRIDE);
  const buckets = new Uint8Array(rows.length);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    const goesOn = place + 1 < rows.length && rows[place + 1] === row + 1;
    chosen[STRIDE * place] = steps[STRIDE * row] as number;
    chosen[STRIDE * place + 1] = steps[STRIDE * row + 1] as number;
    chosen[STRIDE * place + 2] = goesOn ? (steps[STRIDE * row + 2] as number) : 0;
    buckets[place] = bucket[row] as number;
  }
  return { ...tables, steps: chosen, blocks: bucketRows(buckets, BUCKET_BOUNDS.length) };
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
const STRIDE = 3;
/** Random words that are made ahead at most, an even number. */
const WORDS_AHEAD = 64;

/**
 * One path. The market's own path does not depend on the position, so that larger positions and shorter horizons compare path by path.
 * A run spends its time in this loop: it allocates nothing.
 */
function simulatePath(t: ExitTables, { stream, isFilled }: PathWords, paths: RawPaths, place: number): void {
  const { supplied, steps, due, position, dust, horizon, reserve, limit } = t;
  const { words } = stream;
  const ahead = words.length;
  let withdrawable = t.withdrawable;
  let price = 1;
  let taken = 0;
  let proceeds = 0;
  let slippage = 0;
  let at = steps.length - STRIDE;
  let next = isFilled ? 0 : ahead;
  for (let hour = 0; ; hour++) {
    const free = withdrawable - taken;
    let wanted = (due[hour] as number) - taken;
    if (wanted > free) wanted = free;
    if (wanted > limit) wanted = limit;
    const amount = positive(wanted);
    const value = amount * price;
    const cost = amount / (reserve + amount);
    proceeds += value * (1 - cost);
    slippage += value * cost;
    taken += amount;
    const left = position - taken;
    if (left <= dust || hour === horizon) {
      paths.exit_hour[place] = left <= dust ? hour : -1;
      paths.stranded[place] = left <= dust ? 0 : left * price;
      paths.proceeds[place] = proceeds;
      paths.slippage[place] = slippage;
      return;
    }
    if (next === ahead) next = stream.fill(hour === 0 ? 1 : 0);
    if ((words[next] as number) < (steps[at + 2] as number)) at += STRIDE;
    else at = drawPlace(t, bucketOf(1 - withdrawable / supplied), words[next + 1] as number);
    next += 2;
    withdrawable = positive(withdrawable + (steps[at] as number));
    if (withdrawable > supplied) withdrawable = supplied;
    price *= steps[at + 1] as number;
  }
}

/** The larger of 0 and a number, without a branch: which it is changes from hour to hour, and a wrong guess costs more than the sum. */
const positive = (value: number): number => (value + Math.abs(value)) / 2;

/** Place of the first row of a new block. */
function drawPlace({ blocks, entered }: ExitTables, bucket: number, word: number): number {
  const { rows, starts, counts } = blocks;
  entered[bucket] = 1;
  const draw = Math.floor((finished(word) / TWO_32) * (counts[bucket] as number));
  return STRIDE * (rows[(starts[bucket] as number) + draw] as number);
}

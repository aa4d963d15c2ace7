// Exit Monte Carlo: can a position leave a lending market, when, and at what cost? Withdrawable liquidity and price move together, as
// they did in the same hours of history; own withdrawals stay gone. Amounts are in USD at the price of the start.
import { HistoryWalk, type History } from './history-walk.ts';
import { openStream, type RandomStream } from './random-stream.ts';

/** Lower bounds of utilisation of the buckets that rows are drawn by. */
export const BUCKET_BOUNDS = [0, 0.8, 0.9, 0.95, 0.99] as const;

export function bucketOf(utilization: number): number {
  let bucket = 0;
  for (let i = 1; i < BUCKET_BOUNDS.length; i++) if (utilization >= (BUCKET_BOUNDS[i] ?? 1)) bucket = i;
  return bucket;
}

export interface ExitMarket {
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
}

const PURPOSE_ROWS = 0;
/** What is left below this share of the position is rounding. */
const DUST = 1e-12;

/** Simulates paths `from` (inclusive) to `to` (exclusive). Each depends on the seed and its own number alone. */
export function simulateExit(market: ExitMarket, plan: ExitPlan, from: number, to: number): ExitPaths {
  const count = to - from;
  const paths: ExitPaths = {
    exit_hour: new Int32Array(count),
    proceeds_usd: new Float64Array(count),
    stranded_usd: new Float64Array(count),
    price_loss_usd: new Float64Array(count),
    slippage_loss_usd: market.depth_usd === null ? null : new Float64Array(count),
  };
  const walk = new HistoryWalk(market.history, market.block_hours, BUCKET_BOUNDS.length);
  const curve = curveOf(market, plan);
  for (let place = 0; place < count; place++) {
    const stream = openStream(plan.seed, from + place, PURPOSE_ROWS);
    simulatePath({ market, plan, walk, curve, stream }, paths, place);
  }
  return paths;
}

interface Curve {
  /** Reserve of the constant product that has the market's depth at 100 bps; infinite where depth is unknown. */
  readonly reserve: number;
  /** Amount that can be sold within the limit of slippage in one hour. */
  readonly limit: number;
}

/** Slippage of selling a is a / (reserve + a): 1 % at the depth. */
function curveOf({ depth_usd }: ExitMarket, { max_slippage_bps }: ExitPlan): Curve {
  if (depth_usd === null) return { reserve: Number.POSITIVE_INFINITY, limit: Number.POSITIVE_INFINITY };
  const reserve = 99 * depth_usd;
  const share = max_slippage_bps / 10_000;
  return { reserve, limit: share >= 1 ? Number.POSITIVE_INFINITY : (reserve * share) / (1 - share) };
}

interface Simulation {
  readonly market: ExitMarket;
  readonly plan: ExitPlan;
  readonly walk: HistoryWalk;
  readonly curve: Curve;
  readonly stream: RandomStream;
}

/** The market's own path does not depend on the position, so that larger positions and shorter horizons compare path by path. */
function simulatePath(
  { market, plan, walk, curve, stream }: Simulation,
  paths: ExitPaths,
  place: number,
): void {
  const { supplied_usd: supplied, flow, z, sigma_now: sigma } = market;
  const { position_usd: position, horizon_hours: horizon } = plan;
  let withdrawable = Math.min(market.withdrawable_usd, supplied);
  let row = -1;
  let price = 1;
  let taken = 0;
  let exitHour = -1;
  let proceeds = 0;
  let slippage = 0;
  for (let hour = 0; hour <= horizon; hour++) {
    if (hour > 0) {
      const bucket = bucketOf(1 - withdrawable / supplied);
      row = row < 0 ? walk.draw(stream, bucket) : walk.next(stream, row, bucket);
      withdrawable = Math.min(Math.max(0, withdrawable + supplied * (flow[row] ?? 0)), supplied);
      price *= 1 + Math.max(-1, (z[row] ?? 0) * sigma);
    }
    const wanted = Math.min(position, dueBy(plan, hour)) - taken;
    const amount = Math.min(wanted, Math.max(0, withdrawable - taken), curve.limit);
    if (amount > 0) {
      const share = amount / (curve.reserve + amount);
      proceeds += amount * price * (1 - share);
      slippage += amount * price * share;
      taken += amount;
    }
    if (exitHour < 0 && position - taken <= position * DUST) exitHour = hour;
  }
  const stranded = exitHour < 0 ? (position - taken) * price : 0;
  paths.exit_hour[place] = exitHour;
  paths.proceeds_usd[place] = proceeds;
  paths.stranded_usd[place] = stranded;
  if (paths.slippage_loss_usd !== null) paths.slippage_loss_usd[place] = slippage;
  paths.price_loss_usd[place] = position - proceeds - slippage - stranded;
}

/** What should have been sold by an hour: the k-th of n parts falls due at hour ⌊k · horizon / n⌋. */
function dueBy({ position_usd, horizon_hours, slices }: ExitPlan, hour: number): number {
  if (slices === 1) return position_usd;
  const due = Math.min(slices, Math.floor((hour * slices) / horizon_hours) + 1);
  return (position_usd * due) / slices;
}

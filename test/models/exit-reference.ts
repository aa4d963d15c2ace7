// The exit simulation in its plainest form, hour by hour with one object for each part: the fast kernel must equal it bit by bit.
import { BUCKET_BOUNDS, bucketOf, type ExitMarket, type ExitPlan } from '../../models/exit.ts';
import { MIN_BUCKET_ROWS } from '../../models/history-walk.ts';
import { openStream } from '../../models/random-stream.ts';

export interface ReferencePath {
  readonly exit_hour: number;
  readonly proceeds_usd: number;
  readonly stranded_usd: number;
  readonly price_loss_usd: number;
  readonly slippage_loss_usd: number;
  readonly buckets: ReadonlySet<number>;
}

export function referencePath(market: ExitMarket, plan: ExitPlan, path: number): ReferencePath {
  const { position_usd: position, horizon_hours: horizon } = plan;
  const walk = new ReferenceWalk(market, plan.seed, path);
  const share = plan.max_slippage_bps / 10_000;
  const reserve = market.depth_usd === null ? Number.POSITIVE_INFINITY : 99 * market.depth_usd;
  const limit =
    market.depth_usd === null || share >= 1 ? Number.POSITIVE_INFINITY : (reserve * share) / (1 - share);
  let withdrawable = Math.min(market.withdrawable_usd, market.supplied_usd);
  let [price, taken, proceeds, slippage] = [1, 0, 0, 0];
  for (let hour = 0; hour <= horizon; hour++) {
    if (hour > 0) {
      const row = walk.next(bucketOf(1 - withdrawable / market.supplied_usd));
      const flow = market.supplied_usd * (market.flow[row] ?? 0);
      withdrawable = Math.min(Math.max(0, withdrawable + flow), market.supplied_usd);
      price *= 1 + Math.max(-1, (market.z[row] ?? 0) * market.sigma_now);
    }
    const parts = Math.min(plan.slices, Math.floor((hour * plan.slices) / horizon) + 1);
    const due = plan.slices === 1 ? position : Math.min(position, (position * parts) / plan.slices);
    const amount = Math.min(due - taken, Math.max(0, withdrawable - taken), limit);
    if (amount > 0) {
      const cost = amount / (reserve + amount);
      proceeds += amount * price * (1 - cost);
      slippage += amount * price * cost;
      taken += amount;
    }
    if (position - taken <= position * 1e-12)
      return pathOf(hour, position, { proceeds, slippage, stranded: 0, buckets: walk.buckets });
  }
  const stranded = (position - taken) * price;
  return pathOf(-1, position, { proceeds, slippage, stranded, buckets: walk.buckets });
}

interface Sums {
  readonly proceeds: number;
  readonly slippage: number;
  readonly stranded: number;
  readonly buckets: ReadonlySet<number>;
}

const pathOf = (exit_hour: number, position: number, { proceeds, slippage, stranded, buckets }: Sums) => ({
  exit_hour,
  proceeds_usd: proceeds,
  stranded_usd: stranded,
  price_loss_usd: position - proceeds - slippage - stranded,
  slippage_loss_usd: slippage,
  buckets,
});

class ReferenceWalk {
  readonly buckets = new Set<number>();
  readonly #market: ExitMarket;
  readonly #stream;
  #row = -1;

  constructor(market: ExitMarket, seed: number, path: number) {
    this.#market = market;
    this.#stream = openStream(seed, path, 0);
  }

  next(bucket: number): number {
    const { block_hours, history } = this.#market;
    const isFirst = this.#row < 0;
    const goesOn = !isFirst && this.#stream.fraction() < 1 - 1 / Math.max(1, block_hours);
    const drawn = this.#draw(bucket);
    if (goesOn && this.#row < (history.stretchEnd[this.#row] ?? 0)) this.#row += 1;
    else {
      this.#row = drawn;
      this.buckets.add(bucket);
    }
    return this.#row;
  }

  #draw(bucket: number): number {
    const all = [...this.#market.history.bucket.keys()];
    const own = all.filter((row) => this.#market.history.bucket[row] === bucket);
    const rows = bucket < BUCKET_BOUNDS.length && own.length >= MIN_BUCKET_ROWS ? own : all;
    return rows[this.#stream.below(rows.length)] ?? 0;
  }
}

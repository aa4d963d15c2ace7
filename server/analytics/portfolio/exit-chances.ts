// Whether positions can leave the lending markets that they are in: simulated exits by the flows that each market has known.

import { wilsonInterval } from '../../../models/estimates.ts';
import { BUCKET_BOUNDS, bucketOf, type ExitMarket, simulateExit } from '../../../models/exit.ts';
import { MIN_BUCKET_ROWS } from '../../../models/history-walk.ts';
import { blockHoursOf, stretchEnds } from '../../../models/joint-returns.ts';
import { share } from '../../../models/rounding.ts';
import type { AnalyticsGapEntry, ExitInputs } from '../../../schemas/analytics.ts';
import { PORTFOLIO } from '../../../schemas/portfolio-request.ts';
import { gapOf } from './question.ts';

const MIN_HOURS = 336;

export interface ExitChance {
  readonly within_hours: number;
  readonly value: number;
  readonly ci95: { readonly from: number; readonly to: number };
}

export interface ExitChances {
  /** Null where the history is too short to simulate. */
  readonly chances: ExitChance[] | null;
  readonly gaps: readonly AnalyticsGapEntry[];
}

/** Probability that an amount leaves a market whole; all positions in it leave together. */
export function exitChancesOf(inputs: ExitInputs, amount_usd: number, seed: number): ExitChances {
  const { supplied_usd, withdrawable_usd, hours, id } = inputs;
  const have_hours = hours.hour.length;
  if (have_hours < MIN_HOURS || supplied_usd === null || !(supplied_usd > 0) || withdrawable_usd === null)
    return { chances: null, gaps: [gapOf('history_short', id, { have_hours, need_hours: MIN_HOURS })] };
  const block = blockHoursOf(hours.flow);
  const market: ExitMarket = {
    supplied_usd,
    withdrawable_usd,
    depth_usd: inputs.depth_usd,
    sigma_now: 0,
    block_hours: block.value,
    history: { stretchEnd: stretchEnds(hours.hour), bucket: Uint8Array.from(hours.utilization, bucketOf) },
    flow: Float64Array.from(hours.flow),
    z: new Float64Array(have_hours),
  };
  const { paths, within_hours, max_slippage_bps } = PORTFOLIO.exit;
  const plan = {
    position_usd: amount_usd,
    horizon_hours: Math.max(...within_hours),
    max_slippage_bps,
    slices: 1,
    seed,
  };
  const { exit_hour } = simulateExit(market, plan, 0, paths);
  const chances = within_hours.map((hours) => {
    const left = exit_hour.filter((hour) => hour >= 0 && hour <= hours).length;
    const { from, to } = wilsonInterval(left, paths);
    return { within_hours: hours, value: share(left / paths), ci95: { from: share(from), to: share(to) } };
  });
  return {
    chances,
    gaps: [...marketGaps(inputs, market), ...(block.is_assumed ? [gapOf('block_length_assumed', id)] : [])],
  };
}

function marketGaps({ id, depth_usd }: ExitInputs, market: ExitMarket): readonly AnalyticsGapEntry[] {
  const { bucket } = market.history;
  const now = bucketOf(1 - market.withdrawable_usd / market.supplied_usd);
  const rows = bucket.filter((one) => one === now).length;
  return [
    gapOf(depth_usd === null ? 'depth_unknown' : 'curve_implied', id),
    ...(rows < MIN_BUCKET_ROWS
      ? [gapOf('bucket_thin', id, { have_hours: rows, need_hours: MIN_BUCKET_ROWS })]
      : []),
    ...(bucket.includes(BUCKET_BOUNDS.length - 1) ? [] : [gapOf('no_stress_in_history', id)]),
    gapOf('not_calibrated', id),
  ];
}

// Whether positions can leave the lending markets that they are in: simulated exits by the flows that each market has known. The price
// plays no part in when a position leaves.
import { type Calibration, calibrationGaps } from '../../../models/calibration-gaps.ts';
import { wilsonInterval } from '../../../models/estimates.ts';
import { simulateExit } from '../../../models/exit.ts';
import { bucketGaps, exitBasis } from '../../../models/exit-market.ts';
import type { Depth } from '../../../models/pool-depth.ts';
import { share } from '../../../models/rounding.ts';
import type { AnalyticsGapEntry, ExitInputs } from '../../../schemas/analytics.ts';
import { PORTFOLIO } from '../../../schemas/portfolio-request.ts';

export interface ExitChance {
  readonly within_hours: number;
  readonly value: number;
  readonly ci95: { readonly from: number; readonly to: number };
}

export interface ExitChances {
  /** Null where the history is too short, or the state not known. */
  readonly chances: ExitChance[] | null;
  readonly gaps: readonly AnalyticsGapEntry[];
}

export interface ExitQuestion {
  readonly inputs: ExitInputs;
  readonly depth: Depth | null;
  /** Of all positions in the market: they leave together. */
  readonly amount_usd: number;
  /** A backtest of the market has passed. */
  readonly calibration: Calibration | null;
  readonly seed: number;
}

/** Probability that all of an amount leaves a market. */
export function exitChancesOf({ inputs, depth, amount_usd, calibration, seed }: ExitQuestion): ExitChances {
  const basis = exitBasis(inputs, null, null, depth);
  const gaps = basis.gaps
    .filter(({ gap }) => gap !== 'price_unknown')
    .map((one) => ({ ...one, subject: one.subject ?? inputs.id }));
  if (basis.market === null) return { chances: null, gaps };
  const { paths, within_hours, max_slippage_bps } = PORTFOLIO.exit;
  const plan = {
    position_usd: amount_usd,
    horizon_hours: Math.max(...within_hours),
    max_slippage_bps,
    slices: 1,
    seed,
  };
  const { exit_hour } = simulateExit(basis.market, plan, 0, paths);
  const chances = within_hours.map((hours) => {
    const left = exit_hour.filter((hour) => hour >= 0 && hour <= hours).length;
    const { from, to } = wilsonInterval(left, paths);
    return { within_hours: hours, value: share(left / paths), ci95: { from: share(from), to: share(to) } };
  });
  const ofBuckets = bucketGaps(basis, basis.bucket === null ? [] : [basis.bucket]);
  return {
    chances,
    gaps: [
      ...gaps,
      ...ofBuckets.map((one) => ({ ...one, subject: inputs.id })),
      ...calibrationGaps(calibration, inputs.id),
    ],
  };
}

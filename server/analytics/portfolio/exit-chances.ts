// Whether positions can leave their lending markets: exits simulated from the past flows of each market. The price does not affect when a
// position leaves.
import { type Calibration, calibrationGaps } from '../../../models/calibration-gaps.ts';
import { wilsonInterval } from '../../../models/estimates.ts';
import { simulateExit } from '../../../models/exit.ts';
import { bucketGaps, exitBasis } from '../../../models/exit-market.ts';
import type { Depth } from '../../../models/pool-depth.ts';
import { share } from '../../../models/rounding.ts';
import type { AnalyticsGapEntry, ExitInputs } from '../../../schemas/analytics.ts';
import { PORTFOLIO } from '../../../schemas/portfolio-limits.ts';

export interface ExitChance {
  readonly within_hours: number;
  readonly value: number;
  readonly ci95: { readonly from: number; readonly to: number };
}

export interface ExitChances {
  /** Null if the history is too short, or the state or the depth is unknown. */
  readonly chances: ExitChance[] | null;
  readonly gaps: readonly AnalyticsGapEntry[];
}

export interface ExitChanceInput {
  readonly inputs: ExitInputs;
  readonly depth: Depth | null;
  /** All positions in the market together, because they leave together. */
  readonly amount_usd: number;
  /** The market's calibration verdict; null without one. */
  readonly calibration: Calibration | null;
  readonly seed: number;
}

/** Probability that the whole amount leaves a market. */
export function exitChancesOf({
  inputs,
  depth,
  amount_usd,
  calibration,
  seed,
}: ExitChanceInput): ExitChances {
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

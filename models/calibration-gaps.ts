// The gaps of a response about the backtest of the exit model: none only if a backtest passed over enough fortnights.
import type { AnalyticsGapEntry } from '../schemas/analytics.ts';
import { gapOf } from './gaps.ts';

/** Result of the backtest of a market. */
export interface Calibration {
  readonly verdict: 'pass' | 'fail';
  /** Number of fortnights with scored forecasts; null if not published. */
  readonly fortnights: number | null;
}

/**
 * If all outcomes of a fortnight move together, a fortnight is one case. The test then detects probabilities that are five times too high
 * in 95 % of histories of this length, and in 70 % of histories of seven fortnights.
 */
export const ENOUGH_FORTNIGHTS = 13;
const FORTNIGHT_HOURS = 336;

/** `calibration` is null without a verdict. */
export function calibrationGaps(
  calibration: Calibration | null,
  subject: string | null = null,
): readonly AnalyticsGapEntry[] {
  if (calibration?.verdict !== 'pass') return [gapOf('not_calibrated', { subject })];
  const { fortnights } = calibration;
  if (fortnights !== null && fortnights >= ENOUGH_FORTNIGHTS) return [];
  const have_hours = fortnights === null ? null : fortnights * FORTNIGHT_HOURS;
  const need_hours = ENOUGH_FORTNIGHTS * FORTNIGHT_HOURS;
  return [gapOf('calibration_short', { subject, have_hours, need_hours })];
}

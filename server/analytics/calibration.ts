// The result of a market's published backtest of the exit model.
import type { Calibration } from '../../models/calibration-gaps.ts';
import type { ExitBacktest } from '../../schemas/backtests.ts';

/** Taken from the backtest over all sizes with the shortest horizon that covers the requested one; null without a verdict. */
export function calibrationOf(rows: readonly ExitBacktest[], horizon_hours: number): Calibration | null {
  const [row] = rows
    .filter((one) => one.size === null && one.horizon_hours >= horizon_hours)
    .toSorted((a, b) => a.horizon_hours - b.horizon_hours);
  if (row === undefined || row.calibration === 'insufficient') return null;
  // Older versions have no fortnights.
  return { verdict: row.calibration, fortnights: row.calibration_blocks ?? null };
}

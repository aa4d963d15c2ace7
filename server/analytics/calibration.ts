// What the published backtest of a market says about the exit model.
import type { Calibration } from '../../models/calibration-gaps.ts';
import type { ExitBacktest } from '../../schemas/backtests.ts';

/** By the backtest of the shortest horizon that covers the one asked for, over all sizes; null where there is no verdict. */
export function calibrationOf(rows: readonly ExitBacktest[], horizon_hours: number): Calibration | null {
  const [row] = rows
    .filter((one) => one.size === null && one.horizon_hours >= horizon_hours)
    .toSorted((a, b) => a.horizon_hours - b.horizon_hours);
  if (row === undefined || row.calibration === 'insufficient') return null;
  // Versions that were published before have no fortnights.
  return { verdict: row.calibration, fortnights: row.calibration_blocks ?? null };
}

// Whether the exit model is calibrated, by the published backtest of a market.
import type { Calibration } from '../../models/exit-run.ts';
import type { ExitBacktest } from '../../schemas/backtests.ts';

/** By the backtest of the shortest horizon that covers the one asked for, over all sizes; null where there is no verdict. */
export function calibrationOf(rows: readonly ExitBacktest[], horizon_hours: number): Calibration {
  const [row] = rows
    .filter((one) => one.size === null && one.horizon_hours >= horizon_hours)
    .toSorted((a, b) => a.horizon_hours - b.horizon_hours);
  return row === undefined || row.calibration === 'insufficient' ? null : row.calibration;
}

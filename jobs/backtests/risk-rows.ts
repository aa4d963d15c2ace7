// Backtests of value at risk as rows of their raw table.
import { type ReturnHours, type RiskBacktest, riskBacktests } from '../../models/risk-backtest.ts';
import { roundTo } from '../../models/rounding.ts';
import type { TestResult } from '../../models/var-tests.ts';
import type { Series } from './read-hours.ts';

export interface Moment {
  /** Midnight at which the backtest ends, Unix seconds. */
  readonly as_of: number;
  /** Logical time of the computation, Unix seconds. */
  readonly computed_at: number;
}

export type BacktestRow = Readonly<Record<string, string | number | null>>;

export const riskRows = ({ id, hours }: Series<ReturnHours>, moment: Moment): readonly BacktestRow[] =>
  riskBacktests(hours).map((one) => ({
    symbol: id,
    ...moment,
    step_hours: one.step_hours,
    level: one.level,
    model: one.model,
    returns: one.returns,
    window_size: one.window,
    trials: one.trials,
    expected: roundTo(one.expected, 4),
    exceedances: one.exceedances.length,
    ...tested('frequency', one.frequency),
    ...tested('independence', one.independence),
    ...tested('joint', one.joint),
    basel_zone: one.zone,
    exceeded: JSON.stringify(one.exceedances.map(exceedance)),
    worst: worstOf(one),
  }));

const tested = (name: string, result: TestResult | null) => ({
  [`${name}_statistic`]: result === null ? null : roundTo(result.statistic, 4),
  [`${name}_p_value`]: result === null ? null : roundTo(result.p_value, 4),
});

const exceedance = ({ at, return: happened, threshold }: RiskBacktest['exceedances'][number]) => ({
  at,
  return: roundTo(happened, 8),
  threshold: roundTo(threshold, 8),
});

function worstOf({ exceedances }: RiskBacktest): number | null {
  if (exceedances.length === 0) return null;
  return roundTo(Math.min(...exceedances.map(({ return: happened, threshold }) => happened - threshold)), 8);
}

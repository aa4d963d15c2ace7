// Computes the backtests of one night from the hours in the warehouse, up to a midnight and no later.

import { exitForecasts } from '../../models/exit-backtest.ts';
import { DAY_S, HOUR_S } from '../../platform/base/time.ts';
import type { PolicyValues } from '../define/policy/define.ts';
import type { Queries } from '../engine/warehouse.ts';
import {
  ALL,
  ALL_VAULTS,
  type BacktestRow,
  type ExitSample,
  exitRows,
  type Moment,
  riskRows,
} from './backtest-rows.ts';
import { marketHours, returnHours, vaultHours, vaultIds } from './read-hours.ts';

/** The policy values that backtests depend on. */
export interface BacktestPolicy {
  readonly window_hours: number;
  readonly min_hours: number;
  readonly backtest: {
    readonly risk_days: number;
    readonly exit_days: number;
    readonly paths: number;
    readonly min_forecasts: number;
    readonly min_outcomes: number;
  };
}

export const backtestPolicyOf = (policy: PolicyValues) => policy['analytics'] as BacktestPolicy;

export async function riskBacktestRows(
  warehouse: Queries,
  moment: Moment,
  { backtest }: BacktestPolicy,
): Promise<readonly BacktestRow[]> {
  const rows: BacktestRow[] = [];
  const span = { from: moment.as_of - backtest.risk_days * DAY_S, to: moment.as_of };
  for await (const series of returnHours(warehouse, span)) rows.push(...riskRows(series, moment));
  return rows;
}

export async function exitBacktestRows(
  warehouse: Queries,
  moment: Moment,
  { window_hours, min_hours, backtest }: BacktestPolicy,
): Promise<readonly BacktestRow[]> {
  const first = moment.as_of - backtest.exit_days * DAY_S;
  const span = { from: first - window_hours * HOUR_S, to: moment.as_of };
  const options = { window_hours, min_hours, paths: backtest.paths };
  const rows: BacktestRow[] = [];
  for (const [all, series, ids] of [
    [ALL, marketHours(warehouse, span), []],
    [ALL_VAULTS, vaultHours(warehouse, span), await vaultIds(warehouse, span)],
  ] as const) {
    const samples: ExitSample[] = [];
    for await (const { id, hours } of series) {
      const forecasts = exitForecasts(hours, options).filter(({ at }) => at >= first);
      samples.push({ id, hours_known: hours.hour.length, forecasts });
    }
    const whole = together(all, samples, ids);
    rows.push(...[...whole, ...samples].flatMap((one) => exitRows(one, moment, backtest)));
  }
  return rows;
}

/** All samples as one; none if nothing is known. `ids`: also of what has no sample. */
function together(id: string, samples: readonly ExitSample[], ids: readonly string[]): readonly ExitSample[] {
  const all = [...new Set([...ids, ...samples.map((one) => one.id)])].sort();
  if (all.length === 0) return [];
  return [
    {
      id,
      hours_known: Math.max(0, ...samples.map(({ hours_known }) => hours_known)),
      forecasts: samples.flatMap(({ forecasts }) => forecasts),
      parts: { ids: all, samples },
    },
  ];
}

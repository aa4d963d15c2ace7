// Backtests as rows of their raw tables: of value at risk, and of exits.

import { calibrationTest } from '../../models/calibration-test.ts';
import { EXIT_HORIZONS, EXIT_SIZES, type ExitForecast } from '../../models/exit-backtest.ts';
import {
  brierScore,
  climatologyScore,
  type ReliabilityBin,
  reliabilityBins,
  type VerdictRule,
  verdictOf,
} from '../../models/forecast-score.ts';
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

/** Id of the rows that cover all markets together. */
export const ALL = 'all';
/** Id of the rows that cover all vaults together. */
export const ALL_VAULTS = 'vault:all';
/** Size of the rows that cover all sizes together. */
const EVERY_SIZE = 0;

export interface ExitSample {
  readonly id: string;
  readonly hours_known: number;
  readonly forecasts: readonly ExitForecast[];
  /** Of all together: the ids of everything that is known, and the samples of what has one. */
  readonly parts?: { readonly ids: readonly string[]; readonly samples: readonly ExitSample[] };
}

/** One row for each horizon and size. */
export function exitRows(
  { id, hours_known, forecasts, parts }: ExitSample,
  moment: Moment,
  rule: VerdictRule,
): readonly BacktestRow[] {
  return EXIT_HORIZONS.flatMap((horizon_hours) =>
    [EVERY_SIZE, ...EXIT_SIZES].map((size) => {
      const isOwn = (one: ExitForecast) =>
        one.horizon_hours === horizon_hours && (size === EVERY_SIZE || one.size === size);
      const own = forecasts.filter(isOwn);
      return {
        id,
        ...moment,
        horizon_hours,
        size,
        hours_known,
        ...scored(own, rule),
        stranded: strandedOf(id, own),
        ...untestedOf(parts, isOwn),
      };
    }),
  );
}

const MAX_NAMED = 100;

/** What a verdict over all of a kind says nothing of. */
function untestedOf(parts: ExitSample['parts'], isOwn: (one: ExitForecast) => boolean): BacktestRow {
  if (parts === undefined) return { untested: null, untested_ids: null };
  const tested = new Set(parts.samples.filter(({ forecasts }) => forecasts.some(isOwn)).map(({ id }) => id));
  const ids = parts.ids.filter((id) => !tested.has(id));
  return { untested: ids.length, untested_ids: JSON.stringify(ids.slice(0, MAX_NAMED)) };
}

/** Leaves out exits that are possible at once: they need no forecast and would make any score look good. */
function scored(forecasts: readonly ExitForecast[], rule: VerdictRule): BacktestRow {
  const waiting = forecasts.filter(({ isImmediate }) => !isImmediate);
  const known = waiting.flatMap(({ at, probability, isExited }) =>
    isExited === null ? [] : [{ at, probability, isTrue: isExited }],
  );
  const test = calibrationTest(known);
  return {
    forecasts: forecasts.length,
    immediate: forecasts.length - waiting.length,
    open: waiting.length - known.length,
    scored: known.length,
    exited: known.filter(({ isTrue }) => isTrue).length,
    brier: roundedOrNull(brierScore(known)),
    climatology: roundedOrNull(climatologyScore(known)),
    blocks: test.blocks,
    p_value: test.p_value === null ? null : roundTo(test.p_value, 4),
    bins: JSON.stringify(reliabilityBins(known).map(binOf)),
    verdict: verdictOf(known, test, rule),
  };
}

const roundedOrNull = (value: number | null) => (value === null ? null : roundTo(value, 6));

const binOf = ({ interval, mean_probability, observed_share, ...bin }: ReliabilityBin) => ({
  ...bin,
  mean_probability: roundTo(mean_probability, 6),
  observed_share: roundTo(observed_share, 6),
  observed_from: roundTo(interval.from, 6),
  observed_to: roundTo(interval.to, 6),
});

function strandedOf(id: string, forecasts: readonly ExitForecast[]): string {
  if (id === ALL || id === ALL_VAULTS) return '[]';
  const stranded = forecasts.filter(({ isImmediate, isExited }) => !isImmediate && isExited === false);
  return JSON.stringify(
    stranded.map(({ at, size, probability }) => ({ at, size, probability: roundTo(probability, 6) })),
  );
}

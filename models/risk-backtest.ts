// Walk-forward backtests of value at risk over the hourly returns of an asset: over one hour and over one UTC day, at 95 and 99 %, by
// three models.
import { DAY_S, HOUR_S } from '../platform/base/time.ts';
import { VAR_MODELS, type VarModel, walkForward } from './var-models.ts';
import {
  type BaselZone,
  baselZone,
  christoffersen,
  conditionalCoverage,
  kupiec,
  type TestResult,
} from './var-tests.ts';

const HOURS_OF_DAY = 24;

export const VAR_LEVELS = [0.95, 0.99] as const;

/** Hours of a return, and the window and weight of its models: 30 days for hours, 90 days for days. */
export const VAR_STEPS = [
  { step_hours: 1, window: 720, lambda: 0.97 },
  { step_hours: 24, window: 90, lambda: 0.94 },
] as const;

/** Known hours, ascending, as `return-inputs` publishes them: the start of each hour and the return over it. */
export interface ReturnHours {
  readonly hour: readonly number[];
  readonly return: readonly number[];
}

export interface Exceedance {
  /** End of the hour or day, Unix seconds. */
  readonly at: number;
  readonly return: number;
  /** Return below which there is an exceedance. */
  readonly threshold: number;
}

export interface RiskBacktest {
  readonly step_hours: number;
  readonly level: number;
  readonly model: VarModel;
  /** Number of known returns, and number of returns in the window of a forecast. */
  readonly returns: number;
  readonly window: number;
  readonly trials: number;
  /** Exceedances expected at the level. */
  readonly expected: number;
  readonly exceedances: readonly Exceedance[];
  /** Frequency (Kupiec), independence (Christoffersen) and both at once; null without forecasts. */
  readonly frequency: TestResult | null;
  readonly independence: TestResult | null;
  readonly joint: TestResult | null;
  readonly zone: BaselZone | null;
}

export function riskBacktests(hours: ReturnHours): readonly RiskBacktest[] {
  return VAR_STEPS.flatMap(({ step_hours, window, lambda }) => {
    const series = step_hours === 1 ? hourly(hours) : daily(hours);
    return VAR_LEVELS.flatMap((level) =>
      VAR_MODELS.map((model) => backtest(series, { step_hours, window, lambda, level, model })),
    );
  });
}

interface Return {
  readonly at: number;
  readonly value: number;
}

const hourly = (hours: ReturnHours): readonly Return[] =>
  hours.hour.map((hour, index) => ({ at: hour + HOUR_S, value: hours.return[index] ?? 0 }));

/** Hourly returns compounded over UTC days with every hour known. */
function daily(hours: ReturnHours): readonly Return[] {
  const days: Return[] = [];
  let [day, count, growth] = [-1, 0, 1];
  for (const [index, hour] of hours.hour.entries()) {
    const own = hour - (hour % DAY_S);
    if (own !== day) [day, count, growth] = [own, 0, 1];
    count++;
    growth *= 1 + (hours.return[index] ?? 0);
    if (count === HOURS_OF_DAY) days.push({ at: day + DAY_S, value: growth - 1 });
  }
  return days;
}

interface Test {
  readonly step_hours: number;
  readonly window: number;
  readonly lambda: number;
  readonly level: 0.95 | 0.99;
  readonly model: VarModel;
}

function backtest(series: readonly Return[], test: Test): RiskBacktest {
  const { step_hours, window, level, model } = test;
  const forecasts = walkForward(
    series.map(({ value }) => value),
    test,
  );
  const hits = forecasts.map(({ isExceeded }) => isExceeded);
  const exceedances = forecasts
    .filter(({ isExceeded }) => isExceeded)
    .map(({ index, threshold }) => ({
      at: series[index]?.at ?? 0,
      return: series[index]?.value ?? 0,
      threshold,
    }));
  const [trials, rate] = [hits.length, 1 - level];
  const isTested = trials > 1;
  return {
    step_hours,
    level,
    model,
    returns: series.length,
    window,
    trials,
    expected: trials * rate,
    exceedances,
    frequency: isTested ? kupiec(trials, exceedances.length, rate) : null,
    independence: isTested ? christoffersen(hits) : null,
    joint: isTested ? conditionalCoverage(hits, rate) : null,
    zone: isTested ? baselZone(trials, exceedances.length, rate) : null,
  };
}

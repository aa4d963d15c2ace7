// One run of the exit Monte Carlo from published inputs to published figures. A pure function: the same inputs, request and seed yield
// the same figures everywhere.
import type { AnalyticsGapEntry, ExitInputs, ReturnInputs } from '../schemas/analytics.ts';
import type { ExitFigures, ExitResult } from '../schemas/exit.ts';
import { type Calibration, calibrationGaps } from './calibration-gaps.ts';
import { ascendingOf, type Interval, wilsonInterval } from './estimates.ts';
import type { ExitPaths } from './exit.ts';
import {
  exits,
  interval,
  type LossFigures,
  lossesOf,
  lossFigures,
  NO_FIGURES,
  pathFigures,
  type Scope,
  TAIL_LEVEL,
} from './exit-figures.ts';
import { bucketBounds, bucketGaps, type ExitBasis, exitBasis, MIN_TAIL_HOURS } from './exit-market.ts';
import type { ExitOrder, ExitPart } from './exit-parts.ts';
import { gapOf } from './gaps.ts';
import { largerDepth, type PooledDepth } from './pool-depth.ts';
import { share, usd } from './rounding.ts';

export interface ExitSources {
  readonly exit: ExitInputs;
  readonly returns: ReturnInputs | null;
  /** Amount of the lent asset that pools take. */
  readonly pooled?: PooledDepth | null;
}

export type ExitOutcome = ExitFigures &
  Pick<ExitResult, 'depth_usd' | 'withdrawable_usd' | 'inputs' | 'gaps' | 'warnings'> & {
    /** False if the inputs allow no figures. */
    readonly has_figures: boolean;
  };

export const basisOf = (
  { exit, returns, pooled = null }: ExitSources,
  { initial_utilization }: ExitOrder,
): ExitBasis =>
  exitBasis(
    exit,
    returns,
    initial_utilization,
    largerDepth(exit.depth_usd, pooled, returns?.price_usd ?? null),
  );

/** Figures of a whole run; without paths, those of an empty run. */
export const outcomeOf = (
  basis: ExitBasis,
  order: ExitOrder,
  { paths, parameters }: ExitPart,
  calibration: Calibration | null,
): ExitOutcome => withParameters(outcomeOfPaths(basis, order, paths, calibration), parameters);

/** The figures that do not depend on resampled histories. */
export function outcomeOfPaths(
  basis: ExitBasis,
  order: ExitOrder,
  paths: ExitPaths | null,
  calibration: Calibration | null,
): ExitOutcome {
  const { market } = basis;
  const has_tail = basis.hours_known >= MIN_TAIL_HOURS;
  const scope: Scope = { has_price: basis.has_price, has_tail };
  const isRun = market !== null && paths !== null;
  const ascending = isRun && scope.has_price ? ascendingOf(lossesOf(paths)) : null;
  const losses = ascending && order.confidence.map((level) => lossFigures(ascending, level));
  return {
    has_figures: isRun,
    exit_probability: isRun ? exitProbability(paths) : null,
    ...(isRun ? pathFigures(paths, ascending, order, scope) : NO_FIGURES),
    confidence: order.confidence.map((level, index) =>
      confidenceOf(level, isReported(level, has_tail) ? (losses?.[index] ?? null) : null),
    ),
    depth_usd: market === null ? null : nullable(market.depth_usd),
    withdrawable_usd: market === null ? null : usd(market.withdrawable_usd),
    inputs: inputsOf(basis),
    gaps: [...basis.gaps, ...runGaps(basis, order, paths), ...calibrationGaps(calibration)],
    warnings: [
      ...(basis.is_limited ? [warning('withdrawable_limited', null, null)] : []),
      ...(calibration?.verdict === 'fail' ? [warning('calibration_failed', null, null)] : []),
      ...(losses ?? [])
        .filter(({ level }) => isReported(level, has_tail))
        .flatMap((own) => tailWarning(own, order)),
    ],
  };
}

const nullable = (value: number | null) => (value === null ? null : usd(value));
const isReported = (level: number, has_tail: boolean) => has_tail || level < TAIL_LEVEL;

function runGaps(basis: ExitBasis, { confidence }: ExitOrder, paths: ExitPaths | null): AnalyticsGapEntry[] {
  if (basis.market === null || paths === null) return [];
  const { hours_known } = basis;
  const isThin = hours_known < MIN_TAIL_HOURS;
  const short = gapOf('history_short', { have_hours: hours_known, need_hours: MIN_TAIL_HOURS });
  const subject = confidence.some((level) => level >= TAIL_LEVEL) ? 'confidence' : 'percentiles';
  return [...(isThin ? [{ ...short, subject }] : []), ...bucketGaps(basis, paths.buckets_entered)];
}

function exitProbability({ exit_hour }: ExitPaths): NonNullable<ExitFigures['exit_probability']> {
  const count = exits(exit_hour);
  return {
    value: share(count / exit_hour.length),
    ci95: interval(wilsonInterval(count, exit_hour.length), share),
    parameter_ci: null,
  };
}

function confidenceOf(level: number, figures: LossFigures | null): ExitFigures['confidence'][number] {
  if (figures === null) return { level, var_usd: null, cvar_usd: null };
  return {
    level,
    var_usd: { value: usd(figures.var_usd), ci95: interval(figures.var_ci95, usd), parameter_ci: null },
    cvar_usd: {
      value: usd(figures.cvar_usd),
      standard_error: usd(figures.cvar_error),
      parameter_ci: null,
    },
  };
}

/** Adds to each figure its range over resampled histories. */
export function withParameters(outcome: ExitOutcome, runs: ExitPart['parameters']): ExitOutcome {
  const { exit_probability, confidence } = outcome;
  if (runs === null || exit_probability === null) return outcome;
  const parameter_ci = interval(rangeOf(runs.map((run) => run.probability)), share);
  return {
    ...outcome,
    exit_probability: { ...exit_probability, parameter_ci },
    confidence: confidence.map((one, index) => {
      if (one.var_usd === null || one.cvar_usd === null) return one;
      const own = runs.flatMap((run) => run.losses[index] ?? []);
      const range = (pick: (run: LossFigures) => number) => interval(rangeOf(own.map(pick)), usd);
      return {
        ...one,
        var_usd: { ...one.var_usd, parameter_ci: range((run) => run.var_usd) },
        cvar_usd: { ...one.cvar_usd, parameter_ci: range((run) => run.cvar_usd) },
      };
    }),
  };
}

const rangeOf = (values: readonly number[]): Interval => ({
  from: Math.min(...values),
  to: Math.max(...values),
});

type Warning = ExitResult['warnings'][number];

const warning = (name: Warning['warning'], level: number | null, need_paths: number | null): Warning => ({
  warning: name,
  level,
  need_paths,
});

/** The error falls with the square root of the number of paths. */
function tailWarning({ level, cvar_usd, cvar_error }: LossFigures, { paths }: ExitOrder): readonly Warning[] {
  if (!(cvar_usd > 0 && cvar_error > cvar_usd / 10)) return [];
  const ratio = cvar_error / (cvar_usd / 10);
  return [
    warning('few_tail_paths', level, Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(paths * ratio * ratio))),
  ];
}

const inputsOf = (basis: ExitBasis): ExitResult['inputs'] => ({
  hours_known: basis.hours_known,
  from: basis.from,
  to: basis.to,
  mean_block_hours: basis.market === null ? null : basis.market.block_hours,
  bucket: basis.bucket === null ? null : bucketBounds(basis.bucket),
  rows_in_bucket: basis.bucket === null ? null : (basis.bucket_rows[basis.bucket] ?? 0),
  feeds: [...basis.feeds],
});

// One run of the exit Monte Carlo from published inputs to published figures. A pure function: the same inputs, request and seed give
// the same figures everywhere.
import type { AnalyticsGapEntry, ExitInputs, ReturnInputs } from '../schemas/analytics.ts';
import type { ExitFigures, ExitResult } from '../schemas/exit.ts';
import { ascendingOf, type Interval, wilsonInterval } from './estimates.ts';
import { type ExitPaths, simulateExit } from './exit.ts';
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
import { type ParameterRun, parameterRuns, RESAMPLES } from './exit-parameters.ts';
import { gapOf } from './gaps.ts';
import { largerDepth, type PooledDepth } from './pool-depth.ts';
import { share, usd } from './rounding.ts';

/** The request with its defaults and its seed. */
export interface ExitOrder {
  readonly position_usd: number;
  readonly horizon_hours: number;
  readonly paths: number;
  readonly max_slippage_bps: number;
  readonly confidence: readonly number[];
  readonly slices: number;
  readonly seed: number;
  readonly initial_utilization: number | null;
}

/** What the backtest of the market says about the model; null where none is published. */
export type Calibration = 'pass' | 'fail' | null;

export interface ExitSources {
  readonly exit: ExitInputs;
  readonly returns: ReturnInputs | null;
  /** What pools take of the lent asset. */
  readonly pooled?: PooledDepth | null;
}

export type ExitOutcome = ExitFigures &
  Pick<ExitResult, 'depth_usd' | 'withdrawable_usd' | 'inputs' | 'gaps' | 'warnings'> & {
    /** False where the inputs allowed no figure. */
    readonly has_figures: boolean;
  };

/** Paths are simulated in chunks of this many. */
export const CHUNK_PATHS = 250;

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

/** What is simulated of a run: some of its paths, and some of those over resampled histories. */
export interface ExitPart {
  /** Null where the inputs allow none. */
  readonly paths: ExitPaths | null;
  /** Null also where the order has too many paths. */
  readonly parameters: readonly ParameterRun[] | null;
}

/** Part number `part` of so many; there may be fewer paths in the last one. */
export function partOf(basis: ExitBasis, order: ExitOrder, part = 0, parts = 1): ExitPart {
  const { market } = basis;
  if (market === null) return { paths: null, parameters: null };
  const chunks = Math.ceil(order.paths / CHUNK_PATHS);
  const boundOf = (count: number, place: number) => Math.floor((place * count) / parts);
  const path = (place: number) => Math.min(order.paths, boundOf(chunks, place) * CHUNK_PATHS);
  return {
    paths: simulateExit(market, order, path(part), path(part + 1)),
    parameters: parameterRuns(market, order, boundOf(RESAMPLES, part), boundOf(RESAMPLES, part + 1)),
  };
}

/** All parts in their order, as one. */
export function joinParts(parts: readonly ExitPart[]): ExitPart {
  const paths = parts.flatMap((part) => part.paths ?? []);
  const runs = parts.flatMap(({ parameters }) => parameters ?? []);
  return {
    paths: paths.length === 0 ? null : joinPaths(paths),
    parameters: runs.length === 0 ? null : runs,
  };
}

function joinPaths(parts: readonly ExitPaths[]): ExitPaths {
  const all = (pick: (part: ExitPaths) => Float64Array) => joined(Float64Array, parts.map(pick));
  const isPriced = parts.every(({ slippage_loss_usd }) => slippage_loss_usd !== null);
  return {
    exit_hour: joined(
      Int32Array,
      parts.map(({ exit_hour }) => exit_hour),
    ),
    proceeds_usd: all(({ proceeds_usd }) => proceeds_usd),
    stranded_usd: all(({ stranded_usd }) => stranded_usd),
    price_loss_usd: all(({ price_loss_usd }) => price_loss_usd),
    slippage_loss_usd: isPriced
      ? all(({ slippage_loss_usd }) => slippage_loss_usd ?? new Float64Array())
      : null,
    buckets_entered: [...new Set(parts.flatMap(({ buckets_entered }) => buckets_entered))].sort(
      (a, b) => a - b,
    ),
  };
}

function joined<T extends Float64Array | Int32Array>(
  List: new (length: number) => T,
  parts: readonly T[],
): T {
  const whole = new List(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

/** Figures of a whole run; without paths those of an empty one. */
export function outcomeOf(
  basis: ExitBasis,
  order: ExitOrder,
  { paths, parameters }: ExitPart,
  calibration: Calibration,
): ExitOutcome {
  const { market } = basis;
  const has_tail = basis.hours_known >= MIN_TAIL_HOURS;
  const scope: Scope = { has_price: basis.has_price, has_tail };
  const isRun = market !== null && paths !== null;
  const ascending = isRun && scope.has_price ? ascendingOf(lossesOf(paths)) : null;
  const losses = ascending && order.confidence.map((level) => lossFigures(ascending, level));
  return {
    has_figures: isRun,
    exit_probability: isRun ? exitProbability(paths, parameters) : null,
    ...(isRun ? pathFigures(paths, ascending, order, scope) : NO_FIGURES),
    confidence: order.confidence.map((level, place) =>
      confidenceOf(level, isReported(level, has_tail) ? (losses?.[place] ?? null) : null, {
        runs: parameters?.map((run) => run.losses[place]) ?? null,
      }),
    ),
    depth_usd: market === null ? null : nullable(market.depth_usd),
    withdrawable_usd: market === null ? null : usd(market.withdrawable_usd),
    inputs: inputsOf(basis),
    gaps: [
      ...basis.gaps,
      ...runGaps(basis, order, paths),
      ...(calibration === 'pass' ? [] : [gapOf('not_calibrated')]),
    ],
    warnings: [
      ...(calibration === 'fail' ? [warning('calibration_failed', null, null)] : []),
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

function exitProbability(
  { exit_hour }: ExitPaths,
  parameters: readonly ParameterRun[] | null,
): NonNullable<ExitFigures['exit_probability']> {
  const count = exits(exit_hour);
  return {
    value: share(count / exit_hour.length),
    ci95: interval(wilsonInterval(count, exit_hour.length), share),
    parameter_ci: parameters && interval(rangeOf(parameters.map((run) => run.probability)), share),
  };
}

function confidenceOf(
  level: number,
  figures: LossFigures | null,
  { runs }: { readonly runs: readonly (LossFigures | undefined)[] | null },
): ExitFigures['confidence'][number] {
  if (figures === null) return { level, var_usd: null, cvar_usd: null };
  const range = (pick: (run: LossFigures) => number) =>
    runs && interval(rangeOf(runs.flatMap((run) => (run === undefined ? [] : [pick(run)]))), usd);
  return {
    level,
    var_usd: {
      value: usd(figures.var_usd),
      ci95: interval(figures.var_ci95, usd),
      parameter_ci: range((run) => run.var_usd),
    },
    cvar_usd: {
      value: usd(figures.cvar_usd),
      standard_error: usd(figures.cvar_error),
      parameter_ci: range((run) => run.cvar_usd),
    },
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

/** The error falls with the root of the number of paths. */
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

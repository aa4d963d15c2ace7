// Parts of a run of the exit Monte Carlo, so that several workers can share it. Each path and each run over a resampled history depends
// only on the seed and its own number, so the figures do not depend on how the run is shared.
import { type ExitPaths, simulateExit } from './exit.ts';
import type { ExitBasis } from './exit-market.ts';
import {
  hasParameters,
  type ParameterRun,
  parameterRuns,
  RESAMPLES,
  resamplePaths,
} from './exit-parameters.ts';

/** The request with defaults and seed filled in. */
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

/** Paths are simulated in chunks of this many. */
const CHUNK_PATHS = 250;

/** A part of a run: paths and runs over resampled histories, each `from` (inclusive) to `to` (exclusive). */
export interface ExitShare {
  readonly paths: Range;
  readonly resamples: Range;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Cost of one path in the figures, in simulated hours. */
const FIGURES_HOURS = 15;

/** Cost of the paths of an order, in runs over resampled histories. */
const pathsInRuns = ({ paths, horizon_hours }: ExitOrder): number =>
  (paths * (horizon_hours + FIGURES_HOURS)) / (resamplePaths(paths) * horizon_hours);

/**
 * Shares for at most `workers` workers. If parameters vary, one worker simulates all paths, so that it can go on to the figures, and the
 * others get runs over resampled histories that take about as long. Otherwise paths are shared by whole chunks.
 */
export function sharesOf(order: ExitOrder, workers: number): readonly ExitShare[] {
  if (!hasParameters(order)) {
    const bounds = boundsOf(Math.ceil(order.paths / CHUNK_PATHS), workers);
    return bounds.map(({ from, to }) => ({
      paths: { from: from * CHUNK_PATHS, to: Math.min(order.paths, to * CHUNK_PATHS) },
      resamples: NOTHING,
    }));
  }
  const paths = pathsInRuns(order);
  const own = workers === 1 ? RESAMPLES : Math.max(0, Math.round((paths + RESAMPLES) / workers - paths));
  const others = workers === 1 ? [] : boundsOf(RESAMPLES - own, workers - 1);
  return [
    { paths: { from: 0, to: order.paths }, resamples: { from: 0, to: own } },
    ...others.map(({ from, to }) => ({ paths: NOTHING, resamples: { from: own + from, to: own + to } })),
  ];
}

const NOTHING: Range = { from: 0, to: 0 };

/** Splits `count` into at most `parts` ranges of about the same length. */
function boundsOf(count: number, parts: number): readonly Range[] {
  const of = Math.min(parts, count);
  const bound = (index: number) => Math.floor((index * count) / of);
  return Array.from({ length: of }, (_, index) => ({ from: bound(index), to: bound(index + 1) }));
}

/** The simulated part of a run. */
export interface ExitPart {
  /** Null if the inputs allow none. */
  readonly paths: ExitPaths | null;
  /** Also null if the order has too many paths. */
  readonly parameters: readonly ParameterRun[] | null;
}

export function partOf(basis: ExitBasis, order: ExitOrder, { paths, resamples }: ExitShare): ExitPart {
  const { market } = basis;
  if (market === null) return { paths: null, parameters: null };
  return {
    paths: simulateExit(market, order, paths.from, paths.to),
    parameters: parameterRuns(market, order, resamples.from, resamples.to),
  };
}

/** Joins all parts, in their order. */
export function joinParts(parts: readonly ExitPart[]): ExitPart {
  const paths = parts.flatMap((part) => part.paths ?? []);
  return { paths: paths.length === 0 ? null : joinPaths(paths), parameters: joinRuns(parts) };
}

/** Joins the runs over resampled histories of all parts, in their order. */
export function joinRuns(parts: readonly Pick<ExitPart, 'parameters'>[]): ExitPart['parameters'] {
  const runs = parts.flatMap(({ parameters }) => parameters ?? []);
  return runs.length === 0 ? null : runs;
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
  let index = 0;
  for (const part of parts) {
    whole.set(part, index);
    index += part.length;
  }
  return whole;
}

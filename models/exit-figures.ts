// Figures of a simulated exit with their errors, rounded as published.
import type { ExitFigures } from '../schemas/exit.ts';
import {
  ascendingOf,
  expectedShortfall,
  type Interval,
  meanOf,
  quantile,
  quantileInterval,
  wilsonInterval,
} from './estimates.ts';
import type { ExitPaths, ExitPlan } from './exit.ts';
import { roundParts, share, usd } from './rounding.ts';

/** What a run can report with its inputs. */
export interface Scope {
  /** Future prices can be simulated. */
  readonly has_price: boolean;
  /** The history is long enough for percentiles of 1 %. */
  readonly has_tail: boolean;
}

/** Levels at or above this concern about 1 % of the paths. */
export const TAIL_LEVEL = 0.99;
const HISTOGRAM_PARTS = 20;
const HEADLINE = { mean: null, standard_error: null } as const;

/** Everything but `confidence`, which models/exit-run.ts adds with its parameter intervals. */
export type PathFigures = Omit<ExitFigures, 'confidence' | 'exit_probability'>;

/** `losses` are the losses of the paths in ascending order; null without a price. */
export function pathFigures(
  paths: ExitPaths,
  losses: Float64Array | null,
  plan: ExitPlan,
  { has_price, has_tail }: Scope,
): PathFigures {
  const exited = exitedAt(paths.exit_hour, plan.horizon_hours);
  return {
    exit_probability_by_hour: byHour(exited, paths.exit_hour.length),
    time_to_exit_hours: timeToExit(exited, paths.exit_hour.length),
    slippage_bps: percentiles(slippageOf(paths), { p50: 0.5, p95: 0.95, p99: has_tail ? 0.99 : null }),
    proceeds_usd: percentiles(has_price ? paths.proceeds_usd : null, {
      p01: has_tail ? 0.01 : null,
      p05: 0.05,
      p50: 0.5,
    }),
    stranded_usd: percentiles(has_price ? paths.stranded_usd : null, { p95: 0.95 }),
    histogram: losses === null ? null : histogramOf(losses),
    attribution: attributionOf(paths, plan, has_price),
  };
}

/** The figures of a run without a simulation. */
export const NO_FIGURES: PathFigures = {
  exit_probability_by_hour: null,
  time_to_exit_hours: { p50: null, p95: null, censored_share: null, ci95: {} },
  slippage_bps: { ...HEADLINE, p50: null, p95: null, p99: null, ci95: {} },
  proceeds_usd: { ...HEADLINE, p01: null, p05: null, p50: null, ci95: {} },
  stranded_usd: { ...HEADLINE, p95: null, ci95: {} },
  histogram: null,
  attribution: { price_usd: null, slippage_usd: null, stranded_usd: null },
};

/** Position minus proceeds and stranded value, by path. */
export function lossesOf({ price_loss_usd, slippage_loss_usd }: ExitPaths): Float64Array {
  const losses = price_loss_usd.slice();
  if (slippage_loss_usd === null) return losses;
  for (let path = 0; path < losses.length; path++)
    losses[path] = (price_loss_usd[path] as number) + (slippage_loss_usd[path] as number);
  return losses;
}

export function exits(hours: Int32Array): number {
  let count = 0;
  for (const hour of hours) if (hour >= 0) count++;
  return count;
}

export const interval = ({ from, to }: Interval, round: (value: number) => number): Interval => ({
  from: round(from),
  to: round(to),
});

/** Number of paths that exited in each hour. */
function exitedAt(hours: Int32Array, horizon: number): Int32Array {
  const exited = new Int32Array(horizon + 1);
  for (const hour of hours) if (hour >= 0) exited[hour] = (exited[hour] ?? 0) + 1;
  return exited;
}

function byHour(exited: Int32Array, paths: number): PathFigures['exit_probability_by_hour'] {
  let count = 0;
  return Array.from(exited, (own, hour) => {
    count += own;
    const ci95 = interval(wilsonInterval(count, paths), share);
    return { hour, value: share(count / paths), ci95 };
  });
}

/** Paths that do not exit come last, so a percentile among them is unknown. */
function timeToExit(exited: Int32Array, paths: number): PathFigures['time_to_exit_hours'] {
  const ascending = new Float64Array(paths).fill(Number.POSITIVE_INFINITY);
  let count = 0;
  for (const [hour, own] of exited.entries()) {
    ascending.fill(hour, count, count + own);
    count += own;
  }
  const known = (hour: number) => (hour === Number.POSITIVE_INFINITY ? null : hour);
  const ci = (level: number) => {
    const { from, to } = quantileInterval(ascending, level);
    return { from: known(from), to: known(to) };
  };
  const censored = paths - count;
  return {
    p50: known(quantile(ascending, 0.5)),
    p95: known(quantile(ascending, 0.95)),
    censored_share: share(censored / paths),
    ci95: {
      p50: ci(0.5),
      p95: ci(0.95),
      censored_share: interval(wilsonInterval(censored, paths), share),
    },
  };
}

/** Slippage in bps of what was sold, for the paths with a sale; null if the depth is unknown. */
function slippageOf({ proceeds_usd, slippage_loss_usd }: ExitPaths): Float64Array | null {
  if (slippage_loss_usd === null) return null;
  const bps = new Float64Array(proceeds_usd.length);
  let count = 0;
  for (let path = 0; path < bps.length; path++) {
    const slippage = slippage_loss_usd[path] as number;
    const sold = (proceeds_usd[path] as number) + slippage;
    if (sold > 0) bps[count++] = (slippage / sold) * 10_000;
  }
  return bps.subarray(0, count);
}

type Percentiles<K extends string> = Record<K, number | null> & {
  readonly mean: number | null;
  readonly standard_error: number | null;
  readonly ci95: Record<string, Interval | null>;
};

/** Rounded to two decimals. A level of null is not reported. */
function percentiles<K extends string>(
  values: Float64Array | null,
  levels: Readonly<Record<K, number | null>>,
): Percentiles<K> {
  const names = Object.keys(levels) as K[];
  const by = <T>(value: (level: number) => T) =>
    Object.fromEntries(
      names.map((name) => [name, levels[name] === null || !values?.length ? null : value(levels[name] ?? 1)]),
    ) as Record<K, T | null>;
  const ascending = ascendingOf(values ?? []);
  const mean = values === null || values.length === 0 ? null : meanOf(values);
  return {
    mean: mean && usd(mean.value),
    ...by((level) => usd(quantile(ascending, level))),
    standard_error: mean && usd(mean.standard_error),
    ci95: by((level) => interval(quantileInterval(ascending, level), usd)),
  };
}

function histogramOf(ascending: Float64Array): NonNullable<PathFigures['histogram']> {
  const low = ascending[0] ?? 0;
  const high = ascending.at(-1) ?? low;
  const parts = high > low ? HISTOGRAM_PARTS : 1;
  const width = (high - low) / parts;
  const counts = new Int32Array(parts);
  // Not `for … of`, which allocates an object per number.
  for (let index = 0; index < ascending.length; index++) {
    const loss = ascending[index] as number;
    const part = width > 0 ? Math.min(parts - 1, Math.floor((loss - low) / width)) : 0;
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return Array.from(counts, (paths, part) => ({
    from_usd: usd(low + part * width),
    to_usd: part === parts - 1 ? usd(high) : usd(low + (part + 1) * width),
    paths,
  }));
}

/** To the cent: together with the published mean proceeds, the parts add up to the position. */
function attributionOf(paths: ExitPaths, plan: ExitPlan, has_price: boolean): PathFigures['attribution'] {
  if (!has_price) return { price_usd: null, slippage_usd: null, stranded_usd: null };
  const { price_loss_usd, slippage_loss_usd, stranded_usd, proceeds_usd } = paths;
  const rest = usd(plan.position_usd) - usd(meanOf(proceeds_usd).value);
  const parts = [price_loss_usd, stranded_usd, ...(slippage_loss_usd === null ? [] : [slippage_loss_usd])];
  const [price = 0, stranded = 0, slippage = null] = roundParts(
    rest,
    parts.map((values) => meanOf(values).value),
    2,
  );
  return { price_usd: price, slippage_usd: slippage, stranded_usd: stranded };
}

export interface LossFigures {
  readonly level: number;
  readonly var_usd: number;
  readonly var_ci95: Interval;
  readonly cvar_usd: number;
  readonly cvar_error: number;
}

/** Value at risk and expected shortfall of ascending losses, not rounded. */
export function lossFigures(ascending: Float64Array, level: number): LossFigures {
  const tail = expectedShortfall(ascending, level);
  return {
    level,
    var_usd: quantile(ascending, level),
    var_ci95: quantileInterval(ascending, level),
    cvar_usd: tail.value,
    cvar_error: tail.standard_error,
  };
}

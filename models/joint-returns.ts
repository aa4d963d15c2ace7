// Joint rows of hourly returns: which symbols have enough hours in common, their returns in units of the volatility at the time (filtered
// historical simulation), and the block length of a bootstrap over them.
import { HOUR_S } from '../platform/base/time.ts';
import { optimalBlockLength } from './block-length.ts';
import type { ReturnInputs } from './portfolio.ts';
import { ewmaDeviations } from './var-models.ts';

export interface PriceSeries {
  readonly symbol: string;
  /** Starts of the known hours, Unix seconds, ascending. */
  readonly hour: readonly number[];
  /** Simple return over each of these hours. */
  readonly value: readonly number[];
}

export interface JointHours {
  /** Hours known for every symbol, ascending. */
  readonly hours: readonly number[];
  /** In the order given. */
  readonly series: readonly PriceSeries[];
  /** Symbols left out so that the others share enough hours. */
  readonly left_out: readonly PriceSeries[];
}

/**
 * The symbols that share at least `need` hours. While they do not, the symbol without which the others share the most hours is left out; of
 * equals, the one that ended first, then the one with fewer hours.
 */
export function chooseJointHours(series: readonly PriceSeries[], need: number): JointHours {
  let kept = series.filter(({ hour }) => hour.length >= need);
  let hours = hoursOf(kept);
  while (kept.length > 1 && hours.length < need) {
    const worst = symbolToLeaveOut(kept);
    kept = kept.filter((one) => one !== worst);
    hours = hoursOf(kept);
  }
  return { hours, series: kept, left_out: series.filter((one) => !kept.includes(one)) };
}

/** Hours known in all series. */
function hoursOf(series: readonly PriceSeries[]): readonly number[] {
  const counts = countsByHour(series);
  return (series[0]?.hour ?? []).filter((hour) => counts.get(hour) === series.length);
}

function countsByHour(series: readonly PriceSeries[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { hour } of series) for (const one of hour) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** Without a series, the others share the common hours and those that only this series lacks. */
function symbolToLeaveOut(series: readonly PriceSeries[]): PriceSeries | undefined {
  const almost = [...countsByHour(series)].filter(([, count]) => count === series.length - 1);
  const ranked = series.map((one) => {
    const own = new Set(one.hour);
    return { one, gain: almost.filter(([hour]) => !own.has(hour)).length, last: one.hour.at(-1) ?? 0 };
  });
  ranked.sort(
    (a, b) =>
      b.gain - a.gain ||
      a.last - b.last ||
      a.one.hour.length - b.one.hour.length ||
      (a.one.symbol < b.one.symbol ? -1 : 1),
  );
  return ranked[0]?.one;
}

/** Weight of the past in the hourly variance. */
const HOURLY_LAMBDA = 0.97;
/**
 * Limit on how much larger or smaller a past return is drawn. Volatility hardly ever changes more within weeks, except for a price that
 * stands still for days, whose one jump would be multiplied by thousands without a limit.
 */
const MAX_SCALE = 4;

export interface Volatility {
  /** Standard deviation of the return over the next hour. */
  readonly sigma_now: number;
  /** By hour: the return in units of `sigma_now`, rescaled to today's volatility. */
  readonly z: Float64Array;
}

/** For simple hourly returns, oldest first: each is scaled by current volatility over the volatility forecast for its hour. */
export function volatilityOf(returns: readonly number[]): Volatility {
  const deviations = ewmaDeviations([...returns, 0], HOURLY_LAMBDA);
  const sigma_now = deviations[returns.length] ?? 0;
  const z = Float64Array.from(returns, (value, index) =>
    value === 0 || sigma_now === 0 ? 0 : (value * scaleOf(sigma_now, deviations[index] ?? 0)) / sigma_now,
  );
  return { sigma_now, z };
}

/** A forecast of 0 was made before the first move of the price. */
const scaleOf = (now: number, then: number): number =>
  then === 0 ? MAX_SCALE : Math.min(MAX_SCALE, Math.max(1 / MAX_SCALE, now / then));

const MIN_BLOCK_HOURS = 6;
const MAX_BLOCK_HOURS = 168;
const FALLBACK_BLOCK_HOURS = 24;

export interface BlockHours {
  readonly value: number;
  /** The series does not determine a length, so the fallback is used. */
  readonly is_assumed: boolean;
}

/** Mean length of blocks for a series of hourly values. */
export function blockHoursOf(values: readonly number[]): BlockHours {
  const best = optimalBlockLength(values);
  if (best === null || !Number.isFinite(best.stationary))
    return { value: FALLBACK_BLOCK_HOURS, is_assumed: true };
  const value = Math.min(MAX_BLOCK_HOURS, Math.max(MIN_BLOCK_HOURS, best.stationary));
  return { value, is_assumed: false };
}

export interface Column {
  readonly series: PriceSeries;
  /** Factor on the returns: 1, or a beta that the caller assumes. */
  readonly beta: number;
  /** Share of the portfolio, for the choice of the block length. */
  readonly weight: number;
}

export interface JointReturns {
  readonly inputs: ReturnInputs;
  readonly block: BlockHours;
}

/** Rows for a simulation; blocks never cross a missing hour. The block length is that of the portfolio's own hourly return. */
export function jointReturns(hours: readonly number[], columns: readonly Column[]): JointReturns {
  const block = blockHoursOf(weightedReturns(hours, columns));
  const symbols = columns.map(({ series, beta }) => {
    const { sigma_now, z } = volatilityOf(series.value);
    return { sigma_now: sigma_now * beta, z: withoutGain(valuesAt(hours, series.hour, z), beta) };
  });
  const history = { stretchEnd: stretchEnds(hours), bucket: new Uint8Array(hours.length) };
  return { inputs: { history, block_hours: block.value, symbols }, block };
}

/**
 * Subtracts the mean of the rows if it is a gain for the holder: the trend of some weeks says little about the next weeks, and what an
 * asset accrues is counted as yield. A losing trend stays.
 */
function withoutGain(z: Float64Array, beta: number): Float64Array {
  const mean = z.reduce((sum, value) => sum + value, 0) / Math.max(1, z.length);
  return mean * beta > 0 ? z.map((value) => value - mean) : z;
}

function weightedReturns(hours: readonly number[], columns: readonly Column[]): readonly number[] {
  const total = new Float64Array(hours.length);
  for (const { series, beta, weight } of columns) {
    const factor = beta * weight;
    const own = valuesAt(hours, series.hour, series.value);
    for (let row = 0; row < total.length; row++)
      total[row] = (total[row] as number) + factor * (own[row] as number);
  }
  return [...total];
}

/** Values at the wanted hours, 0 at unknown ones; both lists are ascending. */
function valuesAt(
  wanted: readonly number[],
  known: readonly number[],
  values: ArrayLike<number>,
): Float64Array {
  const found = new Float64Array(wanted.length);
  let index = 0;
  for (const [row, hour] of wanted.entries()) {
    while (index < known.length && (known[index] as number) < hour) index++;
    if (known[index] === hour) found[row] = values[index] ?? 0;
  }
  return found;
}

/** For each row the last row that follows it without a missing hour. */
export function stretchEnds(hours: readonly number[]): Int32Array {
  const ends = new Int32Array(hours.length);
  for (let row = hours.length - 1; row >= 0; row--) {
    const isLast = hours[row + 1] !== (hours[row] ?? 0) + HOUR_S;
    ends[row] = isLast ? row : (ends[row + 1] ?? row);
  }
  return ends;
}

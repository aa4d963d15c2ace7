// Risk of a portfolio from joint hourly returns: losses by position and path, value at risk, expected shortfall, and the contribution of
// each position. The contributions to expected shortfall add up to it exactly (Euler's allocation).
import { ascendingOf, expectedShortfall, quantile, sortAscending, type TailMean } from './estimates.ts';
import { type History, HistoryWalk } from './history-walk.ts';
import { openStream } from './random-stream.ts';
import type { PoolShares } from './simulator/inputs.ts';
import { factorOf } from './simulator/pools.ts';

export interface ReturnInputs {
  /** Hours known for every symbol; all buckets are 0. */
  readonly history: History;
  readonly block_hours: number;
  readonly symbols: readonly {
    /** Standard deviation of the return over the next hour. */
    readonly sigma_now: number;
    /** Return of each hour divided by its standard deviation at the time. */
    readonly z: Float64Array;
  }[];
}

export interface Holding {
  readonly amount_usd: number;
  /** Index of each asset in the inputs' symbols, and its weight; weights add up to 1. */
  readonly assets: readonly { readonly symbol: number; readonly weight: number }[];
  /** Shares of a pool of these assets, in this order, whose value follows the pool's curve instead of the sum. Null for anything else. */
  readonly pool: PoolShares | null;
}

export interface Horizon {
  readonly hours: number;
  readonly paths: number;
  readonly seed: number;
}

const PURPOSE_RETURNS = 1;

/** Gross return of each symbol over the horizon, by path: `[symbol][path − from]`. The hours of a path are the same for all symbols. */
export function simulateReturns(
  inputs: ReturnInputs,
  horizon: Pick<Horizon, 'hours' | 'seed'>,
  from: number,
  to: number,
): readonly Float64Array[] {
  const gross = inputs.symbols.map(() => new Float64Array(to - from));
  returnWriter(inputs, horizon)(gross, from);
  return gross;
}

/** Writes the gross returns of the paths starting at `from`, as many as fit. */
type WriteReturns = (gross: readonly Float64Array[], from: number) => void;

function returnWriter(inputs: ReturnInputs, { hours, seed }: Pick<Horizon, 'hours' | 'seed'>): WriteReturns {
  const count = inputs.symbols.length;
  const walk = new HistoryWalk(inputs.history, inputs.block_hours);
  const factors = hourlyFactors(inputs);
  const values = new Float64Array(count);
  return (gross, from) => {
    for (let path = 0; path < (gross[0]?.length ?? 0); path++) {
      const stream = openStream(seed, from + path, PURPOSE_RETURNS);
      let row = walk.draw(stream, 0);
      values.fill(1);
      for (let hour = 0; hour < hours; hour++) {
        if (hour > 0) row = walk.next(stream, row, 0);
        const offset = row * count;
        for (let index = 0; index < count; index++)
          values[index] = (values[index] ?? 1) * (factors[offset + index] ?? 1);
      }
      for (const [index, own] of gross.entries()) own[path] = values[index] ?? 1;
    }
  };
}

/** Paths whose returns are kept at a time; keeping all would double the memory of the losses. */
const CHUNK_PATHS = 500;

/** Losses of the holdings, `[holding][path]`, USD. */
export function simulateLosses(
  inputs: ReturnInputs,
  holdings: readonly Holding[],
  { paths, ...horizon }: Horizon,
): readonly Float64Array[] {
  const losses = holdings.map(() => new Float64Array(paths));
  const room = inputs.symbols.map(() => new Float64Array(Math.min(paths, CHUNK_PATHS)));
  const write = returnWriter(inputs, horizon);
  for (let from = 0; from < paths; from += CHUNK_PATHS) {
    const to = Math.min(paths, from + CHUNK_PATHS);
    const gross = to - from === CHUNK_PATHS ? room : room.map((own) => own.subarray(0, to - from));
    write(gross, from);
    for (const [index, holding] of holdings.entries())
      writeLosses(losses[index]?.subarray(from, to) ?? new Float64Array(), holding, gross);
  }
  return losses;
}

/** Gross return of each symbol in each hour, with the symbols of one hour next to each other. */
function hourlyFactors({ history, symbols }: ReturnInputs): Float64Array {
  const factors = new Float64Array(history.bucket.length * symbols.length);
  for (const [index, { sigma_now, z }] of symbols.entries())
    for (let row = 0; row < history.bucket.length; row++)
      factors[row * symbols.length + index] = 1 + Math.max(-1, (z[row] ?? 0) * sigma_now);
  return factors;
}

/** Loss of one holding in each path, USD; negative for a gain. A holding without assets loses nothing. */
export function lossesOf(holding: Holding, gross: readonly Float64Array[]): Float64Array {
  const losses = new Float64Array(gross[0]?.length ?? 0);
  writeLosses(losses, holding, gross);
  return losses;
}

function writeLosses(
  value: Float64Array,
  { amount_usd, assets, pool }: Holding,
  gross: readonly Float64Array[],
): void {
  value.fill(assets.length === 0 ? 1 : 0);
  if (pool !== null) {
    const own = assets.map(({ symbol }) => gross[symbol] ?? value);
    const factor = factorOf(pool);
    const factors = own.map(() => 1);
    for (let path = 0; path < value.length; path++) {
      for (let index = 0; index < own.length; index++) factors[index] = own[index]?.[path] ?? 1;
      value[path] = factor(factors);
    }
  } else
    for (const { symbol, weight } of assets)
      for (let path = 0; path < value.length; path++)
        value[path] = (value[path] ?? 0) + weight * (gross[symbol]?.[path] ?? 1);
  for (let path = 0; path < value.length; path++) value[path] = amount_usd * (1 - (value[path] as number));
}

export interface PortfolioRisk {
  /** Losses of the whole portfolio in ascending order, one per path. */
  readonly ascending: Float64Array;
  readonly var_usd: number;
  readonly expected_shortfall: TailMean;
  readonly contributions: readonly Contribution[];
}

export interface Contribution {
  /** Mean loss of the position in the tail of the portfolio. */
  readonly expected_shortfall_usd: number;
  /** Mean loss of the position around the quantile, adjusted so that contributions add up to the value at risk. */
  readonly var_usd: number;
  /** Value at risk of the portfolio minus that without the position. */
  readonly marginal_var_usd: number;
  /** Expected shortfall of the portfolio minus that without the position. */
  readonly marginal_expected_shortfall_usd: number;
}

/** Half width of the band of paths around the quantile to which value at risk is attributed. */
const BAND = 0.005;

/** `losses[position][path]`, all of one length; level such as .95. @throws RangeError without paths. */
export function portfolioRisk(losses: readonly Float64Array[], level: number): PortfolioRisk {
  const total = sumByPath(losses);
  const ascending = ascendingOf(total);
  const var_usd = quantile(ascending, level);
  const expected_shortfall = expectedShortfall(ascending, level);
  const { tail, band } = pathsAround(total, expected_shortfall.count);
  const banded = scaledTo(
    var_usd,
    losses.map((own) => meanAt(own, band)),
  );
  const rest = new Float64Array(total.length);
  const contributions = losses.map((own, index) => {
    // One buffer for all positions, because a worker has little memory.
    for (let path = 0; path < rest.length; path++) rest[path] = (total[path] ?? 0) - (own[path] ?? 0);
    const without = sortAscending(rest);
    return {
      expected_shortfall_usd: meanAt(own, tail),
      var_usd: banded[index] ?? 0,
      marginal_var_usd: var_usd - quantile(without, level),
      marginal_expected_shortfall_usd: expected_shortfall.value - expectedShortfall(without, level).value,
    };
  });
  return { ascending, var_usd, expected_shortfall, contributions };
}

function sumByPath(losses: readonly Float64Array[]): Float64Array {
  const total = new Float64Array(losses[0]?.length ?? 0);
  for (const own of losses)
    for (let path = 0; path < total.length; path++) total[path] = (total[path] ?? 0) + (own[path] ?? 0);
  return total;
}

/** The paths of the tail, and those around the quantile at its start. Equal losses are ordered by path. */
function pathsAround(
  total: Float64Array,
  count: number,
): { readonly tail: readonly number[]; readonly band: readonly number[] } {
  const order = Array.from(total.keys()).sort((a, b) => (total[a] ?? 0) - (total[b] ?? 0) || a - b);
  const first = total.length - count;
  const half = Math.floor(BAND * total.length);
  return {
    tail: order.slice(first),
    band: order.slice(Math.max(0, first - half), Math.min(total.length, first + half + 1)),
  };
}

/**
 * Parts that add up to the total: what is missing is added in proportion to their sizes. Unlike a common factor, this stays bounded if
 * gains and losses nearly cancel.
 */
function scaledTo(total: number, parts: readonly number[]): readonly number[] {
  const size = parts.reduce((sum, part) => sum + Math.abs(part), 0);
  const missing = total - parts.reduce((sum, part) => sum + part, 0);
  return size === 0 ? parts : parts.map((part) => part + (missing * Math.abs(part)) / size);
}

const meanAt = (values: Float64Array, positions: readonly number[]): number =>
  positions.reduce((sum, index) => sum + (values[index] ?? 0), 0) / positions.length;

export interface Dependence {
  readonly correlation: number;
  /** Share of the worst hours of one series in which the other was among its own worst; the worst 5 % of each. */
  readonly lower_tail: number;
  readonly count: number;
}

const TAIL_SHARE = 0.05;

/** For two series over the same hours; null if either is constant. */
export function dependenceOf(a: Float64Array, b: Float64Array): Dependence | null {
  const count = a.length;
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / count;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, ownA, ownB] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const [x, y] = [(a[i] ?? 0) - meanA, (b[i] ?? 0) - meanB];
    both += x * y;
    ownA += x * x;
    ownB += y * y;
  }
  if (!(ownA > 0 && ownB > 0)) return null;
  const [limitA, limitB] = [quantile(ascendingOf(a), TAIL_SHARE), quantile(ascendingOf(b), TAIL_SHARE)];
  let [worstA, worstBoth] = [0, 0];
  for (let i = 0; i < count; i++) {
    if ((a[i] ?? 0) > limitA) continue;
    worstA++;
    if ((b[i] ?? 0) <= limitB) worstBoth++;
  }
  return { correlation: both / Math.sqrt(ownA * ownB), lower_tail: worstBoth / worstA, count };
}

// Risk of a portfolio from joint hourly returns: losses by position and path, value at risk, expected shortfall, and what each
// position contributes. The shares of expected shortfall add up to it exactly (Euler's allocation).
import { ascendingOf, expectedShortfall, quantile, type TailMean } from './estimates.ts';
import { HistoryWalk, type History } from './history-walk.ts';
import { openStream } from './random-stream.ts';

export interface ReturnInputs {
  /** Hours that every symbol knows; their buckets are all 0. */
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
  /** Place of each asset in the inputs' symbols, and its weight; weights add up to 1. */
  readonly assets: readonly { readonly symbol: number; readonly weight: number }[];
  /** Two equal assets of a constant-product pool: the value follows the geometric mean, not the sum. */
  readonly is_pool: boolean;
}

export interface Horizon {
  readonly hours: number;
  readonly paths: number;
  readonly seed: number;
}

const PURPOSE_RETURNS = 1;

/** Gross return over the horizon of each symbol, by path: `[symbol][path − from]`. The hours of one path are the same for all symbols. */
export function simulateReturns(
  inputs: ReturnInputs,
  { hours, seed }: Pick<Horizon, 'hours' | 'seed'>,
  from: number,
  to: number,
): readonly Float64Array[] {
  const gross = inputs.symbols.map(() => new Float64Array(to - from).fill(1));
  const walk = new HistoryWalk(inputs.history, inputs.block_hours);
  for (let path = from; path < to; path++) {
    const stream = openStream(seed, path, PURPOSE_RETURNS);
    let row = walk.draw(stream, 0);
    for (let hour = 0; hour < hours; hour++) {
      if (hour > 0) row = walk.next(stream, row, 0);
      for (const [place, { sigma_now, z }] of inputs.symbols.entries()) {
        const values = gross[place];
        if (values !== undefined)
          values[path - from] = (values[path - from] ?? 1) * grossOf(z, row, sigma_now);
      }
    }
  }
  return gross;
}

const grossOf = (z: Float64Array, row: number, sigma: number) => 1 + Math.max(-1, (z[row] ?? 0) * sigma);

/** Loss of one holding in each path, USD; negative for a gain. */
export function lossesOf(
  { amount_usd, assets, is_pool }: Holding,
  gross: readonly Float64Array[],
): Float64Array {
  const paths = gross[0]?.length ?? 0;
  return Float64Array.from({ length: paths }, (_, path) => {
    const returns = assets.map(({ symbol, weight }) => ({ weight, value: gross[symbol]?.[path] ?? 1 }));
    const [first, second] = returns;
    const value =
      is_pool && first !== undefined && second !== undefined
        ? Math.sqrt(first.value * second.value)
        : returns.reduce((sum, part) => sum + part.weight * part.value, 0);
    return amount_usd * (1 - value);
  });
}

export interface PortfolioRisk {
  readonly var_usd: number;
  readonly expected_shortfall: TailMean;
  readonly contributions: readonly Contribution[];
}

export interface Contribution {
  /** Mean loss of the position in the tail of the portfolio. */
  readonly expected_shortfall_usd: number;
  /** Mean loss of the position around the quantile, scaled so that all add up to the value at risk. */
  readonly var_usd: number;
  /** Value at risk of the portfolio less that without the position. */
  readonly marginal_var_usd: number;
}

/** Half width of the band of paths around the quantile that value at risk is attributed by. */
const BAND = 0.005;

/** `losses[position][path]`, all of one length; level such as .95. @throws RangeError without paths. */
export function portfolioRisk(losses: readonly Float64Array[], level: number): PortfolioRisk {
  const paths = losses[0]?.length ?? 0;
  const total = Float64Array.from({ length: paths }, (_, path) =>
    losses.reduce((sum, own) => sum + (own[path] ?? 0), 0),
  );
  const sorted = ascendingOf(total);
  const var_usd = quantile(sorted, level);
  const expected_shortfall = expectedShortfall(sorted, level);
  const order = Array.from(total.keys()).sort((a, b) => (total[a] ?? 0) - (total[b] ?? 0) || a - b);
  const tail = order.slice(paths - expected_shortfall.count);
  const middle = paths - expected_shortfall.count;
  const half = Math.max(0, Math.floor(BAND * paths));
  const band = order.slice(Math.max(0, middle - half), Math.min(paths, middle + half + 1));
  const banded = losses.map((own) => meanAt(own, band));
  const bandTotal = banded.reduce((sum, value) => sum + value, 0);
  const contributions = losses.map((own, place) => ({
    expected_shortfall_usd: meanAt(own, tail),
    var_usd: bandTotal === 0 ? 0 : ((banded[place] ?? 0) / bandTotal) * var_usd,
    marginal_var_usd:
      var_usd - quantile(ascendingOf(total.map((sum, path) => sum - (own[path] ?? 0))), level),
  }));
  return { var_usd, expected_shortfall, contributions };
}

const meanAt = (values: Float64Array, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (values[place] ?? 0), 0) / places.length;

export interface Dependence {
  readonly correlation: number;
  /** Share of the worst hours of one in which the other was among its own worst; .05 of each. */
  readonly lower_tail: number;
  readonly count: number;
}

const TAIL_SHARE = 0.05;

/** Of two series over the same hours; null where either is constant. */
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

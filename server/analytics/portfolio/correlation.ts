// How the assets of a portfolio move together: pairwise correlation and lower-tail dependence of hourly returns, over the hours that both
// assets have.
import { gapOf } from '../../../models/gaps.ts';
import { dependenceOf } from '../../../models/portfolio.ts';
import { roundTo, share } from '../../../models/rounding.ts';
import type { AnalyticsGapEntry, ReturnInputs } from '../../../schemas/analytics.ts';
import type { PortfolioWarning } from '../../../schemas/portfolio.ts';
import type { Correlation } from '../../../schemas/portfolio-concentration.ts';
import { PORTFOLIO } from '../../../schemas/values.ts';
import { unwrapped } from '../../../schemas/wrapped-coins.ts';
import { assetsOf, weightsOf } from './holdings.ts';
import { type PortfolioInput, warningOf } from './portfolio-input.ts';
import type { ReturnsOf } from './prices.ts';

const MIN_HOURS = 720;
/** Share of the hours that form the lower tail. */
const TAIL_SHARE = 0.05;

export interface Correlations {
  /** Null if no symbol has published returns. */
  readonly block: Correlation | null;
  readonly gaps: readonly AnalyticsGapEntry[];
  readonly warnings: readonly PortfolioWarning[];
}

type Pair = Correlation['pairs'][number];

export function correlationsOf(input: PortfolioInput, returnsOf: ReturnsOf): Correlations {
  const held = symbolsByAmount(input);
  const published = held.flatMap((symbol) => {
    const inputs = returnsOf(symbol);
    return inputs === undefined ? [] : [{ symbol, hours: inputs.hours }];
  });
  const gaps = held
    .filter((symbol) => !published.some((one) => one.symbol === symbol))
    .map((symbol) => gapOf('price_unknown', { subject: symbol }));
  if (published.length === 0) return { block: null, gaps, warnings: [] };
  const compared = published.slice(0, PORTFOLIO.max_symbols_compared);
  const leftOut = published.length - compared.length;
  const pairs = compared.flatMap((a, index) => compared.slice(index + 1).map((b) => pairOf(a, b)));
  const symbols = compared.map(({ symbol }) => symbol);
  const short = pairs.filter(({ hours }) => hours < MIN_HOURS).map(gapOfPair);
  return {
    block: {
      symbols,
      matrix: matrixOf(symbols, pairs),
      mean: meanOf(pairs),
      pairs,
      gaps: [...gaps, ...short],
    },
    gaps: [],
    warnings: leftOut > 0 ? [warningOf('symbols_left_out', null, leftOut)] : [],
  };
}

/** Symbols of the portfolio, largest amount first. */
function symbolsByAmount({ positions }: PortfolioInput): readonly string[] {
  const amounts = new Map<string, number>();
  for (const position of positions) {
    const weights = weightsOf(position);
    for (const [index, asset] of assetsOf(position.opportunity).entries()) {
      const symbol = unwrapped(asset, position.opportunity.chain);
      amounts.set(symbol, (amounts.get(symbol) ?? 0) + position.amount_usd * (weights[index] ?? 0));
    }
  }
  return [...amounts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([symbol]) => symbol);
}

interface Series {
  readonly symbol: string;
  readonly hours: ReturnInputs['hours'];
}

function pairOf(a: Series, b: Series): Pair {
  const common = commonReturns(a.hours, b.hours);
  const hours = common.a.length;
  const found = hours < MIN_HOURS ? null : dependenceOf(common.a, common.b);
  const symbols = [a.symbol, b.symbol];
  if (found === null)
    return {
      symbols,
      hours,
      correlation: null,
      standard_error: null,
      lower_tail: null,
      lower_tail_standard_error: null,
    };
  const { correlation, lower_tail } = found;
  const tailHours = Math.ceil(hours * TAIL_SHARE);
  return {
    symbols,
    hours,
    correlation: roundTo(correlation, 6),
    standard_error: roundTo((1 - correlation * correlation) / Math.sqrt(hours - 1), 6),
    lower_tail: share(lower_tail),
    lower_tail_standard_error: roundTo(Math.sqrt((lower_tail * (1 - lower_tail)) / tailHours), 6),
  };
}

/** Returns in the hours that both have; hours ascend. Uses lists, because maps for many symbols exceed a worker's memory. */
function commonReturns(a: Series['hours'], b: Series['hours']): { a: Float64Array; b: Float64Array } {
  const room = Math.min(a.hour.length, b.hour.length);
  const [ofA, ofB] = [new Float64Array(room), new Float64Array(room)];
  let [count, other] = [0, 0];
  for (const [index, hour] of a.hour.entries()) {
    while (other < b.hour.length && (b.hour[other] as number) < hour) other++;
    if (b.hour[other] !== hour) continue;
    ofA[count] = a.return[index] ?? 0;
    ofB[count++] = b.return[other] ?? 0;
  }
  return { a: ofA.slice(0, count), b: ofB.slice(0, count) };
}

const gapOfPair = ({ symbols, hours }: Pair): AnalyticsGapEntry =>
  gapOf('history_short', { subject: symbols.join('/'), have_hours: hours, need_hours: MIN_HOURS });

function matrixOf(symbols: readonly string[], pairs: readonly Pair[]): (number | null)[][] {
  const known = new Map(pairs.map(({ symbols: pair, correlation }) => [pair.join('/'), correlation]));
  const between = (a: string, b: string) =>
    a === b ? 1 : (known.get(`${a}/${b}`) ?? known.get(`${b}/${a}`) ?? null);
  return symbols.map((a) => symbols.map((b) => between(a, b)));
}

function meanOf(pairs: readonly Pair[]): number | null {
  const known = pairs.flatMap(({ correlation }) => (correlation === null ? [] : [correlation]));
  return known.length === 0 ? null : roundTo(known.reduce((sum, value) => sum + value, 0) / known.length, 6);
}

// Which prices of a portfolio can be simulated together: those with enough hours of their own and in common, for positions all of whose
// assets have a price.
import { gapOf } from '../../../models/gaps.ts';
import { chooseJointHours, type PriceSeries } from '../../../models/joint-returns.ts';
import type { Holding } from '../../../models/portfolio.ts';
import type { AnalyticsGapEntry, ReturnInputs } from '../../../schemas/analytics.ts';
import { type Betas, betasOf, columnsOf, holdingOf, type PriceColumn } from './holdings.ts';
import type { PositionInput, PortfolioInput } from './portfolio-input.ts';

/** Published returns of a symbol; undefined if there are none. */
export type ReturnsOf = (symbol: string) => ReturnInputs | undefined;

export const seriesOf = ({ symbol, hours }: ReturnInputs): PriceSeries => ({
  symbol,
  hour: hours.hour,
  value: hours.return,
});

export interface PositionPrices {
  readonly position: PositionInput;
  readonly holding: Holding;
}

export interface Prices {
  /** Prices in use, sorted by symbol. The holdings' `symbol` is an index into this list. */
  readonly columns: readonly (PriceColumn & { readonly inputs: ReturnInputs; readonly amount_usd: number })[];
  /** Hours that all prices have, ascending. */
  readonly hours: readonly number[];
  readonly held: readonly PositionPrices[];
  /** Why other prices are not in use. */
  readonly gaps: readonly AnalyticsGapEntry[];
}

const MIN_HOURS = 336;
/** Required for a confidence of 0.99 or more. */
const MIN_HOURS_99 = 720;
const bySymbol = (a: { readonly symbol: string }, b: { readonly symbol: string }) =>
  a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0;

export function pricesOf(input: PortfolioInput, returnsOf: ReturnsOf): Prices {
  const { positions, confidence, assumptions } = input;
  const betas = betasOf(assumptions);
  const need = confidence >= 0.99 ? MIN_HOURS_99 : MIN_HOURS;
  const all = columnsFor(positions, betas);
  const published = publishedFor(all, returnsOf);
  const isLong = ({ source }: PriceColumn) => (published.get(source)?.hours.hour.length ?? 0) >= need;
  const wanted = inUse(positions, all.filter(isLong), betas);
  const series = [...new Set(wanted.map(({ source }) => source))].flatMap((source) => {
    const inputs = published.get(source);
    return inputs === undefined ? [] : [{ ...seriesOf(inputs), symbol: source }];
  });
  const joint = chooseJointHours(series.toSorted(bySymbol), need);
  const shared = new Set(joint.series.map(({ symbol }) => symbol));
  const columns = inUse(
    positions,
    wanted.filter(({ source }) => shared.has(source)),
    betas,
  );
  const leftOut = new Set(joint.left_out.map(({ symbol }) => symbol));
  const gaps = all.flatMap(({ symbol, source }) => {
    const have = published.get(source)?.hours.hour.length;
    if (have === undefined) return [gapOf('price_unknown', { subject: symbol })];
    if (have < need || leftOut.has(source))
      return [gapOf('history_short', { subject: symbol, have_hours: have, need_hours: need })];
    return [];
  });
  const held = heldIn(positions, columns, betas);
  const amounts = amountsOf(held, columns.length);
  const withInputs = columns.flatMap((column, index) => {
    const inputs = published.get(column.source);
    return inputs === undefined ? [] : [{ ...column, inputs, amount_usd: amounts[index] ?? 0 }];
  });
  return { columns: withInputs, hours: joint.hours, held, gaps };
}

/** Every price that a position depends on, sorted by symbol. */
function columnsFor(positions: readonly PositionInput[], betas: Betas): readonly PriceColumn[] {
  const found = new Map<string, PriceColumn>();
  for (const { opportunity } of positions)
    for (const column of columnsOf(opportunity, betas)) found.set(column.symbol, column);
  return [...found.values()].toSorted(bySymbol);
}

function publishedFor(
  columns: readonly PriceColumn[],
  returnsOf: ReturnsOf,
): ReadonlyMap<string, ReturnInputs> {
  const found = new Map<string, ReturnInputs>();
  for (const { source } of columns) {
    const inputs = returnsOf(source);
    if (inputs !== undefined) found.set(source, inputs);
  }
  return found;
}

/** The columns behind positions whose prices are all among the columns. */
function inUse(
  positions: readonly PositionInput[],
  columns: readonly PriceColumn[],
  betas: Betas,
): readonly PriceColumn[] {
  const used = new Set(
    heldIn(positions, columns, betas).flatMap(({ holding }) => holding.assets.map(({ symbol }) => symbol)),
  );
  return columns.filter((_, index) => used.has(index));
}

function heldIn(
  positions: readonly PositionInput[],
  columns: readonly PriceColumn[],
  betas: Betas,
): readonly PositionPrices[] {
  return positions.flatMap((position) => {
    const holding = holdingOf(position, columns, betas);
    return holding === undefined ? [] : [{ position, holding }];
  });
}

function amountsOf(held: readonly PositionPrices[], columns: number): readonly number[] {
  const amounts = Array.from({ length: columns }, () => 0);
  for (const { holding } of held)
    for (const { symbol, weight } of holding.assets)
      amounts[symbol] = (amounts[symbol] ?? 0) + weight * holding.amount_usd;
  return amounts;
}

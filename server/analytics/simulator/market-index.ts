// The lending markets of a version, indexed by what a simulation looks them up by.
import type { Static } from '../../../schemas/define.ts';
import type { LendingMarketSchema } from '../../../schemas/lending.ts';

export type LendingMarket = Static<typeof LendingMarketSchema>;

/** The markets of a version. `lending`: those that lend a symbol (upper case), largest first. `symbols`: all symbols that markets name. */
export interface MarketIndex {
  readonly lending: ReadonlyMap<string, readonly LendingMarket[]>;
  readonly symbols: ReadonlySet<string>;
  /** Markets by the feeds behind them, `<chain>:<feed_address>`. */
  readonly reading: ReadonlyMap<string, readonly LendingMarket[]>;
}

export function indexOf(markets: readonly LendingMarket[]): MarketIndex {
  const lending = new Map<string, LendingMarket[]>();
  const symbols = new Set<string>();
  for (const market of markets) {
    const loan = market.loan_symbol?.toUpperCase();
    if (market.collateral_symbol !== null) symbols.add(market.collateral_symbol.toUpperCase());
    if (loan === undefined) continue;
    symbols.add(loan);
    lending.set(loan, [...(lending.get(loan) ?? []), market]);
  }
  for (const list of lending.values()) list.sort((a, b) => (b.supplied_usd ?? 0) - (a.supplied_usd ?? 0));
  return { lending, symbols, reading: marketsByFeed(markets) };
}

export const idOf = ({ chain, market_id }: LendingMarket): string => `${chain}:${market_id}`;

/** Markets by the feeds behind them, `<chain>:<feed_address>`. */
function marketsByFeed(markets: Iterable<LendingMarket>): ReadonlyMap<string, readonly LendingMarket[]> {
  const reading = new Map<string, LendingMarket[]>();
  for (const market of markets)
    for (const id of feedsOf(market)) reading.set(id, [...(reading.get(id) ?? []), market]);
  return reading;
}

export const feedsOf = (market: LendingMarket | undefined): readonly string[] =>
  market === undefined ? [] : market.feeds.map((address) => `${market.chain}:${address}`);

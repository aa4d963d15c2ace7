// Reads the markets of Morpho Blue from its single contract: parameters and amounts of each, the tokens behind them, and the oracle.
// The contract states amounts as of the last interaction with the market; the interest since then is added from its rate model.
import { decimalText } from './hex.ts';
import type { Ask } from './contract-call.ts';
import { type CallPlan, type CallReading, readCalls } from './multicall.ts';
import { type OracleFeeds, oracleRows, readOracleFeeds } from './oracle-feeds.ts';
import type { Rpc } from './rpc.ts';
import { readTokens, type TokenFacts } from './token-abi.ts';
import { type MarketAtBlock, readMarketStates } from './vaults/market-state.ts';
import { supplyRate, YEAR_S } from './vaults/morpho-interest.ts';

/** Topic of `CreateMarket(bytes32,(address,address,address,address,uint256))`; its second topic is the id of the market. */
export const CREATE_MARKET = '0xac4b2400f169220b0c0afdde7a0b32e775ba727ea1cb30b35f935cdaab8683ac';
const WAD_DECIMALS = 18;

export interface MorphoReading {
  readonly markets: readonly MarketAtBlock[];
  readonly tokens: ReadonlyMap<string, TokenFacts>;
  /** Feeds behind the oracles of new markets. */
  readonly feeds: OracleFeeds;
  /** Markets without rows, and why. */
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

/** @throws ChainFault, RpcError */
export const readMorpho = (node: Rpc, plan: CallPlan & MarketPlan): Promise<CallReading<MorphoReading>> =>
  readCalls(node, plan, (ask) => readMarkets(ask, plan, BigInt(plan.head.timestamp)));

interface MarketPlan {
  readonly morpho: string;
  readonly ids: readonly string[];
  /** Markets whose oracles are not read again. */
  readonly known?: ReadonlySet<string>;
}

async function readMarkets(
  ask: Ask,
  { morpho: target, ids, known = new Set() }: MarketPlan,
  now: bigint,
): Promise<MorphoReading> {
  const found = await readMarketStates(ask, { morpho: target, ids, now });
  const markets = found.markets;
  const tokens = await readTokens(
    ask,
    markets.flatMap(({ loan, collateral }) => (collateral === null ? [loan] : [loan, collateral])),
  );
  const oracles = markets.flatMap(({ id, oracle }) => (oracle === null || known.has(id) ? [] : [oracle]));
  const unreadable = markets
    .filter(({ loan }) => !tokens.has(loan))
    .map(({ id, loan }) => ({ id, why: `the loan token ${loan} does not return its symbol and decimals` }));
  return {
    markets: markets.filter(({ loan }) => tokens.has(loan)),
    tokens,
    feeds: await readOracleFeeds(ask, oracles),
    missing: [...found.missing, ...unreadable],
  };
}

type Row = { readonly [field: string]: string | number | boolean | null };

export interface MorphoRows {
  readonly lending_market: readonly Row[];
  readonly market_oracle: readonly Row[];
  readonly market_state: readonly Row[];
  readonly market_parameter: readonly Row[];
}

/** Rows of the raw tables. Registry rows only for markets in `fresh`, because they never change. */
export function morphoRows(
  {
    chain,
    protocol,
    fresh,
  }: { readonly chain: string; readonly protocol: string; readonly fresh: ReadonlySet<string> },
  { head, value }: CallReading<MorphoReading>,
): MorphoRows {
  const { markets, tokens, feeds } = value;
  const at = (id: string) => ({ chain, market_id: id, observed_at: head.timestamp });
  const newcomers = markets.filter(({ id }) => fresh.has(id));
  return {
    lending_market: newcomers.map(({ id, loan, collateral, lltv }) => ({
      ...at(id),
      protocol,
      loan_asset: loan,
      loan_symbol: tokens.get(loan)?.symbol ?? null,
      collateral_asset: collateral,
      collateral_symbol: collateral === null ? null : (tokens.get(collateral)?.symbol ?? null),
      lltv: decimalText(lltv, WAD_DECIMALS),
    })),
    market_oracle: newcomers.flatMap(({ id, oracle }) =>
      oracle === null ? [] : oracleRows(at(id), oracle, feeds),
    ),
    market_state: markets.map((market) => ({
      ...at(market.id),
      block_number: head.number,
      ...amounts(tokens.get(market.loan)?.decimals ?? 0, market),
    })),
    market_parameter: markets.map(({ id, lltv, totals: { fee } }) => ({
      ...at(id),
      loan_to_value: decimalText(lltv, WAD_DECIMALS),
      liquidation_threshold: decimalText(lltv, WAD_DECIMALS),
      reserve_factor: decimalText(fee, WAD_DECIMALS),
    })),
  };
}

const amounts = (decimals: number, { totals, borrowRate }: MarketAtBlock) => ({
  supplied: decimalText(totals.supplyAssets, decimals),
  borrowed: decimalText(totals.borrowAssets, decimals),
  ...(borrowRate === null
    ? {}
    : {
        supply_apr_pct: percentAYear(supplyRate(totals, borrowRate)),
        borrow_apr_pct: percentAYear(borrowRate),
      }),
});

/** From a rate per second in 10^18ths. */
const percentAYear = (rate: bigint): string => decimalText(rate * YEAR_S * 100n, WAD_DECIMALS);

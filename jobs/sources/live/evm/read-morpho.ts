// Reads the markets of Morpho Blue from its single contract: parameters and amounts of each, the tokens behind them, and the oracle.
// Amounts are as of the last interaction with the market, without the interest since then.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { decimalText } from './hex.ts';
import { type Ask, type CallResult, readResult } from './contract-call.ts';
import { type CallPlan, type CallReading, readCalls } from './multicall.ts';
import { type OracleFeeds, oracleRows, readOracleFeeds } from './oracle-feeds.ts';
import type { Rpc } from './rpc.ts';
import { readTokens, type TokenFacts } from './token-abi.ts';

const MARKET = contractFunction(
  'market',
  { id: 'bytes32' },
  {
    totalSupplyAssets: 'uint128',
    totalSupplyShares: 'uint128',
    totalBorrowAssets: 'uint128',
    totalBorrowShares: 'uint128',
    lastUpdate: 'uint128',
    fee: 'uint128',
  },
);
const PARAMS = contractFunction(
  'idToMarketParams',
  { id: 'bytes32' },
  {
    loanToken: 'address',
    collateralToken: 'address',
    oracle: 'address',
    irm: 'address',
    lltv: 'uint256',
  },
);

/** Topic of `CreateMarket(bytes32,(address,address,address,address,uint256))`; its second topic is the id of the market. */
export const CREATE_MARKET = '0xac4b2400f169220b0c0afdde7a0b32e775ba727ea1cb30b35f935cdaab8683ac';
const WAD_DECIMALS = 18;
const NO_ADDRESS = `0x${'0'.repeat(40)}`;

export interface MorphoMarket {
  readonly id: string;
  readonly loan: string;
  /** Null for an idle market, which has no collateral. */
  readonly collateral: string | null;
  readonly oracle: string | null;
  readonly lltv: bigint;
  readonly supplied: bigint;
  readonly borrowed: bigint;
  readonly fee: bigint;
}

export interface MorphoReading {
  readonly markets: readonly MorphoMarket[];
  readonly tokens: ReadonlyMap<string, TokenFacts>;
  /** Feeds behind the oracles of new markets. */
  readonly feeds: OracleFeeds;
  /** Markets without rows, and why. */
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

/** @throws ChainFault, RpcError */
export const readMorpho = (node: Rpc, plan: CallPlan & MarketPlan): Promise<CallReading<MorphoReading>> =>
  readCalls(node, plan, (ask) => readMarkets(ask, plan));

interface MarketPlan {
  readonly morpho: string;
  readonly ids: readonly string[];
  /** Markets whose oracles are not read again. */
  readonly known?: ReadonlySet<string>;
}

async function readMarkets(
  ask: Ask,
  { morpho: target, ids, known = new Set() }: MarketPlan,
): Promise<MorphoReading> {
  const results = await ask(
    ids.flatMap((id) => [
      { target, data: MARKET.encodeCall({ id }) },
      { target, data: PARAMS.encodeCall({ id }) },
    ]),
  );
  const found = ids.map((id, index) => ({
    id,
    market: marketIn(id, results[index * 2], results[index * 2 + 1]),
  }));
  const markets = found.flatMap(({ market }) => (market === null ? [] : [market]));
  const tokens = await readTokens(
    ask,
    markets.flatMap(({ loan, collateral }) => (collateral === null ? [loan] : [loan, collateral])),
  );
  const oracles = markets.flatMap(({ id, oracle }) => (oracle === null || known.has(id) ? [] : [oracle]));
  const unknown = found
    .filter(({ market }) => market === null)
    .map(({ id }) => ({ id, why: 'no such market' }));
  const unreadable = markets
    .filter(({ loan }) => !tokens.has(loan))
    .map(({ id, loan }) => ({ id, why: `the loan token ${loan} does not return its symbol and decimals` }));
  return {
    markets: markets.filter(({ loan }) => tokens.has(loan)),
    tokens,
    feeds: await readOracleFeeds(ask, oracles),
    missing: [...unknown, ...unreadable],
  };
}

/** A market that does not exist has zero everywhere. */
function marketIn(
  id: string,
  stateResult: CallResult | undefined,
  paramsResult: CallResult | undefined,
): MorphoMarket | null {
  const state = readResult(MARKET, stateResult);
  const params = readResult(PARAMS, paramsResult);
  if (state === null || params === null || params.loanToken === NO_ADDRESS) return null;
  return {
    id,
    loan: params.loanToken,
    collateral: given(params.collateralToken),
    oracle: given(params.oracle),
    lltv: params.lltv,
    supplied: state.totalSupplyAssets,
    borrowed: state.totalBorrowAssets,
    fee: state.fee,
  };
}

const given = (address: string) => (address === NO_ADDRESS ? null : address);

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
    market_state: markets.map(({ id, loan, supplied, borrowed }) => ({
      ...at(id),
      block_number: head.number,
      ...amounts(tokens.get(loan)?.decimals ?? 0, { supplied, borrowed }),
    })),
    market_parameter: markets.map(({ id, lltv, fee }) => ({
      ...at(id),
      loan_to_value: decimalText(lltv, WAD_DECIMALS),
      liquidation_threshold: decimalText(lltv, WAD_DECIMALS),
      reserve_factor: decimalText(fee, WAD_DECIMALS),
    })),
  };
}

const amounts = (decimals: number, { supplied, borrowed }: Pick<MorphoMarket, 'supplied' | 'borrowed'>) => ({
  supplied: decimalText(supplied, decimals),
  borrowed: decimalText(borrowed, decimals),
});

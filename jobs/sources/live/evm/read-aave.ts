// Reads the reserves of one Aave v3 market through its data provider: amounts, rates, caps and parameters of each. Data providers are
// replaced now and then; the addresses provider, which never changes, names the current one. A market's id is the address of its deposit
// token.
import {
  dataProviderCall,
  priceOracleCall,
  priceSourceCall,
  CALLS_PER_RESERVE,
  type ReserveToken,
  reserveIn,
  reserveCalls,
  reservesCall,
  reservesIn,
} from './aave-abi.ts';
import { ChainFault } from './chain-fault.ts';
import { decimalText } from './hex.ts';
import { type Ask, addressIn, type CallResult } from './contract-call.ts';
import { type CallPlan, type CallReading, readCalls } from './multicall.ts';
import { type OracleFeeds, oracleRows, readOracleFeeds } from './oracle-feeds.ts';
import type { Rpc } from './rpc.ts';

const RAY_DECIMALS = 27;
const BPS_DECIMALS = 4;
const NO_BONUS = 10_000n;
/** Debt ceilings have two decimals. */
const CEILING_DECIMALS = 2;

export interface AaveReserve extends ReserveToken {
  readonly aToken: string;
  readonly decimals: number;
  readonly supplied: bigint;
  readonly borrowed: bigint;
  readonly supplyRate: bigint;
  readonly borrowRate: bigint;
  readonly ltv: bigint;
  readonly threshold: bigint;
  /** 10,500 for 5 %. */
  readonly bonus: bigint;
  readonly reserveFactor: bigint;
  readonly borrowCap: bigint;
  readonly supplyCap: bigint;
  readonly isBorrowingEnabled: boolean;
  readonly isActive: boolean;
  readonly isFrozen: boolean;
  /** Null if an older data provider does not report it. */
  readonly isPaused: boolean | null;
  readonly isSiloed: boolean | null;
  readonly protocolFee: bigint | null;
  readonly debtCeiling: bigint | null;
}

export interface AaveReading {
  readonly reserves: readonly AaveReserve[];
  /** Price sources of new reserves, by asset, and the feeds behind them. */
  readonly sources: ReadonlyMap<string, string>;
  readonly feeds: OracleFeeds;
  readonly missing: readonly { readonly asset: string; readonly why: string }[];
}

/** @throws ChainFault, RpcError */
export const readAave = (
  node: Rpc,
  /** `provider` is the addresses provider, or the data provider itself. */
  plan: CallPlan & MarketPlan,
): Promise<CallReading<AaveReading>> => readCalls(node, plan, (ask) => readReserves(ask, plan));

interface MarketPlan {
  readonly provider: string;
  /** Deposit tokens of reserves whose price sources are not read again. */
  readonly known?: ReadonlySet<string>;
}

async function readReserves(
  ask: Ask,
  { provider: given, known = new Set() }: MarketPlan,
): Promise<AaveReading> {
  const [data, oracle] = await ask([dataProviderCall(given), priceOracleCall(given)], { mayRevert: true });
  const provider = addressIn(data) ?? given;
  const [list] = await ask([reservesCall(provider)]);
  const tokens = reservesIn(list);
  if (tokens === null)
    throw new ChainFault(
      'shape',
      `${provider} does not respond as Aave's data provider does: check its address.`,
    );
  const results = await ask(tokens.flatMap(({ asset }) => reserveCalls(provider, asset)));
  const width = CALLS_PER_RESERVE;
  const reserves: AaveReserve[] = [];
  const missing: { asset: string; why: string }[] = [];
  tokens.forEach((token, index) => {
    const reserve = reserveOf(token, results.slice(index * width, (index + 1) * width));
    if (typeof reserve === 'string') missing.push({ asset: token.asset, why: reserve });
    else reserves.push(reserve);
  });
  const assets = reserves.flatMap(({ asset, aToken }) => (known.has(aToken) ? [] : [asset]));
  const sources = await readSources(ask, addressIn(oracle), assets);
  return { reserves, sources, feeds: await readOracleFeeds(ask, [...sources.values()]), missing };
}

/** Where each price comes from; unknown if only the data provider of the market is given. */
async function readSources(
  ask: Ask,
  oracle: string | null,
  assets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (oracle === null || assets.length === 0) return new Map();
  const results = await ask(assets.map((asset) => priceSourceCall(oracle, asset)));
  return new Map(
    assets.flatMap((asset, index) => {
      const source = addressIn(results[index]);
      return source === null ? [] : [[asset, source]];
    }),
  );
}

/** The reserve, or why it cannot be read. */
function reserveOf(token: ReserveToken, results: readonly CallResult[]): AaveReserve | string {
  const reserve = reserveIn(results);
  if (typeof reserve === 'string') return reserve;
  const { configuration, caps, state, tokens, ...optional } = reserve;
  return {
    ...token,
    ...optional,
    aToken: tokens.aTokenAddress,
    decimals: Number(configuration.decimals),
    supplied: state.totalAToken,
    borrowed: state.totalStableDebt + state.totalVariableDebt,
    supplyRate: state.liquidityRate,
    borrowRate: state.variableBorrowRate,
    ltv: configuration.ltv,
    threshold: configuration.liquidationThreshold,
    bonus: configuration.liquidationBonus,
    reserveFactor: configuration.reserveFactor,
    ...caps,
    isBorrowingEnabled: configuration.borrowingEnabled,
    isActive: configuration.isActive,
    isFrozen: configuration.isFrozen,
  };
}

type Row = { readonly [field: string]: string | number | boolean | null };

export interface AaveRows {
  readonly lending_market: readonly Row[];
  readonly market_oracle: readonly Row[];
  readonly market_state: readonly Row[];
  readonly market_parameter: readonly Row[];
}

const percent = (ray: bigint) => decimalText(ray * 100n, RAY_DECIMALS);
const fraction = (bps: bigint) => decimalText(bps, BPS_DECIMALS);

/** Rows of the raw tables; registry rows only for deposit tokens in `fresh`. */
export function aaveRows(
  {
    chain,
    protocol,
    fresh,
  }: { readonly chain: string; readonly protocol: string; readonly fresh: ReadonlySet<string> },
  { head, value }: CallReading<AaveReading>,
): AaveRows {
  const at = ({ aToken }: AaveReserve) => ({ chain, market_id: aToken, observed_at: head.timestamp });
  const newcomers = value.reserves.filter(({ aToken }) => fresh.has(aToken));
  return {
    lending_market: newcomers.map((reserve) => ({
      ...at(reserve),
      protocol,
      loan_asset: reserve.asset,
      loan_symbol: reserve.symbol,
    })),
    market_oracle: newcomers.flatMap((reserve) => {
      const source = value.sources.get(reserve.asset);
      return source === undefined ? [] : oracleRows(at(reserve), source, value.feeds);
    }),
    market_state: value.reserves.map((reserve) => ({
      ...at(reserve),
      block_number: head.number,
      supplied: decimalText(reserve.supplied, reserve.decimals),
      borrowed: decimalText(reserve.borrowed, reserve.decimals),
      supply_apr_pct: percent(reserve.supplyRate),
      borrow_apr_pct: percent(reserve.borrowRate),
    })),
    market_parameter: value.reserves.map((reserve) => ({ ...at(reserve), ...parameters(reserve) })),
  };
}

/** A reserve that is not collateral has a bonus of 0, not of minus 100 %. */
const parameters = (reserve: AaveReserve): Row => ({
  loan_to_value: fraction(reserve.ltv),
  liquidation_threshold: fraction(reserve.threshold),
  liquidation_bonus: fraction(reserve.bonus > NO_BONUS ? reserve.bonus - NO_BONUS : 0n),
  reserve_factor: fraction(reserve.reserveFactor),
  liquidation_protocol_fee: reserve.protocolFee === null ? null : fraction(reserve.protocolFee),
  supply_cap: reserve.supplyCap.toString(),
  borrow_cap: reserve.borrowCap.toString(),
  debt_ceiling: reserve.debtCeiling === null ? null : decimalText(reserve.debtCeiling, CEILING_DECIMALS),
  is_active: reserve.isActive,
  is_frozen: reserve.isFrozen,
  is_paused: reserve.isPaused,
  is_borrowing_enabled: reserve.isBorrowingEnabled,
  is_siloed: reserve.isSiloed,
});

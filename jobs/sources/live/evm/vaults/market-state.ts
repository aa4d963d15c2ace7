// Reads the states of Morpho's markets, with the interest up to the block that is read and the present rate. Nothing else in the product
// may use the stored amounts of a market.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, type CallResult, type ContractCall, NO_ADDRESS, readResult } from '../contract-call.ts';
import { MARKET_PARAMS, type MarketParams } from './cap-ids.ts';
import { accrued, adaptiveRates, type MarketTotals, presentRate } from './morpho-interest.ts';

/** As declared by morpho-org/morpho-blue and morpho-org/morpho-blue-irm. */
const STATE = {
  totalSupplyAssets: 'uint128',
  totalSupplyShares: 'uint128',
  totalBorrowAssets: 'uint128',
  totalBorrowShares: 'uint128',
  lastUpdate: 'uint128',
  fee: 'uint128',
} as const;
const MARKET = contractFunction('market', { id: 'bytes32' }, STATE);
const PARAMS = contractFunction('idToMarketParams', { id: 'bytes32' }, MARKET_PARAMS);
const BORROW_RATE = contractFunction('borrowRateView', { params: MARKET_PARAMS, market: STATE }, 'uint256');
const RATE_AT_TARGET = contractFunction('rateAtTarget', { id: 'bytes32' }, 'int256');

export interface MarketAtBlock {
  readonly id: string;
  readonly params: MarketParams;
  readonly loan: string;
  /** Null for an idle market, which has no collateral. */
  readonly collateral: string | null;
  readonly oracle: string | null;
  readonly lltv: bigint;
  /** With the interest up to the block. */
  readonly totals: MarketTotals;
  /** What borrowers pay from now on, per second in 10^18ths; null if it is unknown. */
  readonly borrowRate: bigint | null;
}

export interface MissingMarket {
  readonly id: string;
  readonly why: string;
}

export interface MarketStates {
  readonly markets: readonly MarketAtBlock[];
  readonly missing: readonly MissingMarket[];
}

export interface MarketRequest {
  readonly morpho: string;
  readonly ids: readonly string[];
  /** Time of the block, Unix seconds. */
  readonly now: bigint;
}

export async function readMarketStates(ask: Ask, { morpho, ids, now }: MarketRequest): Promise<MarketStates> {
  const results = await ask(
    ids.flatMap((id) => [
      { target: morpho, data: MARKET.encodeCall({ id }) },
      { target: morpho, data: PARAMS.encodeCall({ id }) },
    ]),
  );
  const stored = ids.flatMap((id, index) => storedIn(id, results[index * 2], results[index * 2 + 1]) ?? []);
  const rates = await ask(stored.flatMap(rateCalls));
  let at = 0;
  const found = stored.map((market): MarketAtBlock | MissingMarket => {
    const own = rateCalls(market).length === 0 ? [] : rates.slice(at, at + RATE_CALLS);
    at += own.length;
    return marketAt(market, own, now);
  });
  const known = new Set(stored.map(({ id }) => id));
  return {
    markets: found.filter((one) => 'totals' in one),
    missing: [
      ...ids.filter((id) => !known.has(id)).map((id) => ({ id, why: 'no such market' })),
      ...found.filter((one) => 'why' in one),
    ],
  };
}

/** Parameters by id, of markets that exist. */
export async function readMarketParams(
  ask: Ask,
  { morpho, ids }: Omit<MarketRequest, 'now'>,
): Promise<ReadonlyMap<string, MarketParams>> {
  const results = await ask(ids.map((id) => ({ target: morpho, data: PARAMS.encodeCall({ id }) })));
  return new Map(
    ids.flatMap((id, index) => {
      const params = readResult(PARAMS, results[index]);
      return params === null || params.loanToken === NO_ADDRESS ? [] : [[id, params] as const];
    }),
  );
}

interface StoredMarket {
  readonly id: string;
  readonly params: MarketParams;
  readonly totals: MarketTotals;
}

/** A market that does not exist has zero everywhere. */
function storedIn(id: string, stateResult?: CallResult, paramsResult?: CallResult): StoredMarket | null {
  const state = readResult(MARKET, stateResult);
  const params = readResult(PARAMS, paramsResult);
  if (state === null || params === null || params.loanToken === NO_ADDRESS) return null;
  const totals = {
    supplyAssets: state.totalSupplyAssets,
    supplyShares: state.totalSupplyShares,
    borrowAssets: state.totalBorrowAssets,
    borrowShares: state.totalBorrowShares,
    lastUpdate: state.lastUpdate,
    fee: state.fee,
  };
  return { id, params, totals };
}

const RATE_CALLS = 2;

/** None for a market without a rate model, which bears no interest. */
function rateCalls({ id, params, totals }: StoredMarket): readonly ContractCall[] {
  if (params.irm === NO_ADDRESS) return [];
  const market = {
    totalSupplyAssets: totals.supplyAssets,
    totalSupplyShares: totals.supplyShares,
    totalBorrowAssets: totals.borrowAssets,
    totalBorrowShares: totals.borrowShares,
    lastUpdate: totals.lastUpdate,
    fee: totals.fee,
  };
  return [
    { target: params.irm, data: BORROW_RATE.encodeCall({ params, market }) },
    { target: params.irm, data: RATE_AT_TARGET.encodeCall({ id }) },
  ];
}

/** A market whose rate is unknown has no amounts, unless nothing is borrowed or no time has passed. */
function marketAt(
  { id, params, totals }: StoredMarket,
  [rateResult, targetResult]: readonly CallResult[],
  now: bigint,
): MarketAtBlock | MissingMarket {
  const isWithoutRate = params.irm === NO_ADDRESS;
  const average = isWithoutRate ? 0n : readResult(BORROW_RATE, rateResult);
  const isSettled = totals.borrowAssets === 0n || totals.lastUpdate === now;
  if (average === null && !isSettled)
    return { id, why: `its rate model ${params.irm} does not return a borrow rate` };
  const after = accrued(totals, average ?? 0n, now);
  const atTarget = readResult(RATE_AT_TARGET, targetResult);
  return {
    id,
    params,
    loan: params.loanToken,
    collateral: given(params.collateralToken),
    oracle: given(params.oracle),
    lltv: params.lltv,
    totals: after,
    borrowRate: isWithoutRate ? null : presentRateOf({ totals, after, average, atTarget }, now),
  };
}

interface RateFacts {
  readonly totals: MarketTotals;
  readonly after: MarketTotals;
  readonly average: bigint | null;
  readonly atTarget: bigint | null;
}

/** Known only for the adaptive curve: a model that states another average than the curve does is not it. */
function presentRateOf({ totals, after, average, atTarget }: RateFacts, now: bigint): bigint | null {
  if (average === null || atTarget === null) return null;
  const rates = adaptiveRates(totals, atTarget, now);
  return rates.average === average ? presentRate(after, rates.endAtTarget) : null;
}

const given = (address: string) => (address === NO_ADDRESS ? null : address);

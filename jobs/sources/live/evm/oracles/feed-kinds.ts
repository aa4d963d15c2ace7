// Recognises feeds by everything that a contract of a kind answers: feeds of five networks, adapters that cap, grow, discount or average a
// price, auctions of updates, and fixed prices. A contract that answers as two kinds is of none.

import { type ContractFunction, contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Answers, NO_ADDRESS, type Question, question } from '../contract-call.ts';

const uint = (name: string) => contractFunction(name, {}, 'uint256');
const int = (name: string) => contractFunction(name, {}, 'int256');
const address = (name: string) => contractFunction(name, {}, 'address');
const bytes32 = (name: string) => contractFunction(name, {}, 'bytes32');
const uint8 = (name: string) => contractFunction(name, {}, 'uint8');

/**
 * As declared by smartcontractkit/libocr, bgd-labs/aave-capo, pendle-finance/pendle-core-v2-public, redstone-finance, pyth-network,
 * api3dao/contracts, chronicleprotocol/scribe and UMAprotocol/oval-contracts.
 */
const ABI = {
  latest: contractFunction(
    'latestRoundData',
    {},
    {
      roundId: 'uint80',
      answer: 'int256',
      startedAt: 'uint256',
      updatedAt: 'uint256',
      answeredInRound: 'uint80',
    },
  ),
  latestAnswer: int('latestAnswer'),
  decimals: uint8('decimals'),
  description: contractFunction('description', {}, 'string'),
  owner: address('owner'),
  aggregator: address('aggregator'),
  phaseId: contractFunction('phaseId', {}, 'uint16'),
  aclManager: address('ACL_MANAGER'),
  asset: address('ASSET_TO_USD_AGGREGATOR'),
  base: address('BASE_TO_USD_AGGREGATOR'),
  priceCap: int('getPriceCap'),
  capRatio: int('getPriceCapRatio'),
  ratioProvider: address('RATIO_PROVIDER'),
  ratioDecimals: uint8('RATIO_DECIMALS'),
  ratio: int('getRatio'),
  snapshotRatio: uint('getSnapshotRatio'),
  snapshotAt: uint('getSnapshotTimestamp'),
  growth: uint('getMaxRatioGrowthPerSecondScaled'),
  principal: address('PENDLE_PRINCIPAL_TOKEN'),
  capMaturity: uint('MATURITY'),
  discountPerYear: contractFunction('discountRatePerYear', {}, 'uint64'),
  fixedPrice: int('price'),
  fixedDecimals: uint8('DECIMALS'),
  pt: address('PT'),
  maturity: uint('maturity'),
  discount: uint('baseDiscountPerYear'),
  inner: address('innerOracle'),
  twapS: contractFunction('twapDuration', {}, 'uint32'),
  twapType: uint8('baseOracleType'),
  quoteOracle: address('quoteOracle'),
  dataFeedId: bytes32('getDataFeedId'),
  priceFeedAdapter: address('getPriceFeedAdapter'),
  priceId: bytes32('priceId'),
  pyth: address('pyth'),
  server: address('api3ServerV1'),
  dapiName: bytes32('dapiName'),
  dappId: uint('dappId'),
  wat: bytes32('wat'),
  bar: uint8('bar'),
  lockWindow: uint('lockWindow'),
  maxTraversal: uint('maxTraversal'),
  unlockedAt: uint('lastUnlockTime'),
  source: address('CHAINLINK_SOURCE'),
} as const;

export const LATEST = ABI.latest;

type Declarations = typeof ABI;
type ResultOf<F> = F extends ContractFunction<infer _, infer O> ? O : never;
type FeedQuestions = { readonly [Name in keyof Declarations]: Question<ResultOf<Declarations[Name]>> };

export const feedQuestions = (contract: string): FeedQuestions =>
  Object.fromEntries(
    Object.entries(ABI).map(([name, abi]) => [
      name,
      question(abi as ContractFunction<Record<never, never>, unknown>, contract),
    ]),
  ) as FeedQuestions;

export type FeedAnswers = Answers<FeedQuestions>;

export type FeedKind =
  | 'chainlink'
  | 'capo_stable'
  | 'capo_eur'
  | 'capo_rate'
  | 'capo_pendle'
  | 'constant'
  | 'pendle_linear'
  | 'pendle_twap'
  | 'wrapper'
  | 'rate'
  | 'redstone'
  | 'pyth'
  | 'api3'
  | 'chronicle'
  | 'oval'
  | 'unknown';

/** Parameters by name, as digits. */
export interface Parameters {
  readonly [name: string]: string;
}

export interface FeedFacts {
  readonly kind: FeedKind;
  readonly parameters: Parameters;
  readonly cap: bigint | null;
  /** What it reads itself, by the name of the parameter that its value is. */
  readonly reads: readonly { readonly name: string; readonly contract: string }[];
  readonly changedBy: { readonly account: string; readonly how: string } | null;
}

const IMMUTABLE = { account: 'no_one', how: 'immutable' } as const;
const UNKNOWN: FeedFacts = { kind: 'unknown', parameters: {}, cap: null, reads: [], changedBy: null };

/** What a contract is if it answers everything that this kind does; null if it lacks a part. */
type Recognition = (answers: FeedAnswers) => FeedFacts | null;

const has = (...answers: readonly unknown[]): boolean => answers.every((one) => one !== null);
const reading = (name: string, contract: string | null) =>
  contract === null || contract === NO_ADDRESS ? [] : [{ name, contract }];
const by = (account: string | null, how: string) => (account === null ? null : { account, how });

const chainlink: Recognition = ({ aggregator, phaseId, owner }) =>
  has(aggregator, phaseId) ? { ...UNKNOWN, kind: 'chainlink', changedBy: by(owner, 'owner') } : null;

const capoStable: Recognition = ({ asset, priceCap, capRatio, principal, aclManager }) =>
  has(asset, priceCap) && capRatio === null && principal === null
    ? {
        ...{ kind: 'capo_stable', cap: priceCap, parameters: { cap: String(priceCap) } },
        ...{ reads: reading('feed_value', asset), changedBy: by(aclManager, 'risk_admin') },
      }
    : null;

const capoEur: Recognition = ({ asset, base, capRatio, ratioDecimals, aclManager }) =>
  has(asset, base, capRatio, ratioDecimals)
    ? {
        ...{ kind: 'capo_eur', cap: null },
        parameters: { cap_ratio: String(capRatio), ratio_decimals: String(ratioDecimals) },
        reads: [...reading('feed_value', asset), ...reading('base_value', base)],
        changedBy: by(aclManager, 'risk_admin'),
      }
    : null;

const capoRate: Recognition = ({ base, ratioProvider, ratio, ratioDecimals, ...rest }) =>
  has(base, ratioProvider, ratio, ratioDecimals, rest.snapshotRatio, rest.snapshotAt, rest.growth)
    ? {
        ...{ kind: 'capo_rate', cap: null },
        parameters: {
          ...{ ratio: String(ratio), ratio_decimals: String(ratioDecimals) },
          ...{ snapshot_ratio: String(rest.snapshotRatio), snapshot_at: String(rest.snapshotAt) },
          max_growth_per_second_scaled: String(rest.growth),
        },
        reads: reading('feed_value', base),
        changedBy: by(rest.aclManager, 'risk_admin'),
      }
    : null;

const capoPendle: Recognition = ({ asset, principal, capMaturity, discountPerYear, aclManager }) =>
  has(asset, principal, capMaturity, discountPerYear)
    ? {
        ...{ kind: 'capo_pendle', cap: null },
        parameters: { maturity: String(capMaturity), discount_per_year: String(discountPerYear) },
        reads: reading('feed_value', asset),
        changedBy: by(aclManager, 'risk_admin'),
      }
    : null;

/** A pool admin sets it; a feed that merely never moves is not one. */
const constant: Recognition = ({ fixedPrice, fixedDecimals, aclManager, asset, base }) =>
  has(fixedPrice, fixedDecimals, aclManager) && asset === null && base === null
    ? {
        ...UNKNOWN,
        ...{ kind: 'constant', parameters: { constant: String(fixedPrice) } },
        changedBy: by(aclManager, 'pool_admin'),
      }
    : null;

const pendleLinear: Recognition = ({ pt, maturity, discount }) =>
  has(pt, maturity, discount)
    ? {
        ...UNKNOWN,
        kind: 'pendle_linear',
        parameters: { maturity: String(maturity), base_discount_per_year: String(discount) },
        changedBy: IMMUTABLE,
      }
    : null;

const pendleTwap: Recognition = ({ twapS, twapType, quoteOracle }) =>
  has(twapS, twapType)
    ? {
        ...UNKNOWN,
        ...{ kind: 'pendle_twap', reads: reading('quote_value', quoteOracle) },
        parameters: { window_s: String(twapS), token_type: String(twapType) },
      }
    : null;

const wrapper: Recognition = ({ inner }) =>
  inner === null ? null : { ...UNKNOWN, kind: 'wrapper', reads: reading('feed_value', inner) };

/** RedStone names its feeds; those of this suffix are rates at which a token is redeemed, no prices. */
const FUNDAMENTAL = '_FUNDAMENTAL';

const redstone: Recognition = ({ dataFeedId, priceFeedAdapter }) =>
  dataFeedId !== null && priceFeedAdapter !== null
    ? { ...UNKNOWN, kind: textOf(dataFeedId).endsWith(FUNDAMENTAL) ? 'rate' : 'redstone' }
    : null;

const textOf = (bytes: string): string =>
  Buffer.from(bytes.slice(2), 'hex').toString('latin1').replace(/\0+$/, '');

const pyth: Recognition = (own) => (has(own.priceId, own.pyth) ? { ...UNKNOWN, kind: 'pyth' } : null);

const api3: Recognition = ({ server, dapiName, dappId, owner }) =>
  has(server, dapiName, dappId) ? { ...UNKNOWN, kind: 'api3', changedBy: by(owner, 'owner') } : null;

const chronicle: Recognition = ({ wat, bar }) => (has(wat, bar) ? { ...UNKNOWN, kind: 'chronicle' } : null);

/** It answers with its source, or with an older answer of it for as long as the window is locked. */
const oval: Recognition = ({ lockWindow, maxTraversal, unlockedAt, source, owner }) =>
  has(lockWindow, maxTraversal, unlockedAt)
    ? {
        ...{ kind: 'oval', cap: null, reads: reading('feed_value', source) },
        parameters: { lock_window_s: String(lockWindow), max_traversal: String(maxTraversal) },
        changedBy: owner === null || owner === NO_ADDRESS ? IMMUTABLE : by(owner, 'owner'),
      }
    : null;

const RECOGNITIONS: readonly Recognition[] = [
  ...[chainlink, capoStable, capoEur, capoRate, capoPendle, constant, pendleLinear, pendleTwap, wrapper],
  ...[redstone, pyth, api3, chronicle, oval],
];

export function feedFacts(answers: FeedAnswers): FeedFacts {
  const found = RECOGNITIONS.flatMap((recognise) => recognise(answers) ?? []);
  return found.length === 1 ? (found[0] ?? UNKNOWN) : UNKNOWN;
}

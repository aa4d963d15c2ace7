// Reads what oracles read: vaults that convert shares, and feeds, with the feeds behind adapters that cap a price. A feed is of a kind only
// if it answers everything that this kind does; any other feed is `unknown`, and has its answer.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import type { Ask } from '../contract-call.ts';
import { readTokens, type TokenFacts } from '../token-abi.ts';
import { askEach, complete, question } from '../vaults/typed-calls.ts';
import type { LegSource, OracleFacts } from './oracle-kinds.ts';

const uint = (name: string) => contractFunction(name, {}, 'uint256');
const int = (name: string) => contractFunction(name, {}, 'int256');
const address = (name: string) => contractFunction(name, {}, 'address');

/** As declared by smartcontractkit/libocr, bgd-labs/aave-capo, pendle-finance/pendle-core-v2-public and EIP-4626. */
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
  decimals: contractFunction('decimals', {}, 'uint8'),
  description: contractFunction('description', {}, 'string'),
  aggregator: address('aggregator'),
  phaseId: contractFunction('phaseId', {}, 'uint16'),
  owner: address('owner'),
  minAnswer: int('minAnswer'),
  maxAnswer: int('maxAnswer'),
  capped: address('ASSET_TO_USD_AGGREGATOR'),
  priceCap: int('getPriceCap'),
  pt: address('PT'),
  maturity: uint('maturity'),
  discount: uint('baseDiscountPerYear'),
  asset: address('asset'),
  convert: contractFunction('convertToAssets', { shares: 'uint256' }, 'uint256'),
} as const;

export interface OracleLeg {
  readonly source: LegSource;
  /** The leg that reads it, by index; null at the top. */
  readonly parent: number | null;
  readonly kind: 'chainlink' | 'capo_stable' | 'pendle_linear' | 'erc4626' | 'unknown';
  readonly value: bigint | null;
  readonly decimals: number | null;
  readonly shareDecimals: number | null;
  readonly pair: { readonly from: string; readonly to: string; readonly by: 'token' | 'description' } | null;
  /** Unix seconds. */
  readonly answeredAt: bigint | null;
  readonly bounds: { readonly min: bigint; readonly max: bigint } | null;
  readonly cap: bigint | null;
  readonly parameters: { readonly [name: string]: string };
  readonly changedBy: { readonly account: string; readonly how: string } | null;
}

export interface OraclePath {
  readonly marketId: string;
  readonly oracle: OracleFacts;
  /** The oracle whose feeds give the price now; null if it is not known. */
  readonly inUse: (OracleFacts & { readonly kind: 'morpho_v1' | 'morpho_v2' }) | null;
  readonly standbyPrice: bigint | null;
  readonly legs: readonly (OracleLeg & { readonly isStandby: boolean })[];
  readonly tokens: { readonly loan: TokenFacts | null; readonly collateral: TokenFacts | null };
}

type Leg = Omit<OracleLeg, 'source' | 'parent'>;

/** Legs by contract and sample; `inner` names the feed that a cap is laid on. */
export interface LegReading {
  readonly legs: ReadonlyMap<string, Leg>;
  readonly inner: ReadonlyMap<string, string>;
}

const MAX_DECIMALS = 77n;

export const legKey = ({ contract, sample }: Pick<LegSource, 'contract' | 'sample'>): string =>
  `${contract}|${sample ?? ''}`;

export async function readLegs(ask: Ask, sources: readonly LegSource[]): Promise<LegReading> {
  const vaults = distinct(sources.filter(({ role }) => role === 'vault'));
  const outer = await readFeeds(ask, distinct(sources.filter(({ role }) => role === 'feed')));
  const behind = [...outer.inner.values()].filter((one) => !outer.legs.has(one));
  const below = await readFeeds(
    ask,
    distinct(behind.map((key) => ({ side: 'base', role: 'feed', contract: key.slice(0, -1), sample: null }))),
  );
  const held = await readVaultLegs(ask, vaults);
  return { legs: new Map([...below.legs, ...outer.legs, ...held]), inner: outer.inner };
}

const distinct = (sources: readonly LegSource[]): readonly LegSource[] => [
  ...new Map(sources.map((source) => [legKey(source), source])).values(),
];

const UNREAD: Leg = {
  ...{ kind: 'unknown', value: null, decimals: null, shareDecimals: null, pair: null, answeredAt: null },
  ...{ bounds: null, cap: null, parameters: {}, changedBy: null },
};

async function readVaultLegs(ask: Ask, sources: readonly LegSource[]): Promise<[string, Leg][]> {
  const answers = await askEach(
    ask,
    sources,
    ({ contract, sample }) => ({
      value: question(ABI.convert, contract, { shares: sample ?? 0n }),
      asset: question(ABI.asset, contract),
    }),
    { mayRevert: true },
  );
  const tokens = await readTokens(
    ask,
    answers.flatMap(({ item, answers: { asset } }) => (asset === null ? [] : [item.contract, asset])),
  );
  return answers.map(({ item, answers: { value, asset } }): [string, Leg] => {
    const [share, held] = [tokens.get(item.contract), asset === null ? undefined : tokens.get(asset)];
    if (share === undefined || held === undefined) return [legKey(item), { ...UNREAD, value }];
    const pair = { from: share.symbol, to: held.symbol, by: 'token' as const };
    const decimals = { decimals: held.decimals, shareDecimals: share.decimals };
    return [legKey(item), { ...UNREAD, kind: 'erc4626', value, pair, ...decimals }];
  });
}

const feedQuestions = ({ contract }: LegSource) => ({
  latest: question(ABI.latest, contract),
  decimals: question(ABI.decimals, contract),
  description: question(ABI.description, contract),
  aggregator: question(ABI.aggregator, contract),
  phaseId: question(ABI.phaseId, contract),
  owner: question(ABI.owner, contract),
  capped: question(ABI.capped, contract),
  priceCap: question(ABI.priceCap, contract),
  pt: question(ABI.pt, contract),
  maturity: question(ABI.maturity, contract),
  discount: question(ABI.discount, contract),
});

async function readFeeds(ask: Ask, sources: readonly LegSource[]) {
  const answers = await askEach(ask, sources, feedQuestions, { mayRevert: true });
  const bounds = await boundsOf(
    ask,
    answers.flatMap(({ answers: { aggregator } }) => aggregator ?? []),
  );
  const legs = answers.map(({ item, answers: own }): [string, Leg] => {
    const kinds = kindsOf(own);
    const kind = kinds.length === 1 ? (kinds[0] ?? 'unknown') : 'unknown';
    const base: Leg = {
      ...UNREAD,
      kind,
      value: own.latest?.answer ?? null,
      answeredAt: own.latest?.updatedAt ?? null,
      decimals: own.decimals === null || own.decimals > MAX_DECIMALS ? null : Number(own.decimals),
      pair: pairIn(own.description),
    };
    return [legKey(item), { ...base, ...detailsOf(kind, own, bounds) }];
  });
  const inner = answers.flatMap(({ item, answers: { capped } }): [string, string][] => {
    const isCap = legs.find(([key]) => key === legKey(item))?.[1].kind === 'capo_stable';
    return isCap && capped !== null ? [[legKey(item), legKey({ contract: capped, sample: null })]] : [];
  });
  return { legs: new Map(legs), inner: new Map(inner) };
}

interface FeedAnswers {
  readonly aggregator: string | null;
  readonly phaseId: bigint | null;
  readonly owner: string | null;
  readonly capped: string | null;
  readonly priceCap: bigint | null;
  readonly pt: string | null;
  readonly maturity: bigint | null;
  readonly discount: bigint | null;
}

const kindsOf = (own: FeedAnswers): OracleLeg['kind'][] => [
  ...(own.aggregator !== null && own.phaseId !== null ? (['chainlink'] as const) : []),
  ...(own.capped !== null && own.priceCap !== null ? (['capo_stable'] as const) : []),
  ...(own.pt !== null && own.maturity !== null && own.discount !== null ? (['pendle_linear'] as const) : []),
];

type Bounds = ReadonlyMap<string, { readonly min: bigint; readonly max: bigint }>;

function detailsOf(kind: OracleLeg['kind'], own: FeedAnswers, bounds: Bounds): Partial<Leg> {
  if (kind === 'chainlink') {
    const changedBy = own.owner === null ? null : { account: own.owner, how: 'owner' };
    return { bounds: bounds.get(own.aggregator ?? '') ?? null, changedBy };
  }
  if (kind === 'capo_stable') return { cap: own.priceCap };
  if (kind !== 'pendle_linear') return {};
  const parameters = { maturity: `${own.maturity}`, base_discount_per_year: `${own.discount}` };
  return { parameters, changedBy: { account: 'no_one', how: 'immutable' } };
}

async function boundsOf(ask: Ask, aggregators: readonly string[]): Promise<Bounds> {
  const answers = await askEach(
    ask,
    [...new Set(aggregators)],
    (aggregator) => ({ min: question(ABI.minAnswer, aggregator), max: question(ABI.maxAnswer, aggregator) }),
    { mayRevert: true },
  );
  return new Map(
    answers.flatMap(({ item, answers: own }) => {
      const both = complete(own);
      return typeof both === 'string' ? [] : [[item, both] as const];
    }),
  );
}

const PAIR = /^\s*([\w.+-]{1,32})\s*\/\s*([\w.+-]{1,32})\s*$/;

/** A feed may describe itself as anything, which is why the pair says where it comes from. */
function pairIn(description: string | null): Leg['pair'] {
  const [, from, to] = PAIR.exec(description ?? '') ?? [];
  return from === undefined || to === undefined ? null : { from, to, by: 'description' };
}

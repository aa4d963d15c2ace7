// Reads what oracles read: vaults that convert shares, and feeds, with everything that adapters among them read in turn. A feed is of a kind
// only if it answers everything that this kind does; any other feed is `unknown`, and has its answer.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, complete, question, readResult } from '../contract-call.ts';
import { readTokens, type TokenFacts } from '../token-abi.ts';
import {
  type FeedAnswers,
  type FeedFacts,
  type FeedKind,
  feedFacts,
  feedQuestions,
  LATEST,
  type Parameters,
} from './feed-kinds.ts';
import type { LegSource, OracleFacts } from './oracle-kinds.ts';

/** As declared by smartcontractkit/libocr and EIP-4626. */
const ABI = {
  minAnswer: contractFunction('minAnswer', {}, 'int256'),
  maxAnswer: contractFunction('maxAnswer', {}, 'int256'),
  asset: contractFunction('asset', {}, 'address'),
  convert: contractFunction('convertToAssets', { shares: 'uint256' }, 'uint256'),
} as const;

export interface OracleLeg {
  readonly source: LegSource;
  /** The leg that reads it, by index; null at the top. */
  readonly parent: number | null;
  readonly kind: FeedKind | 'erc4626';
  readonly value: bigint | null;
  /** Why there is no value. */
  readonly unreadReason: 'reverted' | 'tolled' | 'cycle' | 'too_deep' | null;
  readonly decimals: number | null;
  readonly shareDecimals: number | null;
  readonly pair: { readonly from: string; readonly to: string; readonly by: 'token' | 'description' } | null;
  /** Unix seconds. */
  readonly answeredAt: bigint | null;
  readonly bounds: { readonly min: bigint; readonly max: bigint } | null;
  readonly cap: bigint | null;
  readonly parameters: Parameters;
  readonly changedBy: { readonly account: string; readonly how: string } | null;
}

export interface OraclePath {
  readonly marketId: string;
  readonly oracle: OracleFacts;
  /** The oracle whose feeds give the price now; null if it is not known. */
  readonly inUse: (OracleFacts & { readonly kind: 'morpho_v1' | 'morpho_v2' | 'aave' }) | null;
  readonly standbyPrice: bigint | null;
  readonly legs: readonly (OracleLeg & { readonly isStandby: boolean })[];
  readonly tokens: { readonly loan: TokenFacts | null; readonly collateral: TokenFacts | null };
}

type Leg = Omit<OracleLeg, 'source' | 'parent'>;

interface LegAnswer {
  /** Of a feed that answers only to some: without an answer. */
  readonly leg: Leg;
  readonly reads: FeedFacts['reads'];
  /** Of such a feed: the leg of each contract in whose name it was asked. */
  readonly byReader?: Map<string, Leg>;
}

/** Legs by contract and sample, with what each of them reads. */
export type LegReading = ReadonlyMap<string, LegAnswer>;

/** A source with the contract that reads it, in whose name a feed that answers only to some is asked. */
export interface LegQuery extends LegSource {
  readonly reader: string;
}

/** What an oracle reads, in its own name. */
export const sourcesOf = (facts: OracleFacts): readonly LegQuery[] =>
  'sources' in facts ? facts.sources.map((source) => ({ ...source, reader: facts.oracle })) : [];

/** An adapter may read another adapter. */
const MAX_LEG_LEVELS = 5;
const MAX_DECIMALS = 77n;

export const legKey = ({ contract, sample }: Pick<LegSource, 'contract' | 'sample'>): string =>
  `${contract}|${sample ?? ''}`;

export async function readLegs(ask: Ask, sources: readonly LegQuery[]): Promise<LegReading> {
  const legs = new Map<string, LegAnswer>(
    await readVaultLegs(ask, distinct(sources.filter(({ role }) => role === 'vault'))),
  );
  let open = sources.filter(({ role }) => role === 'feed');
  for (let level = 0; level < MAX_LEG_LEVELS && open.length > 0; level++) {
    const found = await readFeeds(ask, distinct(open.filter((source) => !legs.has(legKey(source)))));
    for (const [key, leg] of found) legs.set(key, leg);
    await askInNames(ask, open, legs);
    const behind = open.flatMap((source) =>
      (legs.get(legKey(source))?.reads ?? []).map(
        ({ contract }): LegQuery => ({
          ...source,
          contract,
          sample: null,
          reader: source.contract,
        }),
      ),
    );
    open = behind.filter((source) => isOpen(legs.get(legKey(source)), source));
  }
  return legs;
}

/** Not read yet, or not in the name of this reader although only that one may get an answer. */
const isOpen = (known: LegAnswer | undefined, { reader }: LegQuery): boolean =>
  known === undefined || known.byReader?.has(reader) === false;

/** Asks feeds that answer only to some in the name of every contract that reads them: one may be on the list of a feed, and another not. */
async function askInNames(
  ask: Ask,
  sources: readonly LegQuery[],
  legs: ReadonlyMap<string, LegAnswer>,
): Promise<void> {
  for (const source of sources) {
    const { leg, byReader } = legs.get(legKey(source)) ?? {};
    if (leg === undefined || byReader === undefined || byReader.has(source.reader)) continue;
    const latest = await answerTo(ask, source);
    if (latest === null) byReader.set(source.reader, leg);
    else
      byReader.set(source.reader, {
        ...leg,
        ...withValue(latest.answer),
        answeredAt: latest.updatedAt,
      });
  }
}

const distinct = (sources: readonly LegQuery[]): readonly LegQuery[] => [
  ...new Map(sources.map((source) => [legKey(source), source])).values(),
];

const UNREAD: Leg = {
  ...{ kind: 'unknown', value: null, unreadReason: 'reverted', decimals: null, shareDecimals: null },
  ...{ pair: null, answeredAt: null, bounds: null, cap: null, parameters: {}, changedBy: null },
};

const withValue = (value: bigint | null): Pick<Leg, 'value' | 'unreadReason'> => ({
  value,
  unreadReason: value === null ? 'reverted' : null,
});

async function readVaultLegs(ask: Ask, sources: readonly LegQuery[]): Promise<[string, LegAnswer][]> {
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
  return answers.map(({ item, answers: { value, asset } }): [string, LegAnswer] => {
    const [share, held] = [tokens.get(item.contract), asset === null ? undefined : tokens.get(asset)];
    const base = { ...UNREAD, ...withValue(value) };
    if (share === undefined || held === undefined) return [legKey(item), { leg: base, reads: [] }];
    const pair = { from: share.symbol, to: held.symbol, by: 'token' as const };
    const decimals = { decimals: held.decimals, shareDecimals: share.decimals };
    return [legKey(item), { leg: { ...base, kind: 'erc4626', pair, ...decimals }, reads: [] }];
  });
}

async function readFeeds(ask: Ask, sources: readonly LegQuery[]): Promise<[string, LegAnswer][]> {
  const answers = await askEach(ask, sources, ({ contract }) => feedQuestions(contract), { mayRevert: true });
  const bounds = await boundsOf(
    ask,
    answers.flatMap(({ answers: { aggregator } }) => aggregator ?? []),
  );
  const legs: [string, LegAnswer][] = [];
  for (const { item, answers: own } of answers) {
    const facts = feedFacts(own);
    const { latest } = own;
    const answer = withValue(latest?.answer ?? own.latestAnswer ?? null);
    const isTolled = facts.kind === 'chronicle' && latest === null;
    const { kind, cap, parameters, changedBy, reads } = facts;
    const leg: Leg = {
      ...UNREAD,
      ...answer,
      ...(isTolled ? { unreadReason: 'tolled' } : {}),
      ...{ kind, cap, parameters, changedBy, answeredAt: latest?.updatedAt ?? null },
      bounds: kind === 'chainlink' ? (bounds.get(own.aggregator ?? '') ?? null) : null,
      decimals: decimalsIn(own),
      pair: pairIn(own.description),
    };
    legs.push([legKey(item), { leg, reads, ...(isTolled && { byReader: new Map() }) }]);
  }
  return legs;
}

const decimalsIn = ({ decimals }: FeedAnswers): number | null =>
  decimals === null || decimals > MAX_DECIMALS ? null : Number(decimals);

/** What a feed answers to the contract that reads it, if only that one is on its list. */
async function answerTo(ask: Ask, { contract, reader }: LegQuery) {
  const [result] = await ask([{ target: contract, data: LATEST.encodeCall() }], { from: reader });
  return readResult(LATEST, result);
}

type Bounds = ReadonlyMap<string, { readonly min: bigint; readonly max: bigint }>;

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

/** The leg of a source, followed by those that it reads; a source that reads itself has no value. */
export function legsFrom(
  { reader, ...source }: LegQuery,
  {
    reading,
    first,
    parent = null,
    ancestors = [],
  }: {
    readonly reading: LegReading;
    readonly first: number;
    readonly parent?: number | null;
    readonly ancestors?: readonly string[];
  },
): OracleLeg[] {
  const key = legKey(source);
  if (ancestors.includes(key)) return [{ ...UNREAD, unreadReason: 'cycle', source, parent }];
  const found = reading.get(key);
  if (found === undefined) return [{ ...UNREAD, unreadReason: 'too_deep', source, parent }];
  const below: OracleLeg[] = [];
  const values: Record<string, string> = {};
  const wrapped: OracleLeg[] = [];
  for (const { name, contract } of found.reads) {
    const own = legsFrom(
      { ...source, role: 'feed', contract, sample: null, reader: source.contract },
      { reading, first: first + 1 + below.length, parent: first, ancestors: [...ancestors, key] },
    );
    const [inner] = own;
    if (inner !== undefined) wrapped.push(inner);
    if (inner?.value != null) values[name] = inner.value.toString();
    below.push(...own);
  }
  const leg = found.byReader?.get(reader) ?? found.leg;
  return [unwrapped({ ...leg, source, parent }, { values, wrapped }), ...below];
}

/** A wrapper is of the kind of what it wraps, if it only passes that on. */
function unwrapped(
  leg: OracleLeg,
  { values, wrapped: [inner] }: { readonly values: Parameters; readonly wrapped: readonly OracleLeg[] },
): OracleLeg {
  if (leg.kind !== 'wrapper') return { ...leg, parameters: { ...values, ...leg.parameters } };
  if (inner?.kind !== 'pendle_linear') return { ...leg, kind: 'unknown' };
  return { ...leg, kind: inner.kind, parameters: inner.parameters, changedBy: inner.changedBy };
}

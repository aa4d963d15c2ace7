// Reads the rounds of Chainlink feeds through their proxies at one block: the latest round of each, then those between it and the last
// known round. Unlike logs, rounds need neither an archive node nor ranges of blocks.
import {
  type Feed,
  type RoundData,
  aggregatorCall,
  aggregatorIn,
  answerIn,
  decimalsCall,
  decimalsIn,
  lastRoundCall,
  lastRoundIn,
  latestCall,
  questionOf,
  reasonOf,
  roundCall,
} from './feed-abi.ts';
import { FeedWalk } from './feed-walk.ts';
import type { Ask, CallResult } from './contract-call.ts';
import { type CallPlan, callsIn, readCalls } from './multicall.ts';
import type { BlockRef, Exchange, Rpc } from './rpc.ts';

/** A range of rounds without a gap. */
export interface RoundsRange {
  readonly newest: bigint;
  readonly oldest: bigint;
  /** All rounds from this time on are part of it, Unix seconds. */
  readonly since: number;
}

export interface RoundPlan extends CallPlan {
  readonly feeds: readonly Feed[];
  /** Rounds read so far, by feed, which are not requested again. */
  readonly known: ReadonlyMap<string, RoundsRange>;
  /** How far back is read, Unix seconds. */
  readonly since: number;
  /** The same for feeds that are not known; `since` by default. */
  readonly sinceOfNew?: number;
}

/** A feed without rows, and why. */
export interface MissingFeed {
  readonly feed: string;
  readonly why: string;
}

export interface RoundReading {
  readonly head: BlockRef;
  /** Rounds read by now, by feed. A missing feed keeps its earlier range. */
  readonly known: ReadonlyMap<string, RoundsRange>;
  readonly missing: readonly MissingFeed[];
  readonly exchanges: readonly Exchange[];
}

/** @throws ChainFault, RpcError; then no new rounds are known */
export async function readRounds(node: Rpc, plan: RoundPlan): Promise<RoundReading> {
  const { head, value, exchanges } = await readCalls(node, plan, async (ask) => {
    const found = await readLatest(ask, plan);
    const walks = [...found.latest].flatMap(([feed, answer]) => walksOf(feed, answer, plan));
    while (walks.some(({ isOver }) => !isOver)) {
      await enterPhases(ask, walks);
      await readPages(ask, walks);
    }
    return { ...found, walks };
  });
  const known = new Map(plan.known);
  for (const [feed, { roundId }] of value.latest) {
    const oldest = value.walks.filter((walk) => walk.feed === feed).map((walk) => walk.oldest);
    known.set(feed, knownAfter(plan, feed, { newest: roundId, oldest }));
  }
  return { head, known, missing: value.missing, exchanges };
}

/** Back to what is known, and from the oldest known round further back if more is wanted. */
function walksOf(
  feed: string,
  latest: RoundData,
  { known, since, sinceOfNew = since }: RoundPlan,
): FeedWalk[] {
  const own = known.get(feed);
  if (own === undefined) return [new FeedWalk(feed, latest, { known: null, since: sinceOfNew })];
  const forward = new FeedWalk(feed, latest, { known: own.newest, since });
  if (since >= own.since) return [forward];
  const start: RoundData = { roundId: own.oldest, answer: 0n, updatedAt: 0n, answeredInRound: 0n };
  return [forward, new FeedWalk(feed, start, { known: null, since })];
}

function knownAfter(
  { known, since, sinceOfNew = since }: RoundPlan,
  feed: string,
  { newest, oldest }: { readonly newest: bigint; readonly oldest: readonly bigint[] },
): RoundsRange {
  const own = known.get(feed);
  const lowest = [own?.oldest, ...oldest].reduce((low, one) =>
    low === undefined || (one ?? low) < low ? one : low,
  );
  return {
    newest,
    oldest: lowest ?? newest,
    since: own === undefined ? sinceOfNew : Math.min(own.since, since),
  };
}

async function readLatest(ask: Ask, { feeds, known }: RoundPlan) {
  const results = await ask(feeds.flatMap(({ address }) => [decimalsCall(address), latestCall(address)]));
  const latest = new Map<string, RoundData>();
  const missing: MissingFeed[] = [];
  feeds.forEach((feed, index) => {
    const [decimals, answer] = [results[index * 2], results[index * 2 + 1]] as [CallResult, CallResult];
    const found = latestOf(feed, { decimals, answer, known: known.get(feed.address)?.newest ?? null });
    if (typeof found === 'string') missing.push({ feed: feed.address, why: found });
    else latest.set(feed.address, found);
  });
  return { latest, missing };
}

/** The latest round, or why the feed cannot be read. */
function latestOf(
  feed: Feed,
  { decimals, answer, known }: { decimals: CallResult; answer: CallResult; known: bigint | null },
): RoundData | string {
  const found = decimalsIn(decimals);
  if (found === null) return `it does not return its decimals (${reasonOf(decimals)})`;
  if (feed.decimals !== null && feed.decimals !== found)
    return `it has ${found} decimals, but the registry states ${feed.decimals}`;
  const latest = answerIn(answer);
  if (latest === null) return `it has no round (${reasonOf(answer)})`;
  return known !== null && latest.roundId < known
    ? `its latest round is older than one already read`
    : latest;
}

/** Two steps for all walks together: the aggregators of the phases, then their last rounds. */
async function enterPhases(ask: Ask, walks: readonly FeedWalk[]): Promise<void> {
  const waiting = walks.flatMap((walk) =>
    walk.wantedPhase === null ? [] : [{ walk, phase: walk.wantedPhase }],
  );
  const results = await ask(waiting.map(({ walk, phase }) => aggregatorCall(walk.feed, phase)));
  const found = waiting.flatMap(({ walk }, index) => {
    const aggregator = aggregatorIn(results[index] as CallResult);
    if (aggregator === null) walk.enterPhase(null);
    return aggregator === null ? [] : [{ walk, aggregator }];
  });
  const lasts = await ask(found.map(({ aggregator }) => lastRoundCall(aggregator)));
  found.forEach(({ walk }, index) => {
    walk.enterPhase(lastRoundIn(lasts[index] as CallResult));
  });
}

async function readPages(ask: Ask, walks: readonly FeedWalk[]): Promise<void> {
  const pages = walks.map((walk) => ({ walk, ids: walk.page() })).filter(({ ids }) => ids.length > 0);
  const results = await ask(pages.flatMap(({ walk, ids }) => ids.map((id) => roundCall(walk.feed, id))));
  let at = 0;
  for (const { walk, ids } of pages) {
    walk.took(results.slice(at, at + ids.length).map(answerIn));
    at += ids.length;
  }
}

export interface RoundRow {
  readonly chain: string;
  readonly feed_address: string;
  readonly round_id: string;
  /** Null if the feed does not say. */
  readonly answered_in_round: string | null;
  readonly answer: string;
  readonly decimals: number;
  readonly updated_at: number;
}

/** Rows of the raw table `feed_round` from the exchanges of a reading, one per round. Feeds in `missing` have none. */
export function roundRows(
  chain: string,
  { exchanges, missing }: Pick<RoundReading, 'exchanges' | 'missing'>,
): RoundRow[] {
  const refused = new Set(missing.map(({ feed }) => feed));
  const decimals = new Map<string, number>();
  const rows = new Map<string, RoundRow>();
  for (const { call, result } of callsIn(exchanges)) {
    const question = questionOf(call);
    if (question === null || refused.has(call.target)) continue;
    if (question === 'decimals') {
      const found = decimalsIn(result);
      if (found !== null) decimals.set(call.target, found);
      continue;
    }
    const answer = answerIn(result);
    const scale = decimals.get(call.target);
    if (answer === null || scale === undefined) continue;
    const row = roundRow(answer, { chain, feed: call.target, decimals: scale });
    rows.set(`${call.target} ${row.round_id}`, row);
  }
  return [...rows.values()];
}

const roundRow = (
  { roundId, answer, updatedAt, answeredInRound }: RoundData,
  { chain, feed, decimals }: { chain: string; feed: string; decimals: number },
): RoundRow => ({
  chain,
  feed_address: feed,
  round_id: roundId.toString(),
  answered_in_round: answeredInRound === 0n ? null : answeredInRound.toString(),
  answer: answer.toString(),
  decimals,
  updated_at: Number(updatedAt),
});

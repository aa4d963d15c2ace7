// What is true of price feeds: every round of every feed in the time of a simulation, with a depeg, a silence and a new phase in it.
import { times } from './truth-finance.ts';

export const HEARTBEAT_S = 3_600;
const FEEDS = 8;
/** Entries of the directory that are no contracts. */
const STREAMS = 20;
const PHASE = 64n;

export interface Round {
  readonly id: bigint;
  readonly answer: bigint;
  readonly at: number;
}

export interface FeedTruth {
  readonly address: string;
  readonly name: string;
  /** Oldest first. */
  readonly rounds: readonly Round[];
  readonly byId: ReadonlyMap<bigint, Round>;
}

/** True incidents of feeds, which must be reported and nothing else. */
export interface FeedIncidents {
  /** The first feed, a stablecoin, is below its peg. */
  readonly depeg: { readonly from: number; readonly to: number };
  /** Its feed publishes nothing. */
  readonly silence: { readonly feed: number; readonly from: number; readonly to: number };
  readonly newPhase: { readonly feed: number; readonly at: number };
}

const symbolOf = (index: number) => (index === 0 ? 'USDC' : `A${index}`);
const priceOf = (index: number, at: number) =>
  index === 0 ? 1 : (index + 1) * 10 * (1 + 0.004 * Math.sin(at / 90_000 + index));

export function feedTruths(from: number, to: number, incidents: FeedIncidents): readonly FeedTruth[] {
  return times(FEEDS, (index) => {
    const rounds = roundsOf(index, { from, to }, incidents);
    return {
      address: `0x${String(index + 1).padStart(40, 'a')}`,
      name: `${symbolOf(index)} / USD`,
      rounds,
      byId: new Map(rounds.map((round) => [round.id, round])),
    };
  });
}

export const roundOf = ({ byId }: FeedTruth, id: bigint): Round | undefined => byId.get(id);

function roundsOf(
  index: number,
  { from, to }: { readonly from: number; readonly to: number },
  { depeg, silence, newPhase }: FeedIncidents,
): Round[] {
  const rounds: Round[] = [];
  let [phase, number] = [1n, 0n];
  // A little earlier than the heartbeat allows, as real feeds are.
  for (let at = from + index * 97; at <= to; at += HEARTBEAT_S - 60) {
    if (index === silence.feed && at > silence.from && at < silence.to) continue;
    if (index === newPhase.feed && phase === 1n && at >= newPhase.at) [phase, number] = [2n, 0n];
    const isOff = index === 0 && at >= depeg.from && at < depeg.to;
    number += 1n;
    const answer = BigInt(Math.round((isOff ? 0.93 : priceOf(index, at)) * 1e8));
    rounds.push({ id: (phase << PHASE) | number, answer, at });
  }
  return rounds;
}

/** When the feed that falls silent is stale: from one heartbeat and the grace period after its last round to its next one. */
export function staleSpan(
  feeds: readonly FeedTruth[],
  { feed, from }: FeedIncidents['silence'],
  graceS: number,
): { readonly from: number; readonly to: number } {
  const times = (feeds[feed]?.rounds ?? []).map(({ at }) => at);
  const last = times.findLast((at) => at <= from) ?? Number.NaN;
  return { from: last + HEARTBEAT_S + graceS + 1, to: times.find((at) => at > last) ?? Number.NaN };
}

/** Rounds that exist at a moment: a prefix of all. */
export function roundsUntil({ rounds }: FeedTruth, now: number): number {
  let [low, high] = [0, rounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rounds[middle]?.at ?? 0) <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}

const entryOf = (name: string) => ({
  name,
  heartbeat: HEARTBEAT_S,
  threshold: 0.5,
  decimals: 8,
  feedCategory: 'low',
  docs: {
    baseAsset: name.split(' / ')[0],
    quoteAsset: 'USD',
    productType: 'Price',
    assetClass: 'Crypto',
  },
});

export const directoryOf = (feeds: readonly FeedTruth[]) => [
  ...feeds.map(({ address, name }) => ({ ...entryOf(name), proxyAddress: address })),
  ...times(STREAMS, (index) => ({
    ...entryOf(`S${index} / USD`),
    proxyAddress: null,
    feedId: `0x${String(index).padStart(64, '0')}`,
  })),
];

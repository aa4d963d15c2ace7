// The truth about price feeds: every round of every feed in the simulated period, with a depeg, a silence and a new phase.
import { times } from './truth-finance.ts';

export const HEARTBEAT_S = 3_600;
const FEEDS = 8;
/** Directory entries that are not contracts. */
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

/** The true incidents of feeds: these and no others must be reported. */
export interface FeedIncidents {
  /** The first feed, a stablecoin, is below its peg. */
  readonly depeg: { readonly from: number; readonly to: number };
  /** A feed that publishes nothing for a while. */
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
  // Slightly more often than the heartbeat requires, like real feeds.
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

/** When the silent feed is stale: from one heartbeat plus the grace period after its last round until its next round. */
export function staleSpan(
  feeds: readonly FeedTruth[],
  { feed, from }: FeedIncidents['silence'],
  graceS: number,
): { readonly from: number; readonly to: number } {
  const times = (feeds[feed]?.rounds ?? []).map(({ at }) => at);
  const last = times.findLast((at) => at <= from) ?? Number.NaN;
  return { from: last + HEARTBEAT_S + graceS + 1, to: times.find((at) => at > last) ?? Number.NaN };
}

/** Number of rounds that exist at a time; they are a prefix of all rounds. */
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

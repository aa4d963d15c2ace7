// Reads rounds of the feeds that a directory lists or that the source names. The state of a reading is the range of rounds known of each
// feed; the next reading requests only what is outside it.
import { type ChainReading, type ChainReader, lower } from './chain-task.ts';
import { ChainFault } from './chain-fault.ts';
import type { Feed } from './feed-abi.ts';
import { type RoundsRange, type RoundReading, readRounds, roundRows } from './read-rounds.ts';

export const readFeedRounds: ChainReader = async (rpc, task) => {
  const { chain, name, window, head, historyS } = task;
  const listed = await task.listed.feeds();
  const known = knownIn(task.state);
  const own = lower(chain.contracts);
  // A list that has lost most of its feeds is presumed to be broken, and feeds that were read before are still read.
  const isShort = chain.directory !== undefined && listed.length * 2 < known.size;
  const feeds = feedsOf([...own, ...(isShort ? known.keys() : [])], listed);
  const since = Math.floor(window.from);
  // A feed that joins later is read as far back as the others.
  const sinceOfNew = known.size === 0 ? since : Math.min(since, Math.floor(window.to - historyS));
  const reading = await readRounds(rpc, { feeds, known, since, sinceOfNew, head });
  const [first] = reading.missing;
  if (first !== undefined && reading.missing.length === feeds.length)
    throw new ChainFault(
      'incomplete',
      `none of ${feeds.length} feeds can be read: ${first.feed}: ${first.why}.`,
    );
  return readingOf(name, reading, known);
};

/** Listed feeds have decimals; feeds that are only named do not. */
function feedsOf(named: readonly string[], listed: readonly Feed[]): readonly Feed[] {
  const feeds = new Map(named.map((address): [string, Feed] => [address, { address, decimals: null }]));
  for (const feed of listed) if (!feeds.has(feed.address)) feeds.set(feed.address, feed);
  return [...feeds.values()];
}

function readingOf(
  name: string,
  reading: RoundReading,
  before: ReadonlyMap<string, RoundsRange>,
): ChainReading {
  const isNew = ({ feed_address, round_id }: { feed_address: string; round_id: string }) =>
    before.get(feed_address)?.newest.toString() !== round_id;
  return {
    rows: roundRows(name, reading).filter(isNew),
    exchanges: reading.exchanges,
    missing: reading.missing.map(({ feed, why }) => ({ subject: feed, reason: why })),
    state: stateOf(reading.known),
  };
}

interface RoundsState {
  readonly newest: string;
  readonly oldest: string;
  readonly since: number;
}

const stateOf = (known: ReadonlyMap<string, RoundsRange>): { readonly [feed: string]: RoundsState } =>
  Object.fromEntries(
    [...known].map(([feed, { newest, oldest, since }]) => [
      feed,
      { newest: newest.toString(), oldest: oldest.toString(), since },
    ]),
  );

const knownIn = (state: unknown): ReadonlyMap<string, RoundsRange> =>
  new Map(
    Object.entries((state ?? {}) as { readonly [feed: string]: RoundsState }).map(
      ([feed, { newest, oldest, since }]) => [
        feed,
        { newest: BigInt(newest), oldest: BigInt(oldest), since },
      ],
    ),
  );

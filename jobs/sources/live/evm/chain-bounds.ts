// Reads the bounds of the feeds that a directory lists or that the source names. Bounds are delivered when they are new or have changed;
// those of a feed that cannot be read stay as they were delivered, and the feed is named.
import { lower, type ChainReader } from './chain-task.ts';
import { DeliveredEntries } from '../fetch/delivered-entries.ts';
import { feedsIn } from '../fetch/directory.ts';
import { ChainFault } from './chain-fault.ts';
import { type FeedBounds, readBounds } from './read-bounds.ts';

export const readFeedBounds: ChainReader = async (rpc, task) => {
  const { chain, name, head, window, tools } = task;
  const listed =
    chain.directory === undefined
      ? []
      : await task.directory.list(chain.directory, feedsIn, { urgency: window.urgency, tools });
  const delivered = new DeliveredEntries(task.state, task.mappings);
  const feeds = [
    ...new Set([...lower(chain.contracts), ...delivered.keys, ...listed.map(({ address }) => address)]),
  ];
  const { value, exchanges } = await readBounds(rpc, { feeds, head });
  const [first] = value.missing;
  if (first !== undefined && value.bounds.length === 0)
    throw new ChainFault(
      'incomplete',
      `the bounds of none of ${feeds.length} feeds can be read: ${first.feed}: ${first.why}.`,
    );
  const rows = value.bounds.map((bounds) => boundsRow(bounds, { chain: name, observed_at: head.timestamp }));
  const changed = delivered.newAmong(
    rows.map(({ observed_at: _, ...facts }) => ({ key: facts.feed_address, facts: JSON.stringify(facts) })),
  );
  return {
    rows: rows.filter(({ feed_address }) => changed.has(feed_address)),
    exchanges,
    missing: value.missing.map(({ feed, why }) => ({ subject: feed, reason: why })),
    state: delivered.state(),
  };
};

const boundsRow = (
  { feed, aggregator, min, max }: FeedBounds,
  at: { chain: string; observed_at: number },
) => ({
  ...at,
  feed_address: feed,
  aggregator_address: aggregator,
  min_answer: min.toString(),
  max_answer: max.toString(),
});

// Freshness of feeds whose source is read behind the clock, as runs see it: what is read when, and which events come of it.
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { modelWindow } from '../../../../jobs/pipeline/run/plan.ts';
import { feedRow, openOracleWorld, roundRow } from './oracle-world.ts';

/** Four hours before midnight. */
const FIRST = 1_750_032_000 - 14_400;
const HEARTBEAT = 3_600;
/** How far finality is behind, and how often the source is read. */
const LAG = 1_140;
const EVERY = 900;

const world = await openOracleWorld({
  needs: { events: ['oracle.stale'], tables: ['derived.feed_coverage'] },
});
afterAll(() => world.close());
beforeEach(() => world.clear());

interface Story {
  /** Times of all updates of the feed. */
  readonly updates: readonly number[];
  /** Times at which the source is read; by default at every run. */
  readonly isRead?: (at: number) => boolean;
  readonly hasReadings?: boolean;
  /** Times at which a reading cannot read the feed, though it reads the chain. */
  readonly isMissing?: (at: number) => boolean;
  readonly until: number;
}

/** Runs, each after what its reading of the finalized block showed; answers the log of events. */
async function eventsOf(story: Story) {
  const { updates, isRead = () => true, isMissing = () => false, hasReadings = true, until } = story;
  const log = new Map<string, Candidate>();
  await world.landFeeds([feedRow({ observed_at: FIRST })]);
  let through = FIRST;
  let knownTo = FIRST - 1;
  let processedTo: number | null = null;
  for (let now = FIRST + LAG + EVERY; now <= until; now += EVERY) {
    let dirtyFrom: number | null = processedTo === null ? FIRST : null;
    if (isRead(now)) {
      const fresh = isMissing(now) ? [] : updates.filter((at) => at > knownTo && at <= now - LAG);
      if (fresh.length > 0) await world.landQuery('feed_round', 'obs.feed_round', roundsQuery(fresh));
      if (isMissing(now))
        await world.landQuery('source_reading_gap', 'obs.source_reading_gap', gapQuery(now, through));
      const since = isMissing(now) ? through : Math.max(knownTo, FIRST);
      if (!isMissing(now)) knownTo = now - LAG;
      if (hasReadings)
        await world.landQuery('source_reading', 'obs.source_reading', readingQuery(now, since));
      dirtyFrom = Math.min(dirtyFrom ?? now, since, ...fresh);
      through = now - LAG;
    }
    const window = modelWindow({ to: now, processedTo, dirtyFrom });
    if (window === null) throw new Error('nothing to compute');
    await world.compute(window);
    const from = Math.min(processedTo ?? -1, (dirtyFrom ?? now) - 1);
    for (const found of await world.detect(from, now)) if (!log.has(found.key)) log.set(found.key, found);
    processedTo = now;
  }
  return [...log.values()]
    .filter(({ envelope }) => envelope['type'] === 'oracle.stale')
    .map(({ event_at, envelope }) => [event_at - FIRST, envelope['severity']]);
}

const roundsQuery = (times: readonly number[]) =>
  times
    .map((at) => roundRow({ updated_at: at }))
    .map(
      ({ chain, feed_address, round_id, updated_at }) =>
        `select '${chain}' as chain, '${feed_address}' as feed_address, '${round_id}' as round_id, '100000000' as answer,
          cast(8 as bigint) as decimals, 1e0 as price, cast(${updated_at} as bigint) as updated_at`,
    )
    .join(' union all ');

/** `test` is the source under which this world lands rounds. */
const readingQuery = (now: number, since: number) =>
  `select 'test' as source, 'feed_round' as table_name, 'all' as partition_key, 'ethereum' as chain, '${now}' as recording,
    'accepted' as outcome, cast(${since} as bigint) as since_at, cast(${FIRST} as bigint) as read_from_at,
    cast(${now - LAG} as bigint) as read_through_at, cast(${now} as bigint) as looked_at, cast(${EVERY} as bigint) as every_s`;

const gapQuery = (now: number, since: number) =>
  `select 'test' as source, 'feed_round' as table_name, 'all' as partition_key, '${now}' as recording, '0xf' as subject,
    'it has no round' as reason, cast(${since} as bigint) as since_at, cast(${now} as bigint) as looked_at`;

const everyHour = (from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / HEARTBEAT) + 1 }, (_, index) => from + index * HEARTBEAT);
const verdict = async () => {
  const [row] = await world.rows('select verdict, is_unverifiable from derived.feed_coverage');
  return row?.['verdict'];
};

describe('a feed that is read at the finalized block, 19 minutes behind', () => {
  const healthy = [FIRST + 10, ...everyHour(FIRST + HEARTBEAT, FIRST + 9 * HEARTBEAT)];

  test('is never called stale while it keeps its heartbeat, also over midnight', async () => {
    expect(await eventsOf({ updates: healthy, until: FIRST + 6 * HEARTBEAT })).toEqual([]);
    expect(await verdict()).toBe('fresh');
  }, 240_000);

  test('would be called stale every hour by the clock alone', async () => {
    const events = await eventsOf({ updates: healthy, hasReadings: false, until: FIRST + 4 * HEARTBEAT });
    expect(events.length).toBeGreaterThan(2);
  }, 240_000);

  describe('is called stale from the second at which it is, once per severity', () => {
    const last = FIRST + 3 * HEARTBEAT - 120;
    const onset = last - FIRST + HEARTBEAT + 60;
    const silent = healthy.filter((at) => at <= last).concat(last);
    const stale = [
      [onset + 1, 'warn'],
      [onset + 600, 'high'],
      [onset + 3_600, 'critical'],
    ];

    test('once it has been read', async () => {
      expect(await eventsOf({ updates: silent, until: FIRST + 6 * HEARTBEAT })).toEqual(stale);
      expect(await verdict()).toBe('stale');
    }, 240_000);

    test('though it was read late, and readings lacked it for longer than it takes to be critical', async () => {
      const isRead = (at: number) => at < FIRST + onset || at >= FIRST + onset + HEARTBEAT;
      const isMissing = (at: number) => at >= FIRST + onset && at < last + 4 * HEARTBEAT;
      const updates = [...silent, last + 5 * HEARTBEAT];
      expect(await eventsOf({ updates, isRead, isMissing, until: last + 5.5 * HEARTBEAT })).toEqual(stale);
      expect(await verdict()).toBe('fresh');
    }, 240_000);
  });
});

test('a source that stops reading leaves no event behind, and its feeds are unverifiable', async () => {
  const updates = everyHour(FIRST, FIRST + 20 * HEARTBEAT);
  const until = FIRST + 5 * HEARTBEAT;
  const isRead = (at: number) => at <= FIRST + 2 * HEARTBEAT;
  expect(await eventsOf({ updates, isRead, until })).toEqual([]);
  expect(await verdict()).toBe('unverifiable');
}, 240_000);

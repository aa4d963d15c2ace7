import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { MarketHours } from '../../../../jobs/families/oracles/policy.ts';
import type { Candidate } from '../../../../jobs/pipeline/events/emit.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { type FeedRow, feedRow, openOracleWorld, type RoundRow, roundRow } from './oracle-world.ts';
import { type Found, type History, staleness, type Version } from './staleness-model.ts';

const MONDAY = 1_750_032_000;
const LAST = 5 * 3600;
const limits = { grace_s: 60, stale_high_s: 600, stale_critical_s: 1_500, is_untracked_reported: true };
const market: MarketHours = {
  name: 'short',
  open: [
    [0, 40],
    [70, 75],
    [75, 130],
    [200, 260],
  ],
};
const openings = [
  [0, 2400],
  [4200, 7800],
  [12_000, 15_600],
] as const;

const world = await openOracleWorld({
  policy: { ...DEFAULT_POLICY, oracle: limits, market_hours: [market] },
  needs: { events: ['oracle.'] },
});
afterAll(() => world.close());

const traitsOf = (category: string, { heartbeat_s, openings }: Omit<Version, 'traits'>) =>
  [
    category,
    ...(openings === null ? [] : ['market_hours']),
    ...(heartbeat_s === null ? ['no_heartbeat'] : []),
  ].join();

const version: fc.Arbitrary<Version> = fc
  .record({
    from: fc.integer({ min: 0, max: LAST }),
    heartbeat_s: fc.constantFrom(60, 600, 3600, null),
    openings: fc.constantFrom(null, null, openings, []),
    category: fc.constantFrom('a', 'b'),
  })
  .map(({ category, ...one }) => ({ ...one, traits: traitsOf(category, one) }));
const history: fc.Arbitrary<History> = fc.record({
  versions: fc
    .uniqueArray(version, { minLength: 1, maxLength: 3, selector: (one) => one.from })
    .map((list) => list.toSorted((a, b) => a.from - b.from)),
  updates: fc
    .array(fc.integer({ min: 0, max: LAST }), { maxLength: 12 })
    .map((list) => list.toSorted((a, b) => a - b)),
});

const marketOf = ({ openings }: Version) =>
  openings === null ? null : openings.length === 0 ? 'nowhere' : 'short';

async function land(histories: readonly History[]): Promise<void> {
  const feeds: FeedRow[] = [];
  const rounds: RoundRow[] = [];
  for (const [index, { versions, updates }] of histories.entries()) {
    const feed_address = `0x${index}`;
    for (const one of versions) {
      const { heartbeat_s, traits } = one;
      feeds.push(
        feedRow({
          feed_address,
          heartbeat_s,
          category: traits.charAt(0),
          market_hours: marketOf(one),
          observed_at: MONDAY + one.from,
          deviation_bps: 50,
        }),
      );
    }
    rounds.push(
      ...updates.map((at, index) =>
        roundRow({ feed_address, updated_at: MONDAY + at, round_id: String(index + 1) }),
      ),
    );
  }
  await world.clear();
  await world.landFeeds(feeds);
  if (rounds.length > 0) await world.landRounds(rounds);
}

type Fingerprint = { category: string; staleness_status: string; edge_case_flags: readonly string[] };

function foundIn(events: readonly Candidate[], index: number): readonly Found[] {
  return events
    .filter(({ envelope }) => String(envelope['subject_id']).startsWith(`oracle:ethereum:0x${index}:`))
    .map(({ event_at, envelope }) => {
      const data = envelope['data'] as { stale_age_s: number; previous: Fingerprint; current: Fingerprint };
      const side = (one: Fingerprint) =>
        `${[one.category, ...one.edge_case_flags].join()} ${one.staleness_status}`;
      const what =
        envelope['type'] === 'oracle.stale'
          ? `${envelope['severity']} ${data.stale_age_s}`
          : `${side(data.previous)} -> ${side(data.current)}`;
      return { at: event_at - MONDAY, what };
    });
}

const sorted = (list: readonly Found[]) => list.toSorted((a, b) => a.at - b.at || (a.what < b.what ? -1 : 1));

describe('staleness', () => {
  test('is what its definition says, second by second, for any updates, versions and market hours', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 40, maxLength: 40 }), async (histories) => {
        await land(histories);
        const end = MONDAY + LAST;
        await world.compute({ start: MONDAY, end: end + 1, now: end });
        const events = await world.detect(-1, end);
        for (const [index, one] of histories.entries()) {
          expect(sorted(foundIn(events, index)), JSON.stringify(one)).toEqual(
            sorted(staleness(one, limits, LAST)),
          );
        }
      }),
      { numRuns: COUNTS.walks(8), endOnFailure: true },
    );
  }, 120_000);
});

describe('a feed with a heartbeat of an hour', () => {
  const onlyUpdate: History = {
    versions: [{ from: 0, heartbeat_s: 3600, openings: null, traits: 'a' }],
    updates: [100],
  };
  const threshold = 100 + 3600 + limits.grace_s;
  const eventsUntil = async (last: number, given: History = onlyUpdate) => {
    await land([given]);
    await world.compute({ start: MONDAY, end: MONDAY + last + 1, now: MONDAY + last });
    const events = await world.detect(-1, MONDAY + last);
    return foundIn(events, 0).flatMap(({ at, what }) =>
      what.includes('->') ? [] : [`${at - threshold} ${what}`],
    );
  };

  test.each([
    [0, []],
    [1, ['1 warn 1']],
    [599, ['1 warn 1']],
    [600, ['1 warn 1', '600 high 600']],
    [1_499, ['1 warn 1', '600 high 600']],
    [1_500, ['1 warn 1', '600 high 600', '1500 critical 1500']],
    [9_000, ['1 warn 1', '600 high 600', '1500 critical 1500']],
  ])('has fired, %i s past its threshold, %j', async (age, expected) => {
    expect(await eventsUntil(threshold + age)).toEqual(expected);
  });

  test.each([
    [0, []],
    [1, []],
    [2, ['1 warn 1']],
    [600, ['1 warn 1']],
    [601, ['1 warn 1', '600 high 600']],
  ])('that updates %i s past its threshold has fired %j', async (age, expected) => {
    const updates = [100, threshold + age];
    expect(await eventsUntil(threshold + 3000, { ...onlyUpdate, updates })).toEqual(expected);
  });
});

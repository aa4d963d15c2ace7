import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { PegAsset } from '../../../../jobs/families/oracles/peg-schema.ts';
import type { MarketHours } from '../../../../jobs/families/oracles/policy.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { type FeedRow, feedRow, openOracleWorld, type RoundRow, roundRow, walk } from './oracle-world.ts';

const FIRST = 1_749_859_200;
const DAY = 86_400;
const SPAN = 3 * DAY;
const LAST = FIRST + SPAN - 1;

/** Closed at midnight and over the week's end, which falls inside the span. */
const market: MarketHours = {
  name: 'weekly',
  open: [
    [0, 2_000],
    [2_500, 2_900],
    [7_000, 9_000],
    [9_500, 10_080],
  ],
};
const assets: readonly PegAsset[] = [
  { symbol: 'AAA', quote: 'USD', kind: 'fiat_usd', reference_price: '1' },
  { symbol: 'BBB', quote: 'USD', kind: 'fiat_other', reference_pair: 'EEE-USD' },
];
const policy = {
  ...DEFAULT_POLICY,
  market_hours: [market],
  peg: { ...DEFAULT_POLICY.peg, assets, recovery_hold_s: 7_200 },
};
const world = await openOracleWorld({ policy });
afterAll(() => world.close());

const BASES = ['AAA', 'AAA', 'BBB', 'EEE', 'EEE', 'XXX', 'YYY', 'ZZZ'];

/** Instants at and near midnight come up more often than chance would have them. */
const instant = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: SPAN - 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, DAY - 1, DAY, DAY + 1, 2 * DAY - 1, 2 * DAY, SPAN - 1) },
);
const version = fc.record({
  observed_at: instant.map((at) => FIRST + at),
  heartbeat_s: fc.constantFrom(1_800, 3_600, 21_600, null),
  deviation_bps: fc.constantFrom(25, 100, null),
  market_hours: fc.constantFrom(null, null, 'weekly', 'nobody_knows'),
  category: fc.constantFrom('price', 'reserves'),
  risk_level: fc.constantFrom('low', 'deprecating', null),
});
const round = fc.record({
  updated_at: instant.map((at) => FIRST + at),
  answer: fc.constantFrom(
    '100000000',
    '100000000',
    '99400000',
    '98900000',
    '96000000',
    '103000000',
    '0',
    '-5',
  ),
});
const feeds = fc.array(
  fc.record({
    versions: fc.uniqueArray(version, { minLength: 0, maxLength: 3, selector: (one) => one.observed_at }),
    rounds: fc.array(round, { maxLength: 70 }),
  }),
  { minLength: BASES.length, maxLength: BASES.length },
);
/** Steps that divide nothing, now and then several days long. */
const cuts = fc.uniqueArray(instant, { minLength: 6, maxLength: 12 }).map((list) => [
  ...list
    .map((at) => FIRST + at)
    .filter((at) => at < LAST)
    .toSorted((a, b) => a - b),
  LAST,
]);

async function land(given: typeof feeds extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const versions: FeedRow[] = [
    feedRow({ feed_address: '0xlate', base: 'LATE', quote: 'USD', observed_at: LAST - 10 }),
  ];
  const rounds: RoundRow[] = [roundRow({ feed_address: '0xlate', updated_at: FIRST })];
  for (const [index, feed] of given.entries()) {
    const feed_address = `0x${index}`;
    const base = BASES[index] ?? 'XXX';
    versions.push(...feed.versions.map((one) => feedRow({ ...one, feed_address, base, quote: 'USD' })));
    rounds.push(
      ...feed.rounds.map((one, index) => roundRow({ ...one, feed_address, round_id: String(index + 1) })),
    );
  }
  await world.clear();
  await world.landFeeds(versions);
  await world.landRounds(rounds);
}

/** Everything computed: a walk must also leave the same tables behind. */
async function tables(): Promise<readonly unknown[]> {
  const names = [
    'derived.feed_state',
    'derived.feed_day',
    'derived.feed_status',
    'derived.feed_fingerprint',
    'derived.peg_live',
    'derived.peg_price',
    'derived.peg_observation',
    'derived.peg_step',
    'derived.peg_recovery',
    'out.coverage',
    'out.oracle_parameter',
  ];
  return Promise.all(
    names.map((name) => world.rows(`select '${name}' as name, * from ${name} order by all`)),
  );
}

test('events, their order and all tables are the same in one go, in days and in odd steps', async () => {
  await fc.assert(
    fc.asyncProperty(feeds, cuts, async (given, odd) => {
      await land(given);
      const atOnce = await walk(world, FIRST, [LAST]);
      const whole = await tables();
      for (const instants of [
        [FIRST + DAY - 1, FIRST + 2 * DAY - 1, LAST],
        [FIRST, FIRST + DAY, FIRST + 2 * DAY, LAST],
        odd,
      ]) {
        await land(given);
        expect(await walk(world, FIRST, instants), `walked over ${instants.join()}`).toEqual(atOnce);
        expect(await tables(), `walked over ${instants.join()}`).toEqual(whole);
      }
    }),
    { numRuns: COUNTS.walks(3), endOnFailure: true },
  );
}, 300_000);

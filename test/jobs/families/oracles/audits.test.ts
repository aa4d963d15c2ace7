import { afterAll, beforeEach, expect, test } from 'vitest';
import { feedRow, openOracleWorld, roundRow } from './oracle-world.ts';

const DAY = 1_750_032_000;
const window = { start: DAY, end: DAY + 7_200, now: DAY + 7_199 };

const AUDITED = [
  'obs.feed_round',
  'derived.peg_asset',
  'derived.feed_status',
  'derived.feed_coverage',
  'derived.peg_step',
];
const world = await openOracleWorld({ needs: { tables: AUDITED } });
afterAll(() => world.close());
beforeEach(() => world.clear());

test('sound feeds pass every audit', async () => {
  await world.landFeeds([feedRow({ observed_at: DAY, base: 'USDC', quote: 'USD' })]);
  await world.landRounds(
    [100, 200, 300].map((at) => roundRow({ updated_at: DAY + at, answer: `9${at}0000` })),
  );
  await world.compute(window);
  expect(await world.audit(window)).toEqual([]);
});

test('a feed whose rounds have other decimals than its registry is named', async () => {
  await world.landFeeds([
    feedRow({ observed_at: DAY, decimals: 18 }),
    feedRow({ feed_address: '0xe', observed_at: DAY }),
  ]);
  await world.landRounds([
    roundRow({ updated_at: DAY + 1 }),
    roundRow({ feed_address: '0xe', updated_at: DAY + 1 }),
  ]);
  await world.compute(window);
  const findings = await world.audit(window);
  expect(findings).toMatchObject([
    {
      table: 'obs.feed_round',
      rows: [{ feed_address: '0xf', round_decimals: 8, registry_decimals: 18 }],
    },
  ]);
});

test.each([
  ['derived.feed_coverage', 'update derived.feed_completeness set history_completeness_pct = 100.001'],
  ['derived.feed_coverage', `update derived.feed_coverage set last_update_at = ${window.now + 1}`],
  ['derived.feed_coverage', 'insert into derived.feed_coverage select * from derived.feed_coverage'],
  [
    'derived.feed_status',
    'insert into derived.feed_status select * from derived.feed_status where is_change',
  ],
  ['derived.feed_status', "update derived.feed_status set assessed_at = threshold_at where grade = 'warn'"],
  ['derived.peg_step', "update derived.peg_step set edge = 'start' where is_observation"],
])('the audit of %s catches: %s', async (table, damage) => {
  await world.landFeeds([feedRow({ observed_at: DAY, base: 'USDC', quote: 'USD' })]);
  await world.landRounds([roundRow({ updated_at: DAY }), roundRow({ updated_at: DAY + 6_000 })]);
  await world.compute(window);
  await world.rows(damage);
  expect((await world.audit(window)).map((finding) => finding.table)).toEqual([table]);
});

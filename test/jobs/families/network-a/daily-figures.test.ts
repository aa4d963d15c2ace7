// An operator with nothing but a daily statistic: what it says is published, what it lacks is null and named.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { networkA, networkATransactions } from '../../../../jobs/families/network-a/domain.ts';
import type { TransactionStatistics } from '../../../../schemas/network-a.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const DAY = 86_400;
const START = Date.UTC(2026, 2, 1) / 1000;

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(networkA);
});
afterEach(() => world.close());

const figures = (at: number) => ({
  network: 'ethereum',
  day_at: START + at * DAY,
  transactions: 1_000 + at,
  blocks: 7_100,
});

test('a statistic delivered once a day reaches seven records, newest first, without a single block', async () => {
  await world.landRows('network_a_daily', [0, 1, 2, 3, 4, 5, 6, 7].map(figures));
  const window = { start: START, end: START + 8 * DAY + 1, now: START + 8 * DAY };
  await world.compute(window);
  const records = (await world.document(
    networkATransactions,
    'ethereum',
  )) as unknown as TransactionStatistics[];
  expect(records.map(({ timestamp }) => timestamp)).toEqual(
    [8, 7, 6, 5, 4, 3, 2].map((day) => `0${day}-03-2026`),
  );
  expect(records[0]).toMatchObject({
    daily_new_tx: 1_007,
    daily_num_blocks_created: 7_100,
    daily_new_contract: null,
    latest_block: null,
    average_block_creation_time: null,
    daily_block_num_stats: { tx_type_stats: [], tx_fee: { total_value: null } },
  });
  const findings = await world.audit(window);
  expect(findings.flatMap(({ rows }) => rows.map(({ reason }) => reason))).toContain(
    'ethereum: 7 days rest on daily figures, statistics of single blocks and transactions are missing',
  );
});

test('a day whose blocks land is computed from them', async () => {
  await world.landRows('network_a_daily', [figures(0)]);
  await world.landRows('network_a_block', [
    { network: 'ethereum', block_number: 5, observed_at: START + 12, transaction_count: 3 },
  ]);
  await world.compute({ start: START, end: START + DAY, now: START + DAY - 1 });
  const records = (await world.document(
    networkATransactions,
    'ethereum',
  )) as unknown as TransactionStatistics[];
  expect(records).toMatchObject([{ daily_new_tx: 3, daily_num_blocks_created: 1, latest_block: 5 }]);
});

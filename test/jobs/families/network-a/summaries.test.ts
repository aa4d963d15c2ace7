// An operator whose transactions land as summaries: the same records as from single ones, and a summary that did not land is missed.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { networkA, networkATransactions } from '../../../../jobs/families/network-a/domain.ts';
import type { TransactionStatistics } from '../../../../schemas/network-a.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { DAY, dayOf, span } from './days.ts';

const START = dayOf('2026-03-01');
const HOUR = 3_600;
const HOURS = [...Array(3 * 24).keys()];
const WINDOW = span(START, START + 3 * DAY - 1);

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(networkA);
});
afterEach(() => world.close());

const block = (hour: number) => ({
  network: 'ethereum',
  block_number: 100 + hour,
  observed_at: START + hour * HOUR,
  transaction_count: 4,
  created_contracts: hour % 2,
});
const summary = (hour: number) => ({
  network: 'ethereum',
  observed_at: START + (hour + 1) * HOUR - 1,
  tx_type: 2,
  transactions: 4,
  creations: 1,
  contract_calls: 2,
  transfers: 1,
  price_min: 1,
  price_max: 3,
  price_total: 8,
});
const reasons = async () =>
  (await world.audit(WINDOW)).flatMap(({ rows }) => rows.map(({ reason }) => String(reason)));

test('types, prices and contracts of a day come out, and nothing is missed', async () => {
  await world.landRows('network_a_block', HOURS.map(block));
  await world.landRows('network_a_transaction_summary', HOURS.map(summary));
  await world.compute(WINDOW);
  const records = (await world.document(
    networkATransactions,
    'ethereum',
  )) as unknown as TransactionStatistics[];
  expect(records[1]).toMatchObject({
    daily_new_tx: 96,
    daily_new_contract: 12,
    daily_block_num_stats: {
      tx_type_stats: [{ tx_type: 2, tx_type_freq: 96, num_contract_creation: 24, num_eoa_interaction: 24 }],
      gas_price: { min_value: 1, max_value: 3, avg_value: 2, total_value: 192 },
      tx_fee: { total_value: null },
      sc_deploy: { min_value: 0, max_value: 1, avg_value: 0.5, total_value: 12 },
    },
  });
  expect((await reasons()).filter((reason) => reason.includes('transactions are missing'))).toEqual([]);
});

test('a summary that did not land is missed by the number of its transactions', async () => {
  await world.landRows('network_a_block', HOURS.map(block));
  await world.landRows('network_a_transaction_summary', HOURS.filter((hour) => hour !== 30).map(summary));
  await world.compute(WINDOW);
  expect((await reasons()).filter((reason) => reason.includes('2026-03-02'))).toEqual([
    'ethereum 2026-03-02 is partial (24 blocks landed), 4 transactions are missing',
  ]);
});

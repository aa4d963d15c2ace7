import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { networkA, networkATransactions } from '../../../../jobs/families/network-a/domain.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { TransactionStatistics } from '../../../../schemas/network-a.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

const DAY = 86_400;
const START = 1_704_067_200;

let world: DomainWorld;
beforeEach(async () => {
  world = await openDomainWorld(networkA);
});
afterEach(() => world.close());

type Fields = { readonly [field: string]: Json };

const block = (number: number, more: Fields = {}): Fields => ({
  network: 'ethereum',
  block_number: number,
  observed_at: START + 12 * number,
  gas_limit: 30_000_000,
  gas_used: 21_000,
  base_fee_per_gas: '7',
  transaction_count: 1,
  ...more,
});

const transaction = (hash: string, more: Fields = {}): Fields => ({
  network: 'ethereum',
  tx_hash: hash,
  block_number: 1,
  observed_at: START + 12,
  tx_type: 2,
  to_address: '0xA',
  input: '0x',
  status: 1,
  gas_used: 21_000,
  gas_price: '9',
  max_fee_per_gas: '9',
  max_priority_fee_per_gas: '2',
  ...more,
});

const computeDay = (now = START + DAY - 1) => world.compute({ start: START, end: now + 1, now });
const records = async () =>
  (await world.document(networkATransactions, 'ethereum')) as readonly TransactionStatistics[];

describe('a block', () => {
  test.each<[string, Fields, string]>([
    [
      'a base fee of 26 digits',
      { base_fee_per_gas: '1'.repeat(26) },
      'base_fee_per_gas: has 26 digits before the point, 25 at most',
    ],
    ['a negative base fee', { base_fee_per_gas: '-7' }, 'base_fee_per_gas: negative'],
    ['a base fee in hexadecimal', { base_fee_per_gas: '0x7' }, 'base_fee_per_gas: not a number'],
    ['a base fee with a fraction', { base_fee_per_gas: 7.5 }, 'base_fee_per_gas: not a whole number'],
    ['no number', { block_number: null }, 'block_number: missing'],
    ['a time that is none', { observed_at: 'yesterday' }, 'observed_at: not a time'],
    ['a time after it was fetched', { observed_at: 4_000_000_001 }, 'observed_at: later than the fetch'],
    ['gas below zero', { gas_used: -1 }, 'gas_used: negative'],
    ['gas past any limit', { gas_used: 1e13 }, 'gas_used: more than'],
    ['half a transaction', { transaction_count: 1.5 }, 'transaction_count: not an integer'],
  ])('with %s goes to quarantine with that reason, the others land', async (_what, fault, reason) => {
    const receipt = await world.landRows('network_a_block', [block(1), block(2, fault), block(3)]);
    expect(receipt).toMatchObject({ rows_in: 3, rows_landed: 2, rows_quarantined: 1, rows_deduplicated: 0 });
    expect(Object.keys(receipt.reasons)).toEqual([expect.stringContaining(reason)]);
  });

  test('that comes twice, in one file and in another, counts once', async () => {
    await world.landRows('network_a_block', [block(1), block(2), block(1)]);
    const again = await world.landRows('network_a_block', [block(2), block(3), block(1)]);
    expect(again).toMatchObject({ rows_in: 3, rows_landed: 1, rows_deduplicated: 2, rows_quarantined: 0 });
    await computeDay();
    expect(await records()).toMatchObject([{ daily_num_blocks_created: 3, daily_new_tx: 3 }]);
  });

  test('that contradicts the one that is kept is quarantined', async () => {
    await world.landRows('network_a_block', [block(1)]);
    const other = await world.landRows('network_a_block', [block(1, { gas_used: 5 }), block(2)]);
    expect(other).toMatchObject({ rows_landed: 1, rows_quarantined: 1 });
    expect(Object.keys(other.reasons)).toEqual(['record: its key was kept before with other content']);
  });

  test('with a base fee of zero burns zero, and one without burns an unknown amount', async () => {
    await world.landRows('network_a_block', [
      block(1, { base_fee_per_gas: '0' }),
      block(8_000, { base_fee_per_gas: null }),
    ]);
    await world.compute({ start: START, end: START + 2 * DAY, now: START + 2 * DAY - 1 });
    const burnt = (await records()).map(
      ({ daily_block_num_stats }) => daily_block_num_stats.native_burnt.total_value,
    );
    expect(burnt).toEqual([null, 0]);
  });
});

describe('a transaction', () => {
  test.each<[string, Fields, string]>([
    [
      'a fee cap of 2^256 − 1',
      { max_fee_per_gas: String(2n ** 256n - 1n) },
      'max_fee_per_gas: has 78 digits before the point, 25 at most',
    ],
    ['a fee cap as 1e-9', { max_fee_per_gas: '1e-9' }, 'max_fee_per_gas: not a whole number'],
    ['a type below zero', { tx_type: -1 }, 'tx_type: negative'],
    ['a type past those of EIP-2718', { tx_type: 128 }, 'tx_type: more than 127'],
    ['no call data at all', { input: null }, 'input: missing'],
    ['call data that is no hexadecimal', { input: 'a9059cbb' }, 'input: must be `0x` and hexadecimal digits'],
    ['no hash', { tx_hash: '' }, 'tx_hash: missing'],
  ])('with %s goes to quarantine with that reason', async (_what, fault, reason) => {
    const rows = [transaction('0x1'), transaction('0x2', fault)];
    const receipt = await world.landRows('network_a_transaction', rows);
    expect(receipt).toMatchObject({ rows_in: 2, rows_landed: 1, rows_quarantined: 1 });
    expect(Object.keys(receipt.reasons)).toEqual([expect.stringContaining(reason)]);
  });

  test('with amounts of 25 digits is counted to the last of them', async () => {
    const cap = `9${'0'.repeat(23)}1`;
    await world.landRows('network_a_block', [block(1, { base_fee_per_gas: `8${'0'.repeat(23)}7` })]);
    await world.landRows('network_a_transaction', [
      transaction('0x1', { max_fee_per_gas: cap, max_priority_fee_per_gas: '3', gas_used: 999_999_999_999 }),
    ]);
    await computeDay();
    const price = 8n * 10n ** 24n + 10n;
    const [row] = await world.rows(
      'select fee_total_wei, saved_total_wei from derived.network_a_transaction_day',
    );
    expect(row).toEqual({
      fee_total_wei: String(price * 999_999_999_999n),
      saved_total_wei: String((BigInt(cap) - price) * 999_999_999_999n),
    });
  });

  test('of a block that is not there has no record of its own', async () => {
    await world.landRows('network_a_transaction', [transaction('0x1')]);
    await computeDay();
    expect(await records()).toBeNull();
  });
});

test('half a day is a record of that half, and the other half completes it', async () => {
  const noon = START + DAY / 2 - 1;
  const numbers = Array.from({ length: 7_200 }, (_, number) => number);
  await world.landRows(
    'network_a_block',
    numbers.slice(0, 3_600).map((number) => block(number)),
  );
  await computeDay(noon);
  expect(await records()).toMatchObject([{ daily_num_blocks_created: 3_600, latest_block: 3_599 }]);
  await world.landRows(
    'network_a_block',
    numbers.slice(3_000).map((number) => block(number)),
  );
  await computeDay();
  expect(await records()).toMatchObject([
    { daily_num_blocks_created: 7_200, average_block_creation_time: 12 },
  ]);
});

test('blocks that were landed early are not counted before their time', async () => {
  await world.landRows('network_a_block', [block(1), block(2), block(3)]);
  await computeDay(START + 24);
  expect(await records()).toMatchObject([{ daily_num_blocks_created: 2 }]);
});

test('prices that contradict base fee and caps are named and lower the confidence', async () => {
  await world.landRows('network_a_block', [block(1)]);
  await world.landRows('network_a_transaction', [
    transaction('0x1'),
    transaction('0x2', { effective_gas_price: '8' }),
  ]);
  await computeDay();
  const findings = await world.audit({ start: START, end: START + DAY, now: START + DAY - 1 });
  expect(findings).toMatchObject([
    { table: 'derived.network_a_block_day' },
    {
      verdict: 'warn',
      rows: [
        {
          reason: 'ethereum 2024-01-01: 1 of 2 transactions paid another price than base fee and caps give',
          weight: 0.0714,
        },
      ],
    },
  ]);
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { networkA } from '../../../../jobs/families/network-a/domain.ts';
import { type FileWorld, openFileWorld } from '../../../support/file-world.ts';

const DAY = 86_400;
const MONDAY = Date.UTC(2026, 2, 9) / 1000;
const NOW = MONDAY + 2 * DAY + 3_600;
const BLOCK_S = 300;
const A_DAY = DAY / BLOCK_S;

let world: FileWorld;
beforeEach(() => {
  world = openFileWorld({ domains: [networkA] });
});
afterEach(() => world.remove());

const block = (number: number) => ({
  network: 'ethereum',
  block_number: 1_000 + number,
  observed_at: MONDAY + number * BLOCK_S,
  gas_limit: 30_000_000,
  gas_used: 15_000_000,
  base_fee_per_gas: '1000000000',
  transaction_count: 1,
});
const transaction = (number: number) => ({
  network: 'ethereum',
  tx_hash: `0x${number}`,
  block_number: 1_000 + number,
  observed_at: MONDAY + number * BLOCK_S,
  tx_type: 2,
  to_address: '0xa',
  input: '0x',
  gas_used: 21_000,
  max_fee_per_gas: '2000000000',
  max_priority_fee_per_gas: '100',
});

/** Blocks of the day before, Monday, Tuesday and the first hour of Wednesday. */
const NUMBERS = Array.from({ length: 3 * A_DAY + 12 }, (_, index) => index - A_DAY);
const DATASET = 'network-a-transaction-statistics';

async function publish(blocks: readonly number[], transactions: readonly number[] = NUMBERS) {
  world.write('network_a_block', { 'blocks.ndjson': blocks.map(block) });
  world.write('network_a_transaction', { 'transactions.ndjson': transactions.map(transaction) });
  await world.run(NOW);
}

const UNTRACED =
  'ethereum: contracts made by factories are not counted on 4 days, because blocks came without traces';

test('days whose numbers follow on are complete; nothing is claimed of the first one', async () => {
  await publish(NUMBERS);
  const unproven =
    'ethereum 2026-03-08 is partial (288 blocks landed), nothing shows that no block is missing before 00:00:00';
  const earlier = 'ethereum: no record of 2026-03-05, 2026-03-06, 2026-03-07';
  expect(world.words(DATASET)).toEqual([earlier, UNTRACED, unproven, UNTRACED, unproven]);
  expect(world.dataset(DATASET).confidence.level).toBe('high');
});

test.each([
  ['one block', (at: number) => at !== 100, '1 blocks are missing in between'],
  ['most of a day', (at: number) => at < 5 || at >= 205, '200 blocks are missing in between'],
])('without %s of Monday the gate warns with the day and the blocks', async (_what, isThere, words) => {
  await publish(NUMBERS.filter(isThere));
  const { quality_gate } = world.dataset(DATASET);
  expect(quality_gate.verdict).toBe('warn');
  const reason = world.words(DATASET).join('\n');
  expect(reason).toContain(words);
  expect(reason).toMatch(/2026-03-(09|10)/);
});

test('a day of which nothing but a thousandth has landed is not sure at all', async () => {
  await publish(NUMBERS.filter((at) => at >= 100 && at < 110));
  const { quality_gate, confidence } = world.dataset(DATASET);
  expect(quality_gate.verdict).toBe('warn');
  expect(confidence.level).toBe('low');
  expect(world.words(DATASET).join()).toContain(
    'ethereum 2026-03-09 is partial (10 blocks landed), about 100 blocks are missing before 08:20:00, about 178 blocks are missing after 09:05:00',
  );
});

test('a missing transaction is named', async () => {
  await publish(
    NUMBERS,
    NUMBERS.filter((at) => at !== 5),
  );
  expect(world.words(DATASET).join()).toContain(
    '2026-03-09 is partial (288 blocks landed), 1 transactions are missing',
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkADemoSources } from '../../../../jobs/sources/demo/network-a.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const sources = networkADemoSources(settings());
const FIRST_DAY = STARTED_AT - (STARTED_AT % DAY) - 9 * DAY;

test('every source says that it is simulated', () => {
  expect(sources.map(({ table }) => table)).toEqual([
    'network_a_block',
    'network_a_transaction_summary',
    'network_a_stake',
    'network_a_mempool',
  ]);
  for (const { facts } of sources)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('the blocks of nine whole days come before today, numbered without a gap, in all slots but those that are missed', async () => {
  const blocks = await rowsOf(sources[0], { from: -1, to: FIRST_DAY + 9 * DAY - 1 });
  expect(blocks).toHaveLength(9 * 7_150);
  expect(blocks.every(({ observed_at }) => Number(observed_at) >= FIRST_DAY)).toBe(true);
  const first = Number(blocks[0]?.['block_number']);
  expect(blocks.map(({ block_number }) => Number(block_number) - first)).toEqual([...blocks.keys()]);
});

test('blocks keep the gas limit, and a base fee moves by an eighth at most (EIP-1559)', async () => {
  const blocks = await rowsOf(sources[0], { from: STARTED_AT - 2 * DAY, to: STARTED_AT });
  expect(Math.max(...blocks.map(({ gas_used }) => Number(gas_used)))).toBeLessThan(36_000_000);
  const fees = blocks.map(({ base_fee }) => Number(base_fee));
  const moves = fees.slice(1).map((fee, index) => Math.abs(fee / (fees[index] ?? 0) - 1));
  expect(Math.max(...moves)).toBeLessThan(1 / 8);
});

const sum = (rows: readonly Readonly<Record<string, unknown>>[], ...columns: readonly string[]) =>
  rows.reduce((total, row) => total + columns.reduce((own, column) => own + Number(row[column]), 0), 0);

test('summaries have the transactions of their blocks, and fees that pay what is burnt', async () => {
  const end = STARTED_AT - (STARTED_AT % 600) - 1;
  const interval = { from: end - 3_600, to: end };
  const [blocks, summaries] = [await rowsOf(sources[0], interval), await rowsOf(sources[1], interval)];
  const transactions = sum(blocks, 'transaction_count');
  expect(sum(summaries, 'transactions')).toBe(transactions);
  expect(sum(summaries, 'creations', 'contract_calls', 'transfers')).toBe(transactions);
  expect(sum(summaries, 'creations')).toBe(sum(blocks, 'created_contracts'));
  const burnt = blocks.reduce(
    (total, { gas_used, base_fee }) => total + (Number(gas_used) * Number(base_fee)) / 1e18,
    0,
  );
  expect(sum(summaries, 'fee_total')).toBeGreaterThan(burnt);
  for (const name of ['fee_cap', 'tip_cap', 'price', 'fee', 'saved'])
    for (const row of summaries) {
      const mean = Number(row[`${name}_total`]) / Number(row['transactions']);
      expect(Number(row[`${name}_min`])).toBeLessThanOrEqual(mean);
      expect(Number(row[`${name}_max`])).toBeGreaterThanOrEqual(mean);
    }
});

test('the supply of a day grows by what is earned less what is burnt', async () => {
  const day = { from: FIRST_DAY + 3 * DAY - 1, to: FIRST_DAY + 4 * DAY - 1 };
  const stakes = await rowsOf(sources[2], { from: day.from - 1, to: day.to });
  const [before, after] = [stakes[0], stakes.at(-1)];
  const grown = (column: string) => Number(after?.[column]) - Number(before?.[column]);
  const burnt = (await rowsOf(sources[0], day)).reduce(
    (total, { gas_used, base_fee, blob_gas_used }) =>
      total + (Number(gas_used) * Number(base_fee) + Number(blob_gas_used) * 1e7) / 1e18,
    0,
  );
  expect(grown('total_supply_native')).toBeCloseTo(grown('total_rewards_native') - burnt, 4);
});

test('any cut of time gives the same rows, another seed gives others', async () => {
  const all = { from: STARTED_AT - 2 * DAY, to: STARTED_AT };
  const cuts = fc.array(fc.integer({ min: all.from, max: all.to }), { maxLength: 8 });
  for (const source of sources)
    await fc.assert(
      fc.asyncProperty(cuts, (instants) => expectSameRows(source, all, instants)),
      { numRuns: 5, seed: 3 },
    );
  const others = networkADemoSources(settings({ seed: 2 }));
  for (const [index, other] of others.entries())
    expect(await rowsOf(other, all)).not.toEqual(await rowsOf(sources[index], all));
});

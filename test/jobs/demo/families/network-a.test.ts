import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkADemoSources } from '../../../../jobs/demo/families/network-a.ts';
import { STARTED_AT, settings } from '../expand-rows.ts';
import { expectSameRows, rowsOf } from './cuts.ts';

const DAY = 86_400;
const sources = networkADemoSources(settings());
const FIRST_DAY = STARTED_AT - (STARTED_AT % DAY) - 9 * DAY;

test('every source says that it is simulated', () => {
  expect(sources.map(({ table }) => table)).toEqual([
    'network_a_block',
    'network_a_transaction',
    'network_a_stake',
    'network_a_mempool',
  ]);
  for (const { facts } of sources)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('the blocks of nine whole days come before today, and none is earlier', async () => {
  const blocks = await rowsOf(sources[0], { from: -1, to: FIRST_DAY + 9 * DAY - 1 });
  expect(blocks).toHaveLength(9 * 7_200);
  const times = blocks.map(({ block }) => 12 * Number(block) + 11);
  expect(times.every((time) => time >= FIRST_DAY)).toBe(true);
});

test('a block has as many transactions, and uses as much gas, as its transactions say', async () => {
  const interval = { from: STARTED_AT - 3_600, to: STARTED_AT };
  const [blocks, transactions] = [await rowsOf(sources[0], interval), await rowsOf(sources[1], interval)];
  for (const block of blocks) {
    const own = transactions.filter((transaction) => transaction['block'] === block['block']);
    expect(block['transaction_count']).toBe(own.length);
    expect(block['gas_used']).toBe(own.reduce((sum, { gas_used }) => sum + Number(gas_used), 0));
  }
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
  for (const [place, other] of others.entries())
    expect(await rowsOf(other, all)).not.toEqual(await rowsOf(sources[place], all));
});

import { expect, test } from 'vitest';
import { mevDemoSources, paymentDemoSource } from '../../../../jobs/sources/demo/mev.ts';
import { rowsOf, testPromises } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const sources = mevDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

testPromises((given) => [...mevDemoSources(given), paymentDemoSource(given)]);

test('no two swaps of a block share a place, and the chain’s blocks are twelve seconds apart', async () => {
  const rows = await rowsOf(sources[0], ALL);
  const positions = rows.map(({ block_number, swap_index }) => `${block_number}:${swap_index}`);
  expect(new Set(positions).size).toBe(rows.length);
  for (const { block_number, observed_at } of rows)
    expect(Math.floor(Number(observed_at) / 12)).toBe(block_number);
});

test('payments are in slots of their own time, and what two relays deliver for one slot is the same block', async () => {
  const rows = await rowsOf(paymentDemoSource(settings()), ALL);
  const bySlot = Map.groupBy(rows, ({ slot }) => slot);
  expect([...bySlot.values()].some((one) => one.length > 1)).toBe(true);
  for (const one of bySlot.values())
    expect(new Set(one.map(({ block_hash, value_wei }) => `${block_hash} ${value_wei}`)).size).toBe(1);
  for (const { slot } of rows) expect(Number.isInteger(slot)).toBe(true);
});

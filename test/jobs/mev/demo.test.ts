import { expect, test } from 'vitest';
import { mevDemoSources } from '../../../jobs/mev/demo.ts';
import { rowsOf, testPromises } from '../demo/cuts.ts';
import { STARTED_AT, settings } from '../demo/expand-rows.ts';

const sources = mevDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

testPromises(mevDemoSources);

test('no two swaps of a block share a place, and the chain’s blocks are twelve seconds apart', async () => {
  const rows = await rowsOf(sources[0], ALL);
  const places = rows.map(({ block_number, swap_index }) => `${block_number}:${swap_index}`);
  expect(new Set(places).size).toBe(rows.length);
  for (const { block_number, observed_at } of rows)
    expect(Math.floor(Number(observed_at) / 12)).toBe(block_number);
});

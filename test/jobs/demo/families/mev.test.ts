import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mevDemoSources } from '../../../../jobs/demo/families/mev.ts';
import { STARTED_AT, settings } from '../expand-rows.ts';
import { expectSameRows, rowsOf } from './cuts.ts';

const DAY = 86_400;
const sources = mevDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

test('every source says that it is simulated', () => {
  for (const { facts } of sources)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test.each(sources.map((source, place) => [source.table, place] as const))(
  'any cut of time gives the same rows of %s, another seed gives others',
  async (_table, place) => {
    const span = { from: STARTED_AT - 6 * DAY, to: STARTED_AT };
    const cuts = fc.array(fc.integer({ min: span.from, max: STARTED_AT }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, (instants) => expectSameRows(sources[place], span, instants)),
      { numRuns: 20, seed: 3 },
    );
    const other = mevDemoSources(settings({ seed: 2 }));
    expect(await rowsOf(other[place], span)).not.toEqual(await rowsOf(sources[place], span));
  },
);

test('no two swaps of a block share a place, and the chain’s blocks are twelve seconds apart', async () => {
  const rows = await rowsOf(sources[0], ALL);
  const places = rows.map(({ block_number, swap_index }) => `${block_number}:${swap_index}`);
  expect(new Set(places).size).toBe(rows.length);
  for (const { block_number, observed_at } of rows)
    expect(Math.floor(Number(observed_at) / 12)).toBe(block_number);
});

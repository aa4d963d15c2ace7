import fc from 'fast-check';
import { expect, test } from 'vitest';
import { regimeDemoSources } from '../../../../jobs/demo/families/regime.ts';
import { STARTED_AT, settings } from '../expand-rows.ts';
import { expectSameRows, rowsOf } from './cuts.ts';

const DAY = 86_400;
const sources = regimeDemoSources(settings());
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
    const other = regimeDemoSources(settings({ seed: 2 }));
    expect(await rowsOf(other[place], span)).not.toEqual(await rowsOf(sources[place], span));
  },
);

test('markets are about half used, and nearly all used for the hours of a crash', async () => {
  const rows = await rowsOf(sources[0], ALL);
  const use = rows.map(({ borrowed_usd, supplied_usd }) => Number(borrowed_usd) / Number(supplied_usd));
  expect(use.filter((one) => one > 0.9)).toHaveLength(14 * 3);
  expect(Math.max(...use.filter((one) => one <= 0.9))).toBeLessThan(0.53);
});

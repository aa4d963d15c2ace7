import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anomalyDemoSources } from '../../../../jobs/demo/families/anomalies.ts';
import { STARTED_AT, settings } from '../expand-rows.ts';
import { expectSameRows, rowsOf } from './cuts.ts';

const DAY = 86_400;
const sources = anomalyDemoSources(settings());
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
    const other = anomalyDemoSources(settings({ seed: 2 }));
    expect(await rowsOf(other[place], span)).not.toEqual(await rowsOf(sources[place], span));
  },
);

test('the history is long enough for a baseline before the first incident, however short the world', async () => {
  const short = anomalyDemoSources(settings({ days: 3 }));
  const rows = await rowsOf(short[0], ALL);
  const first = Math.min(...rows.map(({ observed_at }) => Number(observed_at)));
  expect(STARTED_AT - first).toBeGreaterThan(20 * DAY);
});

test('without incidents values and flows stay within a few hundredths of their usual', async () => {
  const calm = anomalyDemoSources(settings({ incidents: false }));
  const values = (await rowsOf(calm[0], ALL)).filter(({ protocol }) => protocol === 'lido');
  const usd = values.map(({ tvl_usd }) => Number(tvl_usd));
  expect(Math.max(...usd) / Math.min(...usd)).toBeLessThan(1.03);
  const stormy = (await rowsOf(sources[0], ALL)).filter(({ protocol }) => protocol === 'lido');
  expect(Math.min(...stormy.map(({ tvl_usd }) => Number(tvl_usd)))).toBeLessThan(0.7 * Math.min(...usd));
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkBDemoSources } from '../../../../jobs/sources/demo/network-b.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const sources = networkBDemoSources(settings());

test('every source says that it is simulated', () => {
  expect(sources.map(({ table }) => table)).toEqual([
    'network_b_block',
    'network_b_validators',
    'network_b_state',
  ]);
  for (const { facts } of sources)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('nine whole days come before today, and none is earlier', async () => {
  const today = STARTED_AT - (STARTED_AT % DAY);
  const history = { from: -1, to: today - 1 };
  expect(await rowsOf(sources[0], history)).toHaveLength(9 * 1_440);
  expect(await rowsOf(sources[1], history)).toHaveLength(9 * 4);
  expect(await rowsOf(sources[2], history)).toHaveLength(9 * 24);
});

test('any cut of time gives the same rows, another seed gives others', async () => {
  const all = { from: STARTED_AT - 2 * DAY, to: STARTED_AT };
  const cuts = fc.array(fc.integer({ min: all.from, max: all.to }), { maxLength: 8 });
  for (const source of sources)
    await fc.assert(
      fc.asyncProperty(cuts, (instants) => expectSameRows(source, all, instants)),
      { numRuns: 5, seed: 3 },
    );
  const others = networkBDemoSources(settings({ seed: 2 }));
  for (const [index, other] of others.entries())
    expect(await rowsOf(other, all)).not.toEqual(await rowsOf(sources[index], all));
});

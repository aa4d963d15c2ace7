import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layer2DemoSources } from '../../../../jobs/sources/demo/layer2.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const [source] = layer2DemoSources(settings({ days: 3 }));
const ALL = { from: -1, to: STARTED_AT };

test('it says that it is simulated', () => {
  expect(source?.facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('every network has every figure of the thirty-nine days before today', async () => {
  const rows = (await rowsOf(source, ALL)).filter(({ measured_at }) => measured_at === null);
  const today = STARTED_AT - (STARTED_AT % DAY);
  for (const network of ['arbitrum', 'optimism']) {
    for (const metric of ['tx_count', 'tvl_usd', 'fees_usd', 'avg_block_time_s']) {
      const own = rows.filter((row) => row['network'] === network && row['metric'] === metric);
      expect(own.map(({ day_at }) => day_at)).toEqual(
        Array.from({ length: 39 }, (_, index) => today - (39 - index) * DAY),
      );
    }
  }
});

test('the half of a day comes at noon, the whole in its last second', async () => {
  const day = STARTED_AT - (STARTED_AT % DAY) - DAY;
  const count = async (from: number, to: number) => (await rowsOf(source, { from, to })).length;
  expect(await count(day + 43_198, day + 43_199)).toBe(0);
  expect(await count(day + 43_199, day + 43_200)).toBe(2);
  expect(await count(day + 43_200, day + DAY - 2)).toBe(0);
  expect(await count(day + DAY - 2, day + DAY - 1)).toBe(8);
  expect(await count(day + DAY - 1, day + DAY)).toBe(0);
});

test('any cut of time gives the same rows, another seed gives others', async () => {
  const cuts = fc.array(fc.integer({ min: STARTED_AT - 50 * DAY, max: STARTED_AT }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(cuts, (instants) => expectSameRows(source, ALL, instants)),
    { numRuns: 40, seed: 3 },
  );
  const [other] = layer2DemoSources(settings({ days: 3, seed: 2 }));
  expect(await rowsOf(other, ALL)).not.toEqual(await rowsOf(source, ALL));
});

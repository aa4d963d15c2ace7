import { expect, test } from 'vitest';
import { regimeDemoSources } from '../../../../jobs/sources/demo/regime.ts';
import { rowsOf, testPromises } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const sources = regimeDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

testPromises(regimeDemoSources);

test('markets are about half used, and nearly all used for the hours of a crash', async () => {
  const rows = await rowsOf(sources[0], ALL);
  const use = rows.map(({ borrowed_usd, supplied_usd }) => Number(borrowed_usd) / Number(supplied_usd));
  expect(use.filter((one) => one > 0.9)).toHaveLength(14 * 3);
  expect(Math.max(...use.filter((one) => one <= 0.9))).toBeLessThan(0.53);
});

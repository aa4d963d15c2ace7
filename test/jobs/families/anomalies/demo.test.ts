import { expect, test } from 'vitest';
import { anomalyDemoSources } from '../../../../jobs/sources/demo/anomalies.ts';
import { rowsOf, testPromises } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const sources = anomalyDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

testPromises(anomalyDemoSources);

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

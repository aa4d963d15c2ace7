import { expect, test } from 'vitest';
import { oraclePaths } from '../../../../jobs/families/oracle-paths/domain.ts';
import { oraclePathDemoSources } from '../../../../jobs/sources/demo/oracle-paths.ts';
import { rowsOf, testPromises } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';
import { landedPrices } from './path-models.ts';

const ALL = { from: -1, to: STARTED_AT };

testPromises((changed) => oraclePathDemoSources(changed));

test('six isolated markets have an oracle, whose price follows from its legs to the last digit', async () => {
  const [legs, prices] = await Promise.all(
    oraclePathDemoSources(settings()).map((source) => rowsOf(source, ALL)),
  );
  const last = Math.max(...(prices ?? []).map(({ observed_at }) => Number(observed_at)));
  const now = await landedPrices((prices ?? []).filter(({ observed_at }) => observed_at === last) as never);
  expect(now).toHaveLength(6);
  for (const { price, computed_price } of now) expect(computed_price).toBe(price);
  const countOf = (market: unknown) =>
    (legs ?? []).filter(({ observed_at, market_id }) => observed_at === last && market_id === market).length;
  expect(now.map(({ market_id }) => countOf(market_id)).toSorted()).toEqual([0, 1, 1, 1, 2, 3]);
  expect(oraclePaths.demo).toBe(oraclePathDemoSources);
});

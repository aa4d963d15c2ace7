import { expect, test } from 'vitest';
import { borrowingDemoSources } from '../../../../jobs/sources/demo/borrowing.ts';
import { demoMarkets } from '../../../../jobs/sources/demo/scenario/lending-markets.ts';
import { rowsOf, testPromises } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const sources = borrowingDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

testPromises((changed) => borrowingDemoSources(changed).slice(1));

test('every market has a rate model: pools a kinked one, isolated markets an adaptive one', async () => {
  const markets = demoMarkets(settings());
  const [curves, adaptive] = await Promise.all(sources.slice(0, 2).map((source) => rowsOf(source, ALL)));
  const ids = (rows: typeof curves = []) => [...new Set(rows.map(({ market_id }) => market_id))].sort();
  const wanted = (isPool: boolean) =>
    markets
      .filter(({ collateral }) => (collateral === null) === isPool)
      .map(({ market_id }) => market_id)
      .sort();
  expect(ids(curves)).toEqual(wanted(true));
  expect(ids(adaptive)).toEqual(wanted(false));
});

test('the tranches of a market cover every fall without overlap and add up to its debt', async () => {
  const rows = await rowsOf(sources[2], ALL);
  const sets = Map.groupBy(rows, ({ market_id, observed_at }) => `${market_id} ${observed_at}`);
  expect(sets.size).toBeGreaterThan(900);
  for (const set of sets.values()) {
    expect(set.map(({ fall_from }) => fall_from)).toEqual([
      0,
      ...set.slice(0, -1).map(({ fall_to }) => fall_to),
    ]);
    for (const { debt_usd, collateral_usd } of set)
      expect(Number(collateral_usd)).toBeGreaterThan(Number(debt_usd));
  }
});

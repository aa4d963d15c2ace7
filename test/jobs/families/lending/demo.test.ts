import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demoMarkets, demoVaults } from '../../../../jobs/sources/demo/scenario/lending-markets.ts';
import { TROUBLES } from '../../../../jobs/sources/demo/scenario/lending-states.ts';
import { lendingDemoSources } from '../../../../jobs/sources/demo/lending.ts';
import { ACTS } from '../../../../jobs/sources/demo/lending-logs.ts';
import { expectSameRows, rowsOf } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const DAY = 86_400;
const ALL = { from: -1, to: STARTED_AT };
const SETTINGS = settings({ days: 4 });
const sources = lendingDemoSources(SETTINGS);
const source = (table: string) => sources.find((one) => one.table === table);

test('every source says that it is simulated', () => {
  for (const { facts } of sources)
    expect(facts).toMatchObject({ kind: 'simulated', name: expect.stringContaining('simulated') });
});

test('markets have ids of their own; some have an oracle without a feed, or none', () => {
  const markets = demoMarkets(SETTINGS);
  expect(new Set(markets.map(({ market_id }) => market_id)).size).toBe(markets.length);
  expect(markets.filter(({ oracles }) => oracles.length === 0)).toHaveLength(1);
  expect(markets.filter(({ oracles }) => oracles.some((one) => one.startsWith('0xada9')))).toHaveLength(1);
});

test('every market but the silent one is seen every hour, with nothing borrowed that is not there', async () => {
  const rows = await rowsOf(source('market_state'), ALL);
  const hours = Math.floor((STARTED_AT - (STARTED_AT - (STARTED_AT % DAY) - 4 * DAY)) / 3_600);
  const byMarket = Map.groupBy(rows, ({ market_id }) => market_id);
  const silent = TROUBLES.filter(({ kind }) => kind === 'silence').reduce((sum, one) => sum + one.hours, 0);
  const counts = [...byMarket.values()].map(({ length }) => length).sort((a, b) => a - b);
  expect(counts).toEqual([hours - silent, ...Array.from({ length: counts.length - 1 }, () => hours)]);
  for (const row of rows) expect(Number(row['borrowed_usd'])).toBeLessThan(Number(row['supplied_usd']));
});

test('each scripted act is a log, and the one that is taken back comes again as removed', async () => {
  const rows = await rowsOf(source('vault_log'), ALL);
  const removed = rows.filter((row) => row['is_removed'] === true);
  expect(removed).toHaveLength(ACTS.filter(({ isTakenBack }) => isTakenBack).length);
  expect(rows.some((row) => row['tx_hash'] === removed[0]?.['tx_hash'] && row['is_removed'] === false)).toBe(
    true,
  );
  const named = demoVaults(SETTINGS.seed, demoMarkets(SETTINGS)).filter(({ name }) => name === null);
  expect(rows.some((row) => row['vault_address'] === named[0]?.vault_address)).toBe(true);
});

test('without incidents nothing is scripted', async () => {
  const calm = lendingDemoSources(settings({ days: 4, incidents: false }));
  const logs = await rowsOf(
    calm.find(({ table }) => table === 'vault_log'),
    ALL,
  );
  expect(logs.filter((row) => row['is_removed'] === true)).toEqual([]);
  const states = await rowsOf(
    calm.find(({ table }) => table === 'market_state'),
    ALL,
  );
  expect(
    Math.max(...states.map((row) => Number(row['borrowed_usd']) / Number(row['supplied_usd']))),
  ).toBeLessThan(0.92);
});

test.each(sources.map(({ table }) => table))('any cut of time gives the same rows of %s', async (table) => {
  const cuts = fc.array(fc.integer({ min: STARTED_AT - 5 * DAY, max: STARTED_AT }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(cuts, (instants) => expectSameRows(source(table), ALL, instants)),
    { numRuns: 8, seed: 3 },
  );
});

test('another seed gives other rows', async () => {
  const other = lendingDemoSources(settings({ days: 4, seed: 2 })).find(
    ({ table }) => table === 'market_state',
  );
  expect(await rowsOf(other, ALL)).not.toEqual(await rowsOf(source('market_state'), ALL));
});

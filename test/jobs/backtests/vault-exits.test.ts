// Backtests of exits from vaults, from their figures in the warehouse: which hours are known, that markets and vaults are judged apart, and
// what a forecast from later hours would have changed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitBacktestRows } from '../../../jobs/backtests/compute.ts';
import { vaultHours } from '../../../jobs/backtests/read-hours.ts';
import { DuckDbWarehouse } from '../../../jobs/engine/duckdb/warehouse.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';

const HOUR = 3_600;
const DAY = 86_400;
const START = 20_000 * DAY;
const DAYS = 4;
const END = START + DAYS * DAY;
const POLICY = {
  window_hours: 2_160,
  min_hours: 24,
  backtest: { risk_days: 90, exit_days: 90, paths: 20, min_forecasts: 1, min_outcomes: 1 },
};

let db: Awaited<ReturnType<typeof openScratchEngine>>;
let warehouse: DuckDbWarehouse;
beforeAll(async () => {
  db = await openScratchEngine();
  warehouse = new DuckDbWarehouse(db);
  for (const schema of ['out', 'derived']) await db.execute(`create schema if not exists ${schema}`);
  await db.execute('create table out.exit_input (id varchar, chain varchar, market_id varchar)');
  await db.execute(`create table derived.lending_vault as
    select 'ethereum' as chain, vault_address, cast(valid_from as bigint) as valid_from, cast(valid_to as bigint) as valid_to
    from (values ('0xfull', 0, 253402300799), ('0xunread', ${START}, 253402300799), ('0xended', 0, ${START}), ('0xnew', ${END} + 1, 253402300799))
      v(vault_address, valid_from, valid_to)`);
  await db.execute(`create table derived.market_hour (
    chain varchar, market_id varchar, hour bigint, flow double, previous_supplied_usd double, previous_withdrawable_usd double,
    previous_utilization double)`);
  await db.execute(`create table derived.vault_point as
    select 'ethereum' as chain, vault_address, cast(${START} + h * ${HOUR} + minute * 60 as bigint) as observed_at,
      case vault_address when '0xfull' then 1000.0 when '0xdry' then case when minute = 50 then 100.0 else 900.0 end
        when '0xgap' then case when h = 30 then null else 1000.0 end end as withdrawable_usd,
      1000.0 as total_assets, 1000.0 as total_assets_usd
    from range(${DAYS * 24 + 1}) r(h), (values (10), (50)) m(minute), (values ('0xfull'), ('0xdry'), ('0xgap'), ('0xnever')) v(vault_address)`);
});
afterAll(() => db.close());

const known = async (to = END) => {
  const found = new Map<string, readonly number[]>();
  for await (const { id, hours } of vaultHours(warehouse, { from: START, to })) found.set(id, hours.hour);
  return found;
};
const rowsOf = async (as_of: number) => {
  const rows = await exitBacktestRows(warehouse, { as_of, computed_at: as_of + 60 }, POLICY);
  return rows.filter(({ horizon_hours }) => horizon_hours === 24);
};
const hour = (index: number) => START + index * HOUR;

test('an hour is known between two known ends; the last state of an hour counts, and one after midnight does not', async () => {
  const found = await known();
  expect([...found.keys()]).toEqual([
    'vault:ethereum:0xdry',
    'vault:ethereum:0xfull',
    'vault:ethereum:0xgap',
  ]);
  const all = Array.from({ length: DAYS * 24 - 1 }, (_, index) => hour(index + 1));
  expect(found.get('vault:ethereum:0xfull')).toEqual(all);
  expect(found.get('vault:ethereum:0xgap')).toEqual(all.filter((at) => at !== hour(30) && at !== hour(31)));
  expect((await known(hour(2) + 1)).get('vault:ethereum:0xfull')).toEqual([hour(1)]);
  for await (const { id, hours } of vaultHours(warehouse, { from: START, to: END }))
    if (id.endsWith('0xdry')) expect(new Set(hours.withdrawable_usd)).toEqual(new Set([100]));
});

test('vaults are forecast like markets, and judged together with vaults only', async () => {
  await db.execute('delete from out.exit_input');
  await db.execute("insert into out.exit_input values ('ethereum:0xm', 'ethereum', '0xm')");
  const rows = await rowsOf(END);
  const sizes = (id: string) => rows.filter((row) => row['id'] === id).map(({ size }) => size);
  const ids = [
    'all',
    'ethereum:0xm',
    'vault:all',
    'vault:ethereum:0xdry',
    'vault:ethereum:0xfull',
    'vault:ethereum:0xgap',
  ];
  expect([...new Set(rows.map(({ id }) => id))]).toEqual(ids);
  for (const id of ids) expect(sizes(id)).toEqual([0, 0.01, 0.05, 0.2]);
  const figures = (id: string, size: number) => {
    const row = rows.find((one) => one['id'] === id && one['size'] === size);
    return ['forecasts', 'immediate', 'open', 'scored', 'exited'].map((name) => row?.[name]);
  };
  // The midnights after two and three days; after one, only 23 hours are known. The outcome of the last is known at the end.
  expect(figures('vault:ethereum:0xdry', 0.05)).toEqual([2, 2, 0, 0, 0]);
  expect(figures('vault:ethereum:0xdry', 0.2)).toEqual([2, 0, 0, 2, 0]);
  expect(figures('vault:ethereum:0xfull', 0)).toEqual([6, 6, 0, 0, 0]);
  expect(figures('vault:all', 0.2)).toEqual([6, 4, 0, 2, 0]);
  expect(figures('all', 0)).toEqual([0, 0, 0, 0, 0]);
  expect(
    JSON.parse(
      String(rows.find(({ id, size }) => id === 'vault:ethereum:0xdry' && size === 0.2)?.['stranded']),
    ),
  ).toEqual([2, 3].map((days) => ({ at: START + days * DAY, size: 0.2, probability: 0 })));
  expect(rows.find(({ id }) => id === 'vault:all')?.['stranded']).toBe('[]');
});

test('what all together leave out is counted and named: of a short history, never known, and never read', async () => {
  await db.execute('delete from out.exit_input');
  await db.execute("insert into out.exit_input values ('ethereum:0xm', 'ethereum', '0xm')");
  const untested = async (as_of: number) =>
    (await rowsOf(as_of)).flatMap(({ id, size, untested: count, untested_ids: ids }) =>
      size === 0.2 ? [[id, count, ids === null ? null : JSON.parse(String(ids))]] : [],
    );
  const [never, unread] = ['vault:ethereum:0xnever', 'vault:ethereum:0xunread'];
  expect(await untested(END)).toEqual([
    ['all', 1, ['ethereum:0xm']],
    ['ethereum:0xm', null, null],
    ['vault:all', 2, [never, unread]],
    ['vault:ethereum:0xdry', null, null],
    ['vault:ethereum:0xfull', null, null],
    ['vault:ethereum:0xgap', null, null],
  ]);
  // After one day no vault has the 24 hours of a forecast.
  const short = ['0xdry', '0xfull', '0xgap'].map((one) => `vault:ethereum:${one}`);
  expect((await untested(START + DAY)).find(([id]) => id === 'vault:all')).toEqual([
    'vault:all',
    5,
    [...short, never, unread],
  ]);
});

test('no states after the midnight change its backtest, and and of no vaults there are no rows for all of them', async () => {
  const before = await rowsOf(START + 3 * DAY);
  await db.execute(
    `update derived.vault_point set withdrawable_usd = 0 where observed_at >= ${START + 3 * DAY}`,
  );
  expect(await rowsOf(START + 3 * DAY)).toEqual(before);
  await db.execute('delete from derived.vault_point');
  const dark = await rowsOf(END);
  expect(new Set(dark.map(({ id }) => id))).toEqual(new Set(['all', 'ethereum:0xm', 'vault:all']));
  expect(dark.find(({ id }) => id === 'vault:all')).toMatchObject({
    forecasts: 0,
    untested: 2,
    verdict: 'insufficient',
  });
  await db.execute('delete from derived.lending_vault');
  expect(new Set((await rowsOf(END)).map(({ id }) => id))).toEqual(new Set(['all', 'ethereum:0xm']));
});

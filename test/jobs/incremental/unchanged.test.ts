// Which models a run computes again, as shown by the contents of their tables.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DuckDbWarehouse } from '../../../jobs/engine/duckdb/warehouse.ts';
import { ENGINE } from '../../../jobs/engine/versions.ts';
import { computeIn } from '../../support/computing.ts';
import { type ModelWorld, openModelWorld, span } from '../../support/model-world.ts';

const FILES = {
  'derived.before.sql':
    '-- Readings so far.\n-- kind: window   grain: meter, read_at   time: read_at\nselect meter, read_at, level from obs.reading where read_at >= @start and read_at < @end',
  'derived.last.sql':
    '-- The last reading.\n-- kind: full   grain: meter\nselect meter, max(read_at) as read_at from obs.reading where read_at <= @now group by meter',
  'derived.age.sql':
    '-- Its age.\n-- kind: full   grain: meter\nselect meter, @now - read_at as age from derived.last',
};

let world: ModelWorld;
let duckdb: DuckDbWarehouse;
beforeEach(async () => {
  world = await openModelWorld(async (db) => {
    duckdb = new DuckDbWarehouse(db);
    return duckdb;
  });
  await world.prepare(FILES);
});
afterEach(() => world.close());

const compute = (end: number) =>
  computeIn(
    { warehouse: world.warehouse, models: { models: world.models(), events: [], audits: [] } },
    span(0, end),
  );
const times = async (table: string) => (await world.rows(table)).map((row) => row['read_at']);
const versionOf = (table: string) => world.warehouse.versions.of(table);
const land = async (name: string, ...at: readonly number[]) =>
  world.absorb([
    await world.land(
      name,
      at.map((time) => ['m', time, 1] as const),
    ),
  ]);

test('a row that landed ahead of its time is used when its second is reached, not before', async () => {
  await land('a', 3, 20);
  for (const [end, before, last] of [
    [10, [3], [3]],
    [20, [3], [3]],
    [21, [3, 20], [20]],
  ] as const) {
    await compute(end);
    expect([end, await times('derived.before'), await times('derived.last')]).toEqual([end, before, last]);
  }
});

test('an age is passed at the second at which it is reached', async () => {
  const text = (sql: string) => `-- Old readings.\n-- kind: full   grain: meter, read_at\n${sql}`;
  await world.prepare({
    ...FILES,
    'derived.old.sql': text('select meter, read_at from obs.reading where @now - read_at > level'),
    'derived.due.sql': text(
      'select meter, read_at from (select meter, read_at, 10 as wait_s from obs.reading) r where read_at + wait_s <= @now',
    ),
  });
  await land('a', 3, 20);
  const seen: unknown[] = [];
  for (const end of [4, 5, 6, 13, 14, 22, 23, 30, 31]) {
    await compute(end);
    seen.push([end, await times('derived.old'), await times('derived.due')]);
  }
  expect(seen).toEqual([
    [4, [], []],
    [5, [], []],
    [6, [3], []],
    [13, [3], []],
    [14, [3], [3]],
    [22, [3], [3]],
    [23, [3, 20], [3]],
    [30, [3, 20], [3]],
    [31, [3, 20], [3, 20]],
  ]);
});

test('a model that returns an age changes with every second', async () => {
  await land('a', 3);
  for (const end of [10, 11, 30]) {
    await compute(end);
    expect(await world.rows('derived.age')).toEqual([{ meter: 'm', age: end - 1 - 3 }]);
  }
});

test('tables are unchanged while nothing that they depend on changes', async () => {
  await land('a', 3);
  await compute(10);
  const before = await Promise.all(['derived.before', 'derived.last'].map(versionOf));
  const age = await versionOf('derived.age');
  await compute(12);
  expect(await Promise.all(['derived.before', 'derived.last'].map(versionOf))).toEqual(before);
  expect(await versionOf('derived.age')).not.toBe(age);
  await land('b', 5);
  await compute(12);
  expect(await times('derived.last')).toEqual([5]);
});

test('a table whose model has changed is computed again, and so is what reads it', async () => {
  await land('a', 3, 5);
  await compute(10);
  await world.prepare({ ...FILES, 'derived.last.sql': FILES['derived.last.sql'].replace('max', 'min') });
  await compute(10);
  expect([await times('derived.last'), await world.rows('derived.age')]).toEqual([
    [3],
    [{ meter: 'm', age: 6 }],
  ]);
});

test('another engine computes everything again', async () => {
  await land('a', 3);
  await compute(10);
  await duckdb.db.execute('update derived.before set read_at = 7; update derived.last set read_at = 7');
  await compute(10);
  expect(await times('derived.last')).toEqual([7]);
  duckdb.versions.bound(ENGINE, 'another');
  await compute(10);
  expect([await times('derived.before'), await times('derived.last')]).toEqual([[3], [3]]);
});

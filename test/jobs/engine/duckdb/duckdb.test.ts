import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { EngineError } from '../../../../jobs/engine/errors.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let engine: DuckDb;
beforeEach(async () => {
  engine = await openScratchEngine();
});
afterEach(() => engine.close());

const one = async (expression: string) => (await engine.rows(`select ${expression} as v`))[0]?.['v'];

describe('values', () => {
  test.each([
    ['cast(9007199254740991 as bigint)', 9007199254740991],
    ['cast(9007199254740992 as bigint)', '9007199254740992'],
    ['cast(-9223372036854775808 as bigint)', '-9223372036854775808'],
    ['cast(5 as hugeint)', '5'],
    ['cast(1.50 as decimal(10,2))', '1.50'],
    ['cast(0.1 as double)', 0.1],
    ['cast(-0.0 as double)', 0],
    ['true', true],
    ["'ä'", 'ä'],
    ['cast(null as bigint)', null],
    ['array[1, null, 3]', [1, null, 3]],
    ["cast(row(1, array['x']) as row(a bigint, b varchar[]))", { a: 1, b: ['x'] }],
    ['array_agg(cast(row(1) as row(n bigint)))', [{ n: 1 }]],
    ["date '2024-02-29'", '2024-02-29'],
  ])('%s comes out as JSON', async (expression, value) => {
    expect(await one(expression)).toStrictEqual(value);
  });

  test.each(["cast('nan' as double)", "cast('infinity' as double)", "array[cast('-inf' as double)]"])(
    '%s is refused with the name of its column',
    async (expression) => {
      await expect(one(expression)).rejects.toThrow(/Column "v/);
    },
  );

  test('a row without field names is refused with what to write instead', async () => {
    await expect(one('row(1, 2)')).rejects.toThrow('cast(row(…) as row(name type, …))');
  });
});

describe('names of Trino', () => {
  test.each([
    ["to_unixtime(timestamp '2020-01-01 00:00:01')", 1577836801],
    ['cast(cast(from_unixtime(1600000000) as timestamp) as varchar)', '2020-09-13 12:26:40'],
    ['sequence(1, 3)', [1, 2, 3]],
    ['sequence(0, 10, 5)', [0, 5, 10]],
    [`json_extract_scalar('{"a":{"b":"c"}}', '$.a.b')`, 'c'],
    ["regexp_like('abc', 'b')", true],
    ['array_remove(array[1, 2, 1], 1)', [2]],
    ["array_join(array['a', 'b'], ', ')", 'a, b'],
    ['element_at(array[7, 8], 2)', 8],
    ['slice(array[1, 2, 3], 2, 2)', [2, 3]],
    ['slice(array[1], 1, 0)', []],
    ["split('a b', ' ')", ['a', 'b']],
    ['bitwise_and(6, 3)', 2],
  ])('%s works on DuckDB', async (expression, value) => {
    expect(await one(expression)).toStrictEqual(value);
  });
});

describe('statements', () => {
  test('execute returns how many rows the last statement changed', async () => {
    expect(await engine.execute('create table obs.a (x bigint); insert into obs.a values (1), (2)')).toBe(2);
  });

  test('an error carries the first line of the statement and its cause', async () => {
    const failure = await engine
      .rows('-- a comment\nselect nothing_like_it\nfrom obs.b')
      .catch((error) => error);
    expect(failure).toBeInstanceOf(EngineError);
    expect(failure.message).toMatch(/In the statement: select nothing_like_it$/);
    expect(failure.cause).toBeInstanceOf(Error);
  });

  test('a transaction that fails leaves nothing, and the next one works', async () => {
    await engine.execute('create table obs.a (x bigint)');
    const work = async () => {
      await engine.execute('insert into obs.a values (1)');
      await engine.execute("insert into obs.a values (cast('x' as bigint))");
    };
    await expect(engine.transaction(work)).rejects.toThrow('Could not convert');
    await engine.transaction(() => engine.execute('insert into obs.a values (2)'));
    expect(await engine.rows('select x from obs.a')).toEqual([{ x: 2 }]);
  });

  test('an error of our own inside a transaction also leaves nothing', async () => {
    await engine.execute('create table obs.a (x bigint)');
    const work = async () => {
      await engine.execute('insert into obs.a values (1)');
      throw new Error('changed my mind');
    };
    await expect(engine.transaction(work)).rejects.toThrow('changed my mind');
    expect(await engine.rows('select count(*) as n from obs.a')).toEqual([{ n: 0 }]);
  });

  test('transactions do not nest', async () => {
    await expect(engine.transaction(() => engine.transaction(async () => 1))).rejects.toThrow('do not nest');
  });

  test('a stream yields all rows in batches while other statements run', async () => {
    let rows = 0;
    let batches = 0;
    for await (const batch of engine.stream('select range as x from range(10000)')) {
      await engine.execute(`create or replace table obs.b as select ${rows} as x`);
      rows += batch.length;
      batches += 1;
    }
    expect(rows).toBe(10_000);
    expect(batches).toBeGreaterThan(1);
  });

  test('a stream inside a transaction is refused, because it would not see its rows', async () => {
    const work = async () => {
      for await (const _ of engine.stream('select 1 as x')) return;
    };
    await expect(engine.transaction(work)).rejects.toThrow('committed rows only');
  });
});

describe('tablesRead', () => {
  test.each([
    ['select * from obs.a as x join derived.b b on true', ['derived.b', 'obs.a']],
    ['with a as (select * from obs.a), b as (select * from a) select * from b', ['obs.a']],
    [
      'with feed(c) as (select * from obs.feed) select * from feed cross join unnest(sequence(1, 2)) as t(x)',
      ['obs.feed'],
    ],
    ['select 1 where exists (select 1 from obs.a) and 1 in (select x from obs.b)', ['obs.a', 'obs.b']],
    ['with recursive t(n) as (select n from obs.z union all select n + 1 from t) select * from t', ['obs.z']],
    ['select * from (values (1)) as v(x)', []],
    ["select 'obs.x' as a -- from obs.y", []],
  ])('%s', async (sql, tables) => {
    expect(await engine.tablesRead(sql)).toEqual(tables);
  });

  test.each([
    ['select from where', 'syntax error'],
    ['select 1; select 2', 'Write one SELECT; there are 2.'],
    ['drop table obs.a', 'Only SELECT'],
    ['select * from feed_round', '"feed_round" needs its schema'],
  ])('%s is refused', async (sql, message) => {
    await expect(engine.tablesRead(sql)).rejects.toThrow(message);
  });
});

test('queries that are parsed ahead are read as if each was parsed alone', async () => {
  const sql = "select x from obs.later where x < @now and y <> 'it''s'";
  await engine.parseAhead([sql, 'select from where', 'select 1 from obs.other; select 2']);
  expect(await engine.tablesRead(sql)).toEqual(['obs.later']);
  await expect(engine.tablesRead('select from where')).rejects.toThrow('syntax error');
  await expect(engine.tablesRead('select 1 from obs.other; select 2')).rejects.toThrow('there are 2');
  await engine.parseAhead([sql]);
  expect(await engine.tablesRead(sql)).toEqual(['obs.later']);
});

test('a JSON column returns what the text says, whatever its members', async () => {
  const rows = await engine.rows(
    `select json_parse('{"b":["1",true],"a":null}') as j, json_parse(null) as n`,
  );
  expect(rows).toEqual([{ j: { b: ['1', true], a: null }, n: null }]);
});

test('columnsNamed reads names from the text alone', async () => {
  const sql =
    'with a as (select 1) select a.x, b + 1 as c, count(*) as n, "Day" from obs.nowhere a union all select 1';
  expect(await engine.columnsNamed(sql)).toEqual(['x', 'c', 'n', 'Day']);
  await expect(engine.columnsNamed('select * from obs.a')).rejects.toThrow('list the columns instead of *');
});

test('tableColumns are in the order of the table, and null without a table, which does not end a transaction', async () => {
  await engine.execute('create table obs.odd ("b" int, "A b" int)');
  await engine.transaction(async () => {
    expect(await engine.tableColumns('obs.nowhere')).toBeNull();
    expect(await engine.tableColumns('nowhere.odd')).toBeNull();
    await engine.execute('insert into obs.odd values (1, 2)');
  });
  expect(await engine.tableColumns('obs.odd')).toEqual(['b', 'A b']);
  expect(await engine.rows('select b from obs.odd')).toEqual([{ b: 1 }]);
  await expect(engine.tableColumns('odd')).rejects.toThrow('not schema.table');
});

test('rows survive closing and reopening, in insertion order', async () => {
  const dir = temporaryFolder('warehouse');
  const open = () => openDuckDb({ file: join(dir, 'w.db'), memoryLimit: '500MB', threads: 2, tempDir: dir });
  try {
    const first = await open();
    await first.execute('create table obs.a as select 200000 - range as x from range(200000)');
    await first.checkpoint();
    await first.close();
    const second = await open();
    const rows = await second.rows('select x from obs.a limit 3');
    expect(rows).toEqual([{ x: 200000 }, { x: 199999 }, { x: 199998 }]);
    expect(second.version).toMatch(/^duckdb \d+\.\d+\.\d+/);
    await second.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a new file has small blocks, so that few rows of many tables take little memory until the next checkpoint', async () => {
  const [{ value } = {}] = await engine.rows(
    `select value from duckdb_settings() where name = 'default_block_size'`,
  );
  expect(Number(value)).toBe(65_536);
  await engine.execute(`
    create schema kept;
    create table kept.t as select range as n, concat('text ', range) as t from range(10)`);
  for (let table = 0; table < 50; table += 1)
    await engine.execute(
      `create table kept.t${table} as select * from kept.t; insert into kept.t${table} select * from kept.t`,
    );
  const [{ used } = {}] = await engine.rows(
    `select cast(sum(memory_usage_bytes) as bigint) as used from duckdb_memory() where tag = 'IN_MEMORY_TABLE'`,
  );
  expect(Number(used)).toBeLessThan(50 * 2 * 2 * 65_536);
});

test('rows take memory until they are written to the file, and freed memory goes back to the system', async () => {
  const dir = temporaryFolder('unwritten');
  const db = await openDuckDb({ file: join(dir, 'w.db'), memoryLimit: '500MB', threads: 2, tempDir: dir });
  try {
    await db.execute('create table t as select range as n from range(10)');
    expect(await db.unwrittenBytes()).toBeGreaterThan(0);
    await db.checkpoint();
    expect(await db.unwrittenBytes()).toBe(0);
    await db.releaseMemory();
    const [limit] = await db.rows(`select current_setting('memory_limit') as value`);
    expect(limit?.['value']).toBe('476.8 MiB');
  } finally {
    await db.close();
    rmSync(dir, { recursive: true, force: true });
  }
});

test('after a checkpoint, only so many blocks of the file stay in memory, and nothing is lost or written elsewhere', async () => {
  const dir = temporaryFolder('cached-blocks');
  const tempDir = join(dir, 'tmp');
  const db = await openDuckDb({ file: join(dir, 'w.duckdb'), memoryLimit: '500MB', threads: 1, tempDir });
  const cachedMb = async () => {
    const [row] = await db.rows(
      `select memory_usage_bytes as n from duckdb_memory() where tag = 'BASE_TABLE'`,
    );
    return Number(row?.['n']) / 2 ** 20;
  };
  const total = async () => (await db.rows('select sum(n) as n, count(distinct text) as texts from t'))[0];
  try {
    await db.execute(
      'create table t as select hash(range) as n, md5(range::varchar) as text from range(500000)',
    );
    await db.checkpoint();
    const before = await total();
    expect(await cachedMb()).toBeGreaterThan(10);
    await db.dropCachedBlocks(4 * 2 ** 20);
    expect(await cachedMb()).toBeLessThanOrEqual(4);
    expect(await cachedMb()).toBeGreaterThan(2);
    expect(await db.rows(`select current_setting('memory_limit') as value`)).toEqual([
      { value: '476.8 MiB' },
    ]);
    expect(await total()).toEqual(before);
    expect(existsSync(tempDir) ? readdirSync(tempDir) : []).toEqual([]);
    await db.dropCachedBlocks(400 * 2 ** 20);
    expect(await cachedMb()).toBeGreaterThan(10);
  } finally {
    await db.close();
  }
});

test('files that were read take no memory afterwards', async () => {
  const file = join(temporaryFolder('read-once'), 'rows.parquet');
  await engine.execute(
    `copy (select range as a, range * 2 as b from range(1000)) to '${file}' (format parquet)`,
  );
  expect(await one(`(select sum(a + b) from read_parquet('${file}'))`)).toBe('1498500');
  expect(await one('(select count(*) from duckdb_external_file_cache())')).toBe(0);
});

test('a database in memory has no file to write to', async () => {
  await engine.execute('create table in_memory as select 1 as n');
  expect(await engine.unwrittenBytes()).toBe(0);
});

import { tmpdir } from 'node:os';
import { DuckDBDataChunk, DuckDBInstance, type DuckDBVector } from '@duckdb/node-api';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { appendColumns } from '../../../../jobs/engine/duckdb/append.ts';
import { canCopyInBulk, openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';

const COUNT = 5_000;
const numbers = Array.from({ length: COUNT }, (_, index) => index - 2_500);
const columns = [
  { name: 'n', type: 'BIGINT', values: BigInt64Array.from(numbers, BigInt) },
  { name: 'd', type: 'DOUBLE', values: Float64Array.from(numbers, (one) => one / 4) },
  { name: 'i', type: 'INTEGER', values: Int32Array.from(numbers) },
  { name: 's', type: 'VARCHAR', values: numbers.map(String) },
] as const;
const TABLE = 'create table obs.a (n bigint, d double, i integer, s varchar)';
const SUMS =
  'select count(*) as c, cast(sum(n) as double) as n, sum(d) as d, cast(sum(i) as double) as i, min(n) as low, max(s) as high from obs.a';
const SUM = numbers.reduce((sum, one) => sum + one, 0);
const ALL_THERE = { c: COUNT, n: SUM, d: SUM / 4, i: SUM, low: -2_500, high: '999' };

afterEach(() => {
  vi.restoreAllMocks();
});

/** Simulates a version of the driver that hands out a copy of its buffer: what is written to it is lost. */
function giveOutCopies(): void {
  const original = DuckDBDataChunk.prototype.getColumnVector;
  vi.spyOn(DuckDBDataChunk.prototype, 'getColumnVector').mockImplementation(function (
    this: DuckDBDataChunk,
    index: number,
  ): DuckDBVector {
    return new Proxy(original.call(this, index), {
      get(vector, name) {
        const member: unknown = Reflect.get(vector, name);
        if (name === 'items' && ArrayBuffer.isView(member)) return (member as Float64Array).slice();
        return typeof member === 'function' ? member.bind(vector) : member;
      },
    });
  });
}

async function appendAndSum() {
  const db = await openDuckDb({ file: ':memory:', memoryLimit: '500MB', threads: 1, tempDir: tmpdir() });
  try {
    await db.execute(TABLE);
    await db.append('obs.a', columns);
    return (await db.rows(SUMS))[0];
  } finally {
    await db.close();
  }
}

async function withConnection<T>(
  work: (connection: Awaited<ReturnType<DuckDBInstance['connect']>>) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

describe('with the driver as it is', () => {
  test('typed arrays are copied in bulk, and every row arrives', async () => {
    expect(await withConnection(canCopyInBulk)).toBe(true);
    expect(await appendAndSum()).toEqual(ALL_THERE);
  });

  test.each([true, false])(
    'rows are the same whether they are copied in bulk or set one by one: %s',
    async (isBulk) => {
      const rows = await withConnection(async (connection) => {
        await connection.run(`create schema obs; ${TABLE}`);
        await appendColumns(connection, 'obs.a', { columns, isBulk });
        return (await connection.run('select n, d, i, s from obs.a order by n')).getRowsJson();
      });
      expect(rows).toEqual(numbers.map((one) => [String(one), one / 4, one, String(one)]));
    },
  );

  test('nothing is left of the probe', async () => {
    const tables = await withConnection(async (connection) => {
      await canCopyInBulk(connection);
      return (await connection.run('select table_name from information_schema.tables')).getRows();
    });
    expect(tables).toEqual([]);
  });
});

describe('with a driver whose buffers are copies', () => {
  test('the probe detects it, and rows still arrive', async () => {
    giveOutCopies();
    expect(await withConnection(canCopyInBulk)).toBe(false);
    expect(await appendAndSum()).toEqual(ALL_THERE);
  });

  test('without the probe the rows would be lost', async () => {
    giveOutCopies();
    const rows = await withConnection(async (connection) => {
      await connection.run(`create schema obs; ${TABLE}`);
      await appendColumns(connection, 'obs.a', { columns, isBulk: true });
      return (await connection.run('select count(*) as c from obs.a where n = -2500')).getRowsJson();
    });
    expect(rows).toEqual([['0']]);
  });
});

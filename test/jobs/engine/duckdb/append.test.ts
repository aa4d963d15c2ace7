import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Column, ColumnSpec } from '../../../../jobs/engine/rows.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';

let engine: DuckDb;
beforeEach(async () => {
  engine = await openScratchEngine();
  await engine.execute('create table obs.a (n bigint, d double, s varchar, b boolean, i integer)');
});
afterEach(() => engine.close());

const column = (name: string, type: ColumnSpec['type'], values: Column) => ({ name, type, values });
const rows = (sql = 'select * from obs.a') => engine.rows(sql);

test('columns of every type arrive, in whatever order they are given, and columns not given are null', async () => {
  await engine.append('obs.a', [
    column('s', 'VARCHAR', ['x', null, 'ä€😀']),
    column('n', 'BIGINT', [1, '9007199254740993', null]),
    column('d', 'DOUBLE', [0.5, null, '1e3']),
    column('b', 'BOOLEAN', [true, false, null]),
  ]);
  expect(await rows()).toEqual([
    { n: 1, d: 0.5, s: 'x', b: true, i: null },
    { n: '9007199254740993', d: null, s: null, b: false, i: null },
    { n: null, d: 1000, s: 'ä€😀', b: null, i: null },
  ]);
});

test('typed arrays arrive whole over many chunks', async () => {
  const count = 10_001;
  const numbers = Array.from({ length: count }, (_, index) => index);
  await engine.append('obs.a', [
    column('n', 'BIGINT', BigInt64Array.from(numbers, BigInt)),
    column(
      'd',
      'DOUBLE',
      Float64Array.from(numbers, (at) => at / 2),
    ),
    column('i', 'INTEGER', Int32Array.from(numbers)),
  ]);
  const [sums] = await rows(
    'select count(*) as c, cast(sum(n) as bigint) as n, sum(d) as d, cast(sum(i) as bigint) as i, count(*) filter (where n = i and d * 2 = n) as same from obs.a',
  );
  const sum = (count * (count - 1)) / 2;
  expect(sums).toEqual({ c: count, n: sum, d: sum / 2, i: sum, same: count });
});

test('a typed array of another kind than its column is cast', async () => {
  await engine.append('obs.a', [
    column('n', 'INTEGER', Int32Array.of(-1, 2)),
    column('d', 'BIGINT', BigInt64Array.of(3n, 4n)),
  ]);
  expect(await rows('select n, d from obs.a')).toEqual([
    { n: -1, d: 3 },
    { n: 2, d: 4 },
  ]);
});

test.each([
  ['a fraction for a BIGINT', column('n', 'BIGINT', [1.5])],
  ['an unsafe number for a BIGINT', column('n', 'BIGINT', [2 ** 60])],
  ['an empty text for a BIGINT', column('n', 'BIGINT', [''])],
  ['a word for a BIGINT', column('n', 'BIGINT', ['x'])],
  ['a boolean for a BIGINT', column('n', 'BIGINT', [true])],
  ['a number past 64 bits', column('n', 'BIGINT', [2n ** 64n])],
  ['NaN for a DOUBLE', column('d', 'DOUBLE', [Number.NaN])],
  ['NaN in a typed array', column('d', 'DOUBLE', Float64Array.of(1, Number.NaN))],
  ['an empty text for a DOUBLE', column('d', 'DOUBLE', [''])],
  ['a text for a BOOLEAN', column('b', 'BOOLEAN', ['true'])],
  ['an unknown column', column('nothing', 'BIGINT', [1])],
])('%s is refused and nothing is added', async (_what, wrong) => {
  await expect(engine.append('obs.a', [wrong])).rejects.toThrow(/append to obs\.a/i);
  expect(await rows()).toEqual([]);
});

test('a bad value far down undoes everything before it', async () => {
  const values = Array.from({ length: 300_000 }, (_, index) => (index === 299_999 ? 0.5 : index));
  await expect(engine.append('obs.a', [column('n', 'BIGINT', values)])).rejects.toThrow('got "0.5"');
  expect(await rows()).toEqual([]);
});

test('columns of unequal length are refused', async () => {
  const uneven = [column('n', 'BIGINT', [1, 2]), column('s', 'VARCHAR', ['x'])];
  await expect(engine.append('obs.a', uneven)).rejects.toThrow('"s" has 1 values');
});

test('no rows append nothing', async () => {
  await engine.append('obs.a', [column('n', 'BIGINT', [])]);
  expect(await rows()).toEqual([]);
});

test('rows appended in a transaction that fails are gone', async () => {
  const work = async () => {
    await engine.append('obs.a', [column('n', 'BIGINT', [1])]);
    throw new Error('no');
  };
  await expect(engine.transaction(work)).rejects.toThrow('no');
  expect(await rows()).toEqual([]);
});

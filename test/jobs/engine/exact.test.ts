import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DuckDb } from '../../../jobs/engine/duckdb/session.ts';
import { writeExact } from '../../../jobs/engine/exact.ts';
import { openScratchEngine } from '../../support/case-duckdb.ts';
import { type Ask, decimalText, exactProblems, someDoubles } from '../../support/exact-cases.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { trinoSyntaxProblems } from '../../support/trino-grammar.ts';

let db: DuckDb;
beforeAll(async () => {
  db = await openScratchEngine();
});
afterAll(() => db.close());

const ask: Ask = async (sql) => (await db.rows(sql)).map((row) => Object.values(row));

describe('digits', () => {
  test('are those of the double, of every size and sign', async () => {
    expect(await exactProblems(ask, someDoubles(7, 600))).toEqual([]);
  });

  test.each([
    [0.249_266_587_575_775, 18, '0.249266587575775008'],
    [123_456_789_012.123_46, 6, '123456789012.123459'],
    [2.5, 0, '3'],
    [-2.5, 0, '-3'],
    [0.5e-6, 6, '0.000001'],
    [8_388_608.1, 18, '8388608.099999999627470976'],
    [0, 2, '0.00'],
  ])('of %d at scale %d are %s', (value, scale, text) => {
    expect(decimalText(value, scale)).toBe(text);
  });

  test('a wrong digit is found', async () => {
    const off: Ask = async (sql) => ask(sql.replaceAll('1e18', '1e17'));
    expect((await exactProblems(off, [0.5])).length).toBeGreaterThan(0);
  });

  test('null stays null', async () => {
    const sql = 'select exact_decimal(x, 38, 6) as a, exact_double(d) as b';
    const from = 'from (select cast(null as double) as x, cast(null as decimal(38, 6)) as d) t';
    expect(await db.rows(writeExact(`${sql} ${from}`))).toEqual([{ a: null, b: null }]);
  });

  test.each(['1e19', '-1e19', "cast('NaN' as double)", "cast('Infinity' as double)"])(
    '%s is an error',
    async (x) => {
      await expect(db.rows(writeExact(`select exact_decimal(${x}, 38, 6) as a`))).rejects.toThrow();
    },
  );
});

describe('sums', () => {
  test('are those of whole numbers, to the last digit, in any order', async () => {
    const random = seededRandom(11);
    const numbers = Array.from({ length: 3_000 }, () =>
      Math.floor(random() * 10 ** Math.floor(random() * 34)),
    );
    const expected = Number(numbers.reduce((sum, number) => sum + BigInt(number), 0n));
    const rows = numbers.map((number, index) => `(${index}, cast('${number}' as double))`);
    const sums = ['i', '-i', 'x', '-x'].map((order) => {
      const from = `(select x from (values ${rows.join(', ')}) as t (i, x) order by ${order} limit ${numbers.length})`;
      return ask(writeExact(`select exact_sum(x) from ${from} s`));
    });
    for (const [row] of await Promise.all(sums)) expect(row).toEqual([expected]);
  });

  test.each([
    [[0.5, 0.25, -2], -1.25],
    [[-1, -(2 ** 60), 3], -(2 ** 60) + 2],
    [[2 ** 130, 1, -(2 ** 130)], 1],
    [[null, 3], 3],
    [[null], null],
  ])('of %j is %d', async (numbers, expected) => {
    const rows = numbers.map((number) => `(cast(${number === null ? 'null' : `'${number}'`} as double))`);
    expect(await ask(writeExact(`select exact_sum(x) from (values ${rows.join(', ')}) as t (x)`))).toEqual([
      [expected],
    ]);
  });
});

describe('text', () => {
  test('is SQL of both engines, even nested and with commas, strings and comments inside', () => {
    const sql =
      "select exact_double(sum(exact_decimal(coalesce(x, if(y = 'a),(', 1e0, 2e0)) /* ) */, 38, 6))) as a from t";
    const written = writeExact(sql);
    expect(written).not.toContain('exact_');
    expect(trinoSyntaxProblems(written)).toEqual([]);
  });

  test.each([
    "select 'exact_double(x)' as a",
    '-- exact_double(x)\nselect 1 as a',
    'select "exact_double(x)" as a',
    'select inexact_double(x), exact_doubles(x)',
  ])('%s is left unchanged', (sql) => {
    expect(writeExact(sql)).toBe(sql);
  });

  test.each([
    'exact_double(x',
    'exact_double()',
    'exact_double(x, 1)',
    'exact_decimal(x)',
    'exact_sum()',
    'exact_sum(x, y)',
    'exact_decimal(x, 38, 19)',
    'exact_decimal(x, a, b)',
  ])('%s is refused', (sql) => {
    expect(() => writeExact(`select ${sql}`)).toThrow();
  });
});

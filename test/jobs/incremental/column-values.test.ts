// Which statements are run to find the next values of the columns of a table.
import { expect, test } from 'vitest';
import type { Row } from '../../../jobs/engine/rows.ts';
import { ColumnValues, type ValuesWarehouse } from '../../../jobs/incremental/column-values.ts';

/** Tables `a` and `b` with the columns `x` and `y`; the next value is always one greater than the instant. */
class Tables implements ValuesWarehouse {
  readonly statements: string[] = [];
  version = '1';
  isAway = false;
  readonly versions = { of: async () => this.version };
  readonly describe = async () => ['x', 'y'].map((name) => ({ name, type: 'BIGINT' }));

  async rows(sql: string): Promise<readonly Row[]> {
    this.statements.push(sql);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isAway) throw new Error('away');
    return [...sql.matchAll(/select (\d+) as question.*?>=? (\d+)/g)].map(([, index, at]) => ({
      question: Number(index),
      next: Number(at) + 1,
    }));
  }
}

const question = (table: string, column: string, at: number) =>
  ({ values: { table, column, expression: column }, at, side: 'above' }) as const;

const EXPECTED = [
  question('a', 'x', 10),
  question('a', 'x', 20),
  question('a', 'y', 10),
  question('b', 'x', 10),
];

const opened = () => {
  const tables = new Tables();
  return { tables, columns: new ColumnValues(tables) };
};

const ask = (columns: ColumnValues, { values, ...direction }: ReturnType<typeof question>) =>
  columns.next(values, direction);

test('announced values of a table are queried in one statement, once for each version', async () => {
  const { tables, columns } = opened();
  await columns.announce(EXPECTED);
  expect(tables.statements).toEqual([]);
  expect(await Promise.all(EXPECTED.map((one) => ask(columns, one)))).toEqual([11, 21, 11, 11]);
  expect(tables.statements.toSorted((a, b) => b.length - a.length)).toEqual([
    [
      'select 0 as question, min(x) as next from a where x > 10',
      'select 1 as question, min(x) as next from a where x > 20',
      'select 2 as question, min(y) as next from a where y > 10',
    ].join(' union all '),
    'select 0 as question, min(x) as next from b where x > 10',
  ]);
  for (const one of EXPECTED) await ask(columns, one);
  expect(tables.statements).toHaveLength(2);
});

test('values announced for an earlier version are not queried for a later one', async () => {
  const { tables, columns } = opened();
  await columns.announce(EXPECTED);
  tables.version = '2';
  expect(await ask(columns, question('a', 'x', 10))).toBe(11);
  expect(tables.statements).toEqual(['select 0 as question, min(x) as next from a where x > 10']);
});

test('a failed statement rejects the call that ran it, and the others query again', async () => {
  const { tables, columns } = opened();
  await columns.announce(EXPECTED);
  tables.isAway = true;
  const first = ask(columns, question('a', 'x', 10));
  const second = ask(columns, question('a', 'y', 10));
  await expect(first).rejects.toThrow('away');
  tables.isAway = false;
  expect(await second).toBe(11);
  expect(await ask(columns, question('a', 'x', 20))).toBe(21);
});

test('more values than fit in one statement take several', async () => {
  const { tables, columns } = opened();
  const many = Array.from({ length: 40 }, (_, index) => question('a', 'x', index * 10));
  await columns.announce(many);
  for (const [index, one] of many.entries()) expect(await ask(columns, one)).toBe(index * 10 + 1);
  expect(tables.statements.map((sql) => sql.split(' union all ').length)).toEqual([32, 8]);
});

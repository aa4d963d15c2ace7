// Which statements an engine runs to find the next values of its tables.
import { expect, test } from 'vitest';
import { KnownVersions } from '../../../jobs/engine/known-versions.ts';
import type { Row } from '../../../jobs/engine/rows.ts';

/** Tables `a` and `b` with the columns `x` and `y`; the next value is always one greater than the instant. */
class Asked extends KnownVersions {
  readonly statements: string[] = [];
  version = '1';
  isAway = false;
  of = async () => this.version;
  protected isBound = () => false;
  protected columnsOf = async () => ['x', 'y'];

  protected async rows(sql: string): Promise<readonly Row[]> {
    this.statements.push(sql);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isAway) throw new Error('away');
    return [...sql.matchAll(/select (\d+) as place.*?>=? (\d+)/g)].map(([, place, at]) => ({
      place: Number(place),
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

const ask = (asked: KnownVersions, { values, ...place }: ReturnType<typeof question>) =>
  asked.next(values, place);

test('announced values of a table are queried in one statement, once for each version', async () => {
  const asked = new Asked();
  await asked.expect(EXPECTED);
  expect(asked.statements).toEqual([]);
  expect(await Promise.all(EXPECTED.map((one) => ask(asked, one)))).toEqual([11, 21, 11, 11]);
  expect(asked.statements.toSorted((a, b) => b.length - a.length)).toEqual([
    [
      'select 0 as place, min(x) as next from a where x > 10',
      'select 1 as place, min(x) as next from a where x > 20',
      'select 2 as place, min(y) as next from a where y > 10',
    ].join(' union all '),
    'select 0 as place, min(x) as next from b where x > 10',
  ]);
  for (const one of EXPECTED) await ask(asked, one);
  expect(asked.statements).toHaveLength(2);
});

test('values announced for an earlier version are not queried for a later one', async () => {
  const asked = new Asked();
  await asked.expect(EXPECTED);
  asked.version = '2';
  expect(await ask(asked, question('a', 'x', 10))).toBe(11);
  expect(asked.statements).toEqual(['select 0 as place, min(x) as next from a where x > 10']);
});

test('a failed statement rejects the call that ran it, and the others query again', async () => {
  const asked = new Asked();
  await asked.expect(EXPECTED);
  asked.isAway = true;
  const first = ask(asked, question('a', 'x', 10));
  const second = ask(asked, question('a', 'y', 10));
  await expect(first).rejects.toThrow('away');
  asked.isAway = false;
  expect(await second).toBe(11);
  expect(await ask(asked, question('a', 'x', 20))).toBe(21);
});

test('more values than fit in one statement take several', async () => {
  const asked = new Asked();
  const many = Array.from({ length: 40 }, (_, index) => question('a', 'x', index * 10));
  await asked.expect(many);
  for (const [index, one] of many.entries()) expect(await ask(asked, one)).toBe(index * 10 + 1);
  expect(asked.statements.map((sql) => sql.split(' union all ').length)).toEqual([32, 8]);
});

// Which tables must have rows for a query to return any, compared with what the query returns when some of them are empty.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import { areMet, NO_NEEDS, type RowNeeds } from '../../../../jobs/incremental/dependencies.ts';
import { readDependencies } from '../../../../jobs/incremental/sql/time-use.ts';
import { domains } from '../../../../jobs/registry.ts';
import { mayHaveRows } from '../../../../jobs/incremental/unchanged.ts';
import { openScratchEngine } from '../../../support/case-duckdb.ts';
import { loadWarehouse } from '../../../../jobs/app/open-context.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';

const TABLES = ['obs.a', 'obs.b', 'obs.c'];

let engine: DuckDb;
beforeAll(async () => {
  engine = await openScratchEngine();
  for (const name of ['a', 'b', 'c']) await engine.execute(`create table obs.${name} (k bigint, n bigint)`);
});
afterAll(() => engine.close());

/** Gives these tables a row, and the others none. */
async function fill(filled: readonly string[]): Promise<void> {
  for (const table of TABLES)
    await engine.execute(
      `delete from ${table}${filled.includes(table) ? `; insert into ${table} values (1, 1)` : ''}`,
    );
}

const SUBSETS = TABLES.reduce<readonly (readonly string[])[]>(
  (sets, table) => sets.concat(sets.map((set) => [...set, table])),
  [[]],
);

const isMet = (needs: RowNeeds, filled: readonly string[]) =>
  areMet(needs, async (table) => filled.includes(table));

const needsOf = async (sql: string): Promise<RowNeeds> => (await readDependencies(engine, sql, '')).needs;

const all = (...parts: readonly RowNeeds[]): RowNeeds => ({ all: parts });
const any = (...parts: readonly RowNeeds[]): RowNeeds => ({ any: parts });

describe('a query needs rows of', () => {
  test.each<[string, RowNeeds]>([
    ['select k from obs.a', 'obs.a'],
    ['select k, count(*) as n from obs.a group by k', 'obs.a'],
    ['select a.k from obs.a join obs.b on a.k = b.k', all('obs.a', 'obs.b')],
    ['select a.k from obs.a cross join obs.b', all('obs.a', 'obs.b')],
    ['select a.k from obs.a left join obs.b on a.k = b.k', 'obs.a'],
    ['select b.k from obs.a right join obs.b on a.k = b.k', 'obs.b'],
    ['select a.k from obs.a full outer join obs.b on a.k = b.k', any('obs.a', 'obs.b')],
    ['select k from obs.a union all select k from obs.b', any('obs.a', 'obs.b')],
    ['select k from obs.a intersect select k from obs.b', all('obs.a', 'obs.b')],
    ['select k from obs.a except select k from obs.b', 'obs.a'],
    ['with x as (select k from obs.a), X2 as (select k from x) select k from x2', 'obs.a'],
    ['with a as (select k from obs.b) select k from a', 'obs.b'],
    ['select k from (select k from obs.a where n > (select count(*) from obs.b)) as x', 'obs.a'],
    ['select (select max(n) from obs.b) as m from obs.a', 'obs.a'],
    ['select sum(n) over (order by k) as s from obs.a', 'obs.a'],
    ['select round(n / 2) as half, upper(cast(k as varchar)) as k from obs.a', 'obs.a'],
    ['select a.k from obs.a cross join unnest(sequence(1, 3)) as t(x)', all('obs.a', NO_NEEDS)],
    [
      'select a.k from (select k from obs.a union select k from obs.c) a join obs.b on true',
      all(any('obs.a', 'obs.c'), 'obs.b'),
    ],
  ])('%s', async (sql, needs) => {
    expect(await needsOf(sql)).toEqual(needs);
    for (const filled of SUBSETS) {
      await fill(filled);
      const rows = await engine.rows(sql);
      if (!(await isMet(needs, filled))) expect([filled, rows]).toEqual([filled, []]);
    }
  });
});

describe('a query may return rows from empty tables', () => {
  test.each([
    'select count(*) as n from obs.a',
    'select round(max(n)) as n from obs.a',
    'select 1 as x from obs.a having count(*) = 0',
    'select 1 as x from obs.a order by count(*)',
    'select sum(count(*)) over () as n from obs.a',
    'select k, count(*) as n from obs.a group by grouping sets ((k), ())',
    'select count(*) as n from obs.a group by ()',
    'select 1 as x',
    'select x from (values (1)) as t(x)',
    'select x from unnest(sequence(1, 3)) as t(x)',
    'with recursive x as (select 1 as k union all select k + 1 from x where k < 3) select k from x',
  ])('%s', async (sql) => {
    expect(await needsOf(sql)).toEqual(NO_NEEDS);
    await fill([]);
    expect(await engine.rows(sql)).not.toEqual([]);
  });

  test('as may one side of a union', async () => {
    const needs = await needsOf('select k from obs.a union all select count(*) from obs.b');
    expect(await isMet(needs, [])).toBe(true);
  });
});

test('no query of the product returns a row from an empty warehouse while its needs are not met', async () => {
  const db = await openScratchEngine();
  try {
    const { warehouse, models } = await loadWarehouse(db, { policy: DEFAULT_POLICY, domains });
    const tools = { warehouse, models: models.models };
    const left = { needed: 0, run: 0 };
    const computed = models.models.filter(({ kind }) => kind !== 'append');
    for (const { sql, needs, name } of [...computed, ...models.events, ...models.audits]) {
      if (await mayHaveRows(tools, needs)) {
        left.run += 1;
        continue;
      }
      left.needed += 1;
      const query = renderParameters(sql, { start: 0, end: 86_400 * 30, now: 86_400 * 30 - 1 });
      expect([name, await db.rows(query)]).toEqual([name, []]);
    }
    expect(left.needed).toBeGreaterThan(5 * left.run);
  } finally {
    await db.close();
  }
});

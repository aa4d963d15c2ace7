// Computed fields of raw tables are evaluated for every row of a delivery, also for rows whose delivered values are bad. One that fails
// ends the statement, and DuckDB's `try(…)` around an expression that returns text corrupts other rows (docs/decisions.md).
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  computedFields,
  deliveredFields,
  filledFields,
  type RawField,
  type RawTable,
} from '../../jobs/define/raw-table.ts';
import type { DuckDb } from '../../jobs/engine/duckdb/session.ts';
import { domains } from '../../jobs/registry.ts';
import { openScratchEngine } from '../support/case-duckdb.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { PROJECT, projectFiles } from './source-tree.ts';

const TRY = /(?<![#.\w])try\s*\(/i;
const isCode = (path: string) =>
  /^(jobs|models|server|snapshots|schemas|coordination)\/.*\.(ts|sql)$/.test(path);

test('no statement uses try(…): values are converted by try_cast, and guarded by case', () => {
  const users = projectFiles()
    .filter(isCode)
    .filter((path) => TRY.test(readFileSync(`${PROJECT}${path}`, 'utf8')));
  expect(users).toEqual([]);
});

test.each(['select try(a)', 'select TRY (cast(a as varchar))', 'case when try(x) then 1 end'])(
  '%s is caught',
  (sql) => {
    expect(TRY.test(sql)).toBe(true);
  },
);

test.each([
  'try {',
  'select try_cast(a as double)',
  'this.#try(a)',
  'await this.try(a)',
  'try_strptime(a, b)',
])('%s passes', (text) => {
  expect(TRY.test(text)).toBe(false);
});

const TEXTS = [
  '',
  ' ',
  'x',
  '0',
  '-1',
  '1.5',
  '1e-05',
  '1e400',
  '9'.repeat(40),
  '9'.repeat(120),
  `1.${'1'.repeat(40)}`,
  '.',
  '[',
  '[]',
  '{}',
  'null',
  '"',
  '[1,null,"a"]',
  '[[1],{"account_id":7,"stake":null,"shards":[1,2],"reason":{"a":"|"}}]',
  '[{"account_id":"a","stake":"12"}]',
  '{"account_id":"a"}',
  '[nan]',
  '1700000000123456789',
  '2024-02-30T25:61:61.123Z',
  '2024-02-03T04:05:06.123456789Z',
  '999999-01-01T00:00:00Z',
  'vote',
  'created',
  'ticks',
  'incident',
  'a,b,c',
  'é\u0000\n𝄞',
  'x'.repeat(5_000),
];
const INTEGERS = [-(2n ** 63n), -1n, 0n, 1n, 17n, 18n, 19n, 38n, 39n, 86_399n, 2n ** 31n, 2n ** 63n - 1n];
const DOUBLES = [
  '0',
  '-0',
  '1',
  '-1.5',
  '0.1',
  '5e-324',
  '1.7976931348623157e308',
  '-1.7976931348623157e308',
];

const VALUES: Readonly<Record<RawField['type'], readonly string[]>> = {
  VARCHAR: TEXTS.map((text) => `'${text.replaceAll("'", "''").replaceAll('\u0000', "' || chr(0) || '")}'`),
  BIGINT: INTEGERS.map((value) => `cast('${value}' as bigint)`),
  DOUBLE: [...DOUBLES.map((value) => `cast('${value}' as double)`), `cast('infinity' as double)`],
  BOOLEAN: ['true', 'false'],
};

const tables = domains
  .flatMap(({ raw }): readonly RawTable[] => raw)
  .filter((table) => computedFields(table).length > 0);
const ROWS = 2_000;

/** Every field takes each of its values and null, in random combinations. */
const oddRows = (table: RawTable): string => {
  const random = seededRandom(table.name.length);
  const columns = [...deliveredFields(table), ...filledFields(table)].map((field) => {
    const values = [`cast(null as ${field.type})`, ...VALUES[field.type]];
    const places = Array.from({ length: ROWS }, () => 1 + Math.floor(random() * values.length));
    return { field, list: `[${values.join(', ')}]`, places: `[${places.join(', ')}]` };
  });
  const cells = columns.map(({ field, list, places }) => `(${list})[(${places})[i + 1]] as "${field.name}"`);
  return `select ${cells.join(', ')} from range(${ROWS}) t(i)`;
};

describe('whatever the delivered values are, a computed field does not fail', () => {
  let db: DuckDb;
  beforeAll(async () => {
    db = await openScratchEngine();
  });
  afterAll(() => db.close());

  test.each(tables.map((table) => [table.name, table] as const))('%s', async (_, table) => {
    await db.execute(`create or replace temp table odd as ${oddRows(table)}`);
    const fields = computedFields(table);
    for (const { name, type, computed } of fields)
      await db.execute(
        `create or replace temp table result as select try_cast(${computed} as ${type}) as "${name}" from odd`,
      );
    expect(fields.length).toBeGreaterThan(0);
  });
});

import { describe, expect, test } from 'vitest';
import { domains } from '../../jobs/registry.ts';
import { trinoSyntaxProblems } from '../support/trino-grammar.ts';
import { bannedWords } from './banned-sql.ts';
import { PRODUCT_FOLDERS, sourceFiles } from './source-tree.ts';
import { isOutsideEngines, statementsIn } from './sql-in-code.ts';

const problemsOf = (sql: string) => [...bannedWords(sql), ...trinoSyntaxProblems(sql)];
const statements = sourceFiles(PRODUCT_FOLDERS, '.ts').filter(isOutsideEngines).flatMap(statementsIn);

test('statements are found', () => {
  expect(statements.length).toBeGreaterThan(10);
});

test.each(statements)('$path:$line is in the dialect that all engines share', ({ sql }) => {
  expect(problemsOf(sql)).toEqual([]);
});

describe('fields that ingest computes', () => {
  /** Lists of a node's response: ingest, which is always DuckDB, takes them apart, since no two engines unnest JSON alike. */
  const INGEST_ONLY = /^network_b_(block\.observed_at|validators\.(is_readable|\w+_entries))$/;
  const computed = domains
    .flatMap(({ raw }) => raw)
    .flatMap(({ name, fields }) =>
      fields.map(({ name: field, computed }) => ({ field: `${name}.${field}`, computed })),
    )
    .filter((one) => one.computed !== undefined);

  test.each(computed.filter(({ field }) => !INGEST_ONLY.test(field)))('$field', ({ computed: sql }) => {
    expect(problemsOf(`select ${sql} as v`)).toEqual([]);
  });
});

/** What is filled in at run time, as source text. */
const HOLE = ['$', '{x}'].join('');

describe('the rule catches', () => {
  const problemsIn = (text: string) =>
    statementsIn({ path: 'jobs/pipeline/x.ts', text }).flatMap(({ sql }) => problemsOf(sql));

  test.each([
    "const rows = await db.rows('select median(a) from obs.x');",
    `const rows = await db.rows(\`select a from ${HOLE} group by all\`);`,
    `await db.execute(\`create or replace temp table ${HOLE} as select 1 as a\`);`,
    "await db.execute('insert into obs.a select range from range(10)');",
    `await db.execute(\`copy (select 1 as a) to '${HOLE}' (format parquet)\`);`,
    'await db.rows(`with a as (select 1 as b) select * exclude (b) from a`);',
    'await db.execute("pragma table_info(x)");',
  ])('%s', (text) => {
    expect(problemsIn(text)).not.toEqual([]);
  });

  test.each([
    `const rows = await db.rows(\`select ${HOLE} from ${HOLE} where a = ${HOLE} limit ${HOLE}\`);`,
    `const rows = await db.rows(\`select a from (values ${HOLE}) v(a) order by a\`);`,
    "const words = 'Selects feeds and updates pages';",
    "// await db.rows('select median(a) from obs.x')",
  ])('and lets pass: %s', (text) => {
    expect(problemsIn(text)).toEqual([]);
  });
});

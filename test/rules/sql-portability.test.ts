import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderParameters } from '../../jobs/engine/parameters.ts';
import { domains } from '../../jobs/registry.ts';
import { trinoSyntaxProblems } from '../support/trino-grammar.ts';
import { bannedWords } from './banned-sql.ts';

const rendered = (sql: string) => renderParameters(sql, { start: 0, end: 0, now: 0 });
const files = domains.flatMap(({ id, folder }) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => ({
      path: `jobs/families/${id}/${name}`,
      sql: readFileSync(new URL(name, folder), 'utf8'),
    })),
);

test('models are found', () => {
  expect(files.length).toBeGreaterThan(0);
});

test.each(files)('$path parses as Trino SQL', ({ sql }) => {
  expect(trinoSyntaxProblems(rendered(sql))).toEqual([]);
});

test.each(files)('$path uses nothing that only DuckDB understands', ({ sql }) => {
  expect(bannedWords(sql)).toEqual([]);
});

test.each([
  'select a::bigint from obs.x',
  'select a from obs.x qualify row_number() over (order by a) = 1',
  'select a, count(*) from obs.x group by all',
  'select * exclude (a) from obs.x',
  "select * from read_parquet('x')",
  'select epoch(a) from obs.x',
  "select strftime(a, '%Y') from obs.x",
  'select * from obs.x asof join obs.y on x.t >= y.t',
  'select median(a) from obs.x',
  'select count_if(a > 1) from obs.x',
  'select approx_percentile(a, 0.5) from obs.x',
  'select now()',
  'select current_timestamp',
  'select list_filter(a, x -> x > 1) from obs.x',
  'select a from obs.x where a > $1',
])('%s is refused', (sql) => {
  expect(bannedWords(sql).length).toBeGreaterThan(0);
});

test.each([
  "select 'now() :: qualify' as a from obs.x",
  '-- uses no qualify\nselect 1 as a',
  'select "list"."first" from obs."list"',
  'select array_agg(a order by a) as items, max_by(a, b) as latest from obs.x',
])('%s passes', (sql) => {
  expect(bannedWords(sql)).toEqual([]);
});

test('the grammar names the position of what it does not know', () => {
  expect(trinoSyntaxProblems('select 1 as a\nfrom obs.x qualify 1')[0]).toMatch(/^line 2, column 20: /);
});

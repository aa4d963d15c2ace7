// Runs the case files of models and events on any engine: fills the tables a query reads, runs the query and compares the result.

import { renderParameters } from '../../jobs/engine/parameters.ts';
import type { ColumnType } from '../../jobs/engine/rows.ts';
import type { Query } from '../../jobs/pipeline/models/model.ts';
import type { Json } from '../../platform/base/json.ts';
import type { Case, CaseRow } from './case-file.ts';

/** The part of an engine that cases need. */
export interface CaseTarget {
  /** Replaces the rows of a table. A column that a row leaves out is null. */
  fill(table: string, columns: readonly ColumnType[], rows: readonly CaseRow[]): Promise<void>;
  /** Rows as JSON values; `columns` holds the types of the result on DuckDB. */
  rows(sql: string, columns: readonly ColumnType[]): Promise<readonly CaseRow[]>;
}

/** Types of every table and of every query's result, as DuckDB reports them. */
export interface Catalogue {
  tables(name: string): readonly ColumnType[];
  answer(query: Query): readonly ColumnType[];
  /** Rows of a table that a case does not fill: the default policy in `policy` tables, none elsewhere. */
  defaults(table: string): readonly CaseRow[];
}

/** Describes the difference; empty if the case holds. */
export async function runCase(
  target: CaseTarget,
  catalogue: Catalogue,
  { query, one }: { query: Query; one: Case },
): Promise<string> {
  const wrong = givenProblem(query, catalogue, one);
  if (wrong !== '') return wrong;
  for (const table of tablesOf(query))
    await target.fill(table, catalogue.tables(table), one.given[table] ?? catalogue.defaults(table));
  const columns = catalogue.answer(query);
  const compared = [...new Set(one.expect.flatMap(Object.keys))];
  const unknown = compared.find((name) => !columns.some((column) => column.name === name));
  if (unknown !== undefined)
    return `expects a column ${unknown}, but ${query.name} answers ${columns.map(({ name }) => name).join(', ')}`;
  return difference(
    await target.rows(renderParameters(query.sql, one.params), columns),
    one.expect,
    compared,
  );
}

const tablesOf = (query: Query): readonly string[] =>
  'readsSelf' in query && query.readsSelf ? [...query.reads, query.name] : query.reads;

function givenProblem(query: Query, catalogue: Catalogue, { given }: Case): string {
  const reads = tablesOf(query);
  for (const [table, rows] of Object.entries(given)) {
    if (!reads.includes(table)) return `gives ${table}, but ${query.name} reads ${reads.join(', ')}`;
    const names = catalogue.tables(table).map(({ name }) => name);
    const unknown = rows.flatMap(Object.keys).find((name) => !names.includes(name));
    if (unknown !== undefined) return `gives ${table} a column ${unknown}, but it has ${names.join(', ')}`;
  }
  return '';
}

/** Compares two lists of rows, ignoring their order. */
export function difference(
  actual: readonly CaseRow[],
  expected: readonly CaseRow[],
  columns: readonly string[],
): string {
  const left = actual.map((row) => pick(row, columns));
  const missing: CaseRow[] = [];
  for (const row of expected.map((wanted) => pick(wanted, columns))) {
    const index = left.findIndex((candidate) => isSame(candidate, row));
    if (index === -1) missing.push(row);
    else left.splice(index, 1);
  }
  const lines = (title: string, rows: readonly CaseRow[]) =>
    rows.map((row) => `  ${title} ${JSON.stringify(row)}`);
  return [...lines('missing:   ', missing), ...lines('unexpected:', left)].join('\n');
}

const pick = (row: CaseRow, columns: readonly string[]): CaseRow =>
  Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));

const RELATIVE_TOLERANCE = 1e-9;

function isSame(a: Json, b: Json): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= RELATIVE_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null));
  if (a !== null && b !== null && typeof a === 'object' && typeof b === 'object') {
    const [left, right] = [a as CaseRow, b as CaseRow];
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].every((name) => isSame(left[name] ?? null, right[name] ?? null));
  }
  return a === b;
}

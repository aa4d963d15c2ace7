// The text of the statements that write a model: each changes one table atomically.
import type { ModelTable } from '../model.ts';
import { type Parameters, renderParameters } from '../parameters.ts';
import type { ColumnType } from '../rows.ts';
import { quoted } from '../sql-text.ts';
import { columnType } from './types.ts';

/** A model's table and the rows to write to it. */
export interface TableWrite {
  readonly table: string;
  readonly columns: readonly ColumnType[];
  /** A SELECT with exactly the types of the table. */
  readonly rows: string;
  /** SQL condition for the rows of the table that are replaced; `table`: empty, or the name of the table with a dot. */
  readonly old: (table: string) => string;
}

/** `texts`: columns of type JSON that are already text on Trino. */
export function writingOf(
  model: ModelTable,
  columns: readonly ColumnType[],
  { window, texts }: { readonly window: Parameters; readonly texts: ReadonlySet<string> },
): TableWrite {
  const { kind, time } = model;
  const inside = (table: string) =>
    kind === 'window' ? `${table}${time} >= ${window.start} and ${table}${time} < ${window.end}` : 'true';
  const rows = typedSelect(renderParameters(model.sql, window), columns, texts);
  // Rows outside the window belong to another window, and would be written twice.
  const batch = `select * from (${rows}) as batch where ${inside('')}`;
  return { table: model.name, columns, rows: batch, old: inside };
}

/** The query with the types of the table's columns. */
export const typedSelect = (
  sql: string,
  columns: readonly ColumnType[],
  texts: ReadonlySet<string>,
): string => `select ${columns.map((column) => typed(column, texts)).join(', ')} from (${sql}\n) as computed`;

function typed({ name, type }: ColumnType, texts: ReadonlySet<string>): string {
  const column = quoted(name);
  return type === 'JSON' && !texts.has(name)
    ? `json_format(${column}) as ${column}`
    : `cast(${column} as ${columnType(type)}) as ${column}`;
}

const namesOf = (columns: readonly ColumnType[]): readonly string[] =>
  columns.map(({ name }) => quoted(name));

export const createSql = (table: string, columns: readonly ColumnType[]): string =>
  `create or replace table ${table} (${columns.map(({ name, type }) => `${quoted(name)} ${columnType(type)}`).join(', ')})`;

export const insertSql = ({ table, columns, rows }: TableWrite): string =>
  `insert into ${table} (${namesOf(columns).join(', ')}) ${rows}`;

export const replaceAllSql = ({ table, rows }: TableWrite): string =>
  `create or replace table ${table} as ${rows}`;

/** The number of rows and two sums over their hashes, independent of their order. */
const digestSql = (from: string, columns: readonly ColumnType[]): string => {
  const names = namesOf(columns);
  return `select count(*) as n, checksum(row(${names.join(', ')})) as a, checksum(row(1, ${names.toReversed().join(', ')})) as b from ${from}`;
};

/** One row: the digests of the new rows and of the old rows. */
export const compareSql = ({ table, columns, rows, old }: TableWrite): string =>
  `select now.n, now.a, now.b, before.n, before.a, before.b
from (${digestSql(`(${rows}) as batch`, columns)}) as now
cross join (${digestSql(`(select * from ${table} where ${old('')}) as old`, columns)}) as before`;

/** Equality that also holds between nulls, in a form that Trino can hash. */
const sameSql = (grain: readonly string[], left: string, right: string): string =>
  grain
    .map(
      (name) =>
        `coalesce(cast(${left}.${quoted(name)} as varchar), '') = coalesce(cast(${right}.${quoted(name)} as varchar), '')
    and (${left}.${quoted(name)} is null) = (${right}.${quoted(name)} is null)`,
    )
    .join('\n    and ');

/** The rows of the table that have the grain of a new row. */
export const oldOfMerge = ({ rows, table }: TableWrite, grain: readonly string[]): string =>
  `(select old.* from ${table} as old where exists (select 1 from (${rows}) as fresh where ${sameSql(grain, 'old', 'fresh')}))`;

/** Digests of the new rows, and of the old rows that have the grain of a new row. */
export const compareMergeSql = (writing: TableWrite, grain: readonly string[]): string =>
  `select now.n, now.a, now.b, before.n, before.a, before.b
from (${digestSql(`(${writing.rows}) as batch`, writing.columns)}) as now
cross join (${digestSql(`${oldOfMerge(writing, grain)} as old`, writing.columns)}) as before`;

/** Removes the old rows and adds the new ones. An unchanged row is removed and added again. */
export function replaceSql(writing: TableWrite, grain: readonly string[]): string {
  const { table, old, rows } = writing;
  const removed = `select distinct ${grain.map(quoted).join(', ')} from ${table} where ${old('')}`;
  return exchangeSql(writing, grain, { removed, added: rows });
}

interface RowExchange {
  /** A query whose rows have the grain of each row to remove. */
  readonly removed: string | null;
  /** A query for the rows to add. */
  readonly added: string | null;
}

/** Removes rows of the table and adds others. */
export function exchangeSql(
  { table, columns, old }: TableWrite,
  grain: readonly string[],
  { removed, added }: RowExchange,
): string {
  const names = namesOf(columns);
  const source = columns.map(({ name, type }) =>
    grain.includes(name) ? quoted(name) : `cast(null as ${columnType(type)}) as ${quoted(name)}`,
  );
  const sources = [
    removed === null ? [] : `select true as is_old_row, ${source.join(', ')} from (${removed}) as known`,
    added === null ? [] : `select false as is_old_row, ${names.join(', ')} from (${added}) as batch`,
  ].flat();
  return `merge into ${table} as old
using (
  ${sources.join('\n  union all\n  ')}
) as fresh
on fresh.is_old_row
    and ${sameSql(grain, 'old', 'fresh')}
    and ${old('old.')}
when matched then delete
when not matched and not fresh.is_old_row then insert (${names.join(', ')}) values (${names.map((name) => `fresh.${name}`).join(', ')})`;
}

/** Rows replace those with the same grain. */
export function mergeSql({ table, columns, rows }: TableWrite, grain: readonly string[]): string {
  const names = namesOf(columns);
  return `merge into ${table} as old using (${rows}) as fresh
on ${sameSql(grain, 'old', 'fresh')}
when matched then update set ${names.map((name) => `${name} = fresh.${name}`).join(', ')}
when not matched then insert (${names.join(', ')}) values (${names.map((name) => `fresh.${name}`).join(', ')})`;
}

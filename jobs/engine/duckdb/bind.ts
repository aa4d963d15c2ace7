// Binds the inputs of models: `landing.<table>` as a view over landed files, `policy.<table>` over configured rows.

import type { RawTable } from '../../define/raw-table.ts';
import type { PolicyRow, PolicyTable } from '../../policy/define.ts';
import { literal, quoted } from '../sql-text.ts';
import { landedSql } from './landed-sql.ts';
import type { DuckDb } from './session.ts';

/** Binds `landing.<raw table>` to these Parquet files, or to an empty relation. */
export async function bindLanding(db: DuckDb, table: RawTable, files: readonly string[]): Promise<void> {
  await db.execute(bindingOf(table, files));
}

/** Binds `landing.<raw table>` to an empty relation for each of the tables. */
export async function bindEmpty(db: DuckDb, tables: readonly RawTable[]): Promise<void> {
  if (tables.length > 0) await db.execute(tables.map((table) => bindingOf(table, [])).join(';\n'));
}

const bindingOf = (table: RawTable, files: readonly string[]): string =>
  `create or replace view landing.${table.name} as ${landedSql(table, files)}`;

/** Binds `policy.<table>` to these rows. A column that a row does not name is null. */
export async function bindPolicy(
  db: DuckDb,
  { name: table, columns }: PolicyTable,
  rows: readonly PolicyRow[],
): Promise<void> {
  const known = new Set(columns.map(({ name }) => name));
  const strange = rows.flatMap(Object.keys).find((name) => !known.has(name));
  if (strange !== undefined)
    throw new Error(`policy table ${table}: a row has a ${strange}, which is no column of it`);
  const typed = columns.map(({ name, type }) => `cast(${quoted(name)} as ${type}) as ${quoted(name)}`);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const tuple = (row: PolicyRow) => `(${columns.map(({ name }) => literal(row[name] ?? null)).join(', ')})`;
  const values = (rows.length === 0 ? [{}] : rows).map(tuple).join(', ');
  const some = rows.length === 0 ? ' where false' : '';
  await db.execute(
    `create or replace view policy.${table} as select ${typed.join(', ')} from (values ${values}) as given (${names})${some}`,
  );
}

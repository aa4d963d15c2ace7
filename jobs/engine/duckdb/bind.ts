// Gives models their inputs: `landing.<table>` as a view over landed files, or over rows of the configuration.
import type { PolicyTable, RawTable } from '../../define.ts';
import type { DuckDb } from './session.ts';
import { landedSql } from './landed-sql.ts';
import { literal, quoted } from '../sql-text.ts';

/** Binds `landing.<raw table>` to these Parquet files, or to nothing. */
export async function bindLanding(db: DuckDb, table: RawTable, files: readonly string[]): Promise<void> {
  await db.execute(`create or replace view landing.${table.name} as ${landedSql(table, files)}`);
}

/** Binds `landing.<policy table>` to these rows, in the table's column order. */
export async function bindPolicy(
  db: DuckDb,
  table: PolicyTable,
  rows: ReturnType<PolicyTable['rows']>,
): Promise<void> {
  const wrong = rows.find((row) => row.length !== table.columns.length);
  if (wrong)
    throw new Error(
      `policy table ${table.name}: a row has ${wrong.length} values for ${table.columns.length} columns`,
    );
  const typed = table.columns.map(({ name, type }) => `cast(${quoted(name)} as ${type}) as ${quoted(name)}`);
  const names = table.columns.map(({ name }) => quoted(name)).join(', ');
  const tuple = (row: (typeof rows)[number]) =>
    `(${table.columns.map((_, index) => literal(row[index] ?? null)).join(', ')})`;
  const values = (rows.length === 0 ? [[]] : rows).map(tuple).join(', ');
  const some = rows.length === 0 ? ' where false' : '';
  await db.execute(
    `create or replace view landing.${table.name} as select ${typed.join(', ')} from (values ${values}) as given (${names})${some}`,
  );
}

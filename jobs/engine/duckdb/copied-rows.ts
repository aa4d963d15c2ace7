// Rows of tables that are copied to and from another warehouse, in Parquet files.
import { literal } from '../sql-text.ts';
import type { ModelTable } from '../model.ts';
import type { RowsFile } from '../placed/part.ts';
import { type ColumnType, storedColumns, typedColumns } from '../rows.ts';
import type { DuckDb } from './session.ts';

/** Writes the rows of a relation to a file, each column with its stored type. */
export async function exportRows(
  db: DuckDb,
  { from, columns }: { readonly from: string; readonly columns: readonly ColumnType[] },
  file: string,
): Promise<void> {
  await db.execute(
    `copy (select ${storedColumns(columns)} from ${from}) to ${literal(file)} (format parquet, compression zstd)`,
  );
}

/** Replaces the rows that match the condition with those of the file. Resolves to whether the table then has any rows. */
export async function importRows(
  db: DuckDb,
  { name, order }: ModelTable,
  { columns, rows: { where, file } }: { readonly columns: readonly ColumnType[]; readonly rows: RowsFile },
): Promise<boolean> {
  await db.execute(`delete from ${name} where ${where}`);
  await db.execute(
    `insert into ${name} select * from (select ${typedColumns(columns)} from read_parquet(${literal(file)})) order by ${order}`,
  );
  return (await db.rows(`select 1 as one from ${name} limit 1`)).length > 0;
}

/** Removes the rows of these models, whose tables are kept elsewhere. Resolves to the names of the tables that had rows. */
export async function emptyMovedTables(
  db: DuckDb,
  models: readonly ModelTable[],
): Promise<readonly string[]> {
  const tables = models.filter(({ kind }) => kind !== 'view');
  if (tables.length === 0) return [];
  const filled = await db.rows(
    tables
      .map(({ name }) => `select ${literal(name)} as name where exists (select 1 from ${name})`)
      .join(' union all '),
  );
  for (const { name } of filled) await db.execute(`delete from ${String(name)}`);
  await db.execute(
    `delete from meta.absorbed where table_name in (${tables.map(({ name }) => literal(name)).join(', ')})`,
  );
  return filled.map(({ name }) => String(name));
}

// A sample of a table's landed rows, for display.
import type { RawTable } from '../../define/raw-table.ts';
import { list } from '../../engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import type { Row } from '../../engine/rows.ts';
import type { LandedFiles } from '../read-landing.ts';

export async function landedSample(
  db: DuckDb,
  landing: LandedFiles,
  { table, rows }: { readonly table: RawTable; readonly rows: number },
): Promise<readonly Row[]> {
  const files = landing.files(table.name);
  if (files.length === 0) return [];
  return db.rows(`select * from read_parquet(${list(files)}, union_by_name = true) limit ${rows}`);
}

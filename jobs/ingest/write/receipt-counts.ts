// A receipt's facts about the written file: its time range, and the check that no row is missing.

import type { RawTable } from '../../define/raw-table.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { LandingError } from '../errors.ts';
import type { Receipt } from '../receipts/receipt.ts';

export async function timeSpan(
  db: DuckDb,
  table: RawTable,
  path: string,
): Promise<{ first: number | null; last: number | null }> {
  const time = quoted(table.time);
  const [row] = await db.rows(
    `select min(${time}) as first, max(${time}) as last from read_parquet(${literal(path)}) where ${time} <> 0`,
  );
  const orNull = (name: string) =>
    row?.[name] === null || row?.[name] === undefined ? null : Number(row[name]);
  return { first: orNull('first'), last: orNull('last') };
}

/** No row may vanish: every incoming row landed, is in quarantine, is a repetition, or was filtered out. */
export async function assertCounts(db: DuckDb, receipt: Receipt, file: string | null): Promise<void> {
  const { rows_in, rows_landed, rows_quarantined, rows_deduplicated, rows_filtered = 0 } = receipt;
  const sum = rows_landed + rows_quarantined + rows_deduplicated + rows_filtered;
  const [row] =
    file === null ? [{ n: 0 }] : await db.rows(`select count(*) as n from read_parquet(${literal(file)})`);
  const written = Number(row?.['n'] ?? 0);
  if (rows_in === sum && rows_landed === written) return;
  throw new LandingError(
    'damaged_landing',
    `${rows_in} rows came in; ${rows_landed} landed (${written} written), ${rows_quarantined} quarantined, ${rows_deduplicated} deduplicated, ${rows_filtered} filtered`,
    {
      file: receipt.origin.path ?? receipt.table,
      todo: 'This is a defect of landing: nothing was kept, report it with the file',
    },
  );
}

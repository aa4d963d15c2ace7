// A receipt's facts about the written file: its time range, and the check that no row is missing.

import type { RawTable } from '../../define/raw-table.ts';
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { IngestError } from '../errors.ts';
import type { Receipt } from '../receipts/receipt.ts';

export interface WrittenRows {
  readonly rows: number;
  /** Instants; 0 ("never") is ignored. */
  readonly first: number | null;
  readonly last: number | null;
}

export async function countRows(db: DuckDb, table: RawTable, path: string): Promise<WrittenRows> {
  const time = quoted(table.time);
  const [row] = await db.rows(`select count(*) as n, min(${time}) filter (where ${time} <> 0) as first,
    max(${time}) filter (where ${time} <> 0) as last from read_parquet(${literal(path)})`);
  const orNull = (name: string) =>
    row?.[name] === null || row?.[name] === undefined ? null : Number(row[name]);
  return { rows: Number(row?.['n'] ?? 0), first: orNull('first'), last: orNull('last') };
}

/** No row may vanish: every incoming row landed, is in quarantine, is a repetition, or was filtered out. */
export function assertCounts(receipt: Receipt, written: number): void {
  const { rows_in, rows_landed, rows_quarantined, rows_deduplicated, rows_filtered = 0 } = receipt;
  const sum = rows_landed + rows_quarantined + rows_deduplicated + rows_filtered;
  if (rows_in === sum && rows_landed === written) return;
  throw new IngestError(
    'damaged_landing',
    `${rows_in} rows came in; ${rows_landed} landed (${written} written), ${rows_quarantined} quarantined, ${rows_deduplicated} deduplicated, ${rows_filtered} filtered`,
    {
      file: receipt.origin.path ?? receipt.table,
      todo: 'This is a bug in landing. Nothing was kept; report it with the file',
    },
  );
}

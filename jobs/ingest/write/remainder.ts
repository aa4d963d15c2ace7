// What is left of a batch when its rows in a range of time are superseded: a batch with the other rows, and with all of its refused rows.
import { join } from 'node:path';
import type { RawTable } from '../../define/raw-table.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import { seal } from '../receipts/checked-files.ts';
import type { Origin, Receipt, Supersession } from '../receipts/receipt.ts';
import type { IngestTools } from '../batch.ts';
import { successorName } from './batch-name.ts';
import { dayFolder, dayOf, temporaryPath } from '../data-folder.ts';
import { countRows } from './land-batch.ts';

export interface Parted {
  readonly receipt: Receipt;
  /** Absolute path of its rows. */
  readonly file: string;
  readonly supersession: string;
  readonly range: Supersession['range'];
}

/** Lands the remainder of a batch. Does nothing if all of its rows are in the range and none was refused. */
export async function landRemainder(tools: IngestTools, table: RawTable, parted: Parted): Promise<void> {
  const { receipt, file, supersession, range } = parted;
  const { db, folder, receipts } = tools;
  const batch = successorName(supersession, receipt.batch);
  const path = temporaryPath(`${batch}.parquet`);
  await db.execute(
    `copy (select * from read_parquet(${literal(file)}, hive_partitioning = false) where not (${insideSql(table, range)}))
     to ${literal(join(folder.dir, path))} (format parquet, compression zstd)`,
  );
  const written = await countRows(db, table, join(folder.dir, path));
  if (written.rows === 0 && receipt.rows_quarantined === 0) return;
  const name = join(dayFolder(table.name, dayOf(receipt.interval.to)), `${batch}.parquet`);
  const isEmpty = written.rows === 0;
  const remainder: Receipt = {
    ...receipt,
    batch,
    rows_landed: written.rows,
    rows_filtered: (receipt.rows_filtered ?? 0) + receipt.rows_landed - written.rows,
    file: isEmpty ? null : name,
    file_sha256: isEmpty ? null : await seal(folder, path),
    first_time: written.first,
    last_time: written.last,
    origin: { ...receipt.origin, kind: 'remainder', stamp: null },
    origins: originsOf(receipt),
    landed_with: supersession,
    stands_for: [receipt.batch, ...(receipt.replaces ?? []), ...(receipt.stands_for ?? [])],
  };
  const { replaces: _, ...whole } = remainder;
  await receipts.commit(whole, isEmpty ? [] : [{ from: path, to: name }]);
}

/** SQL for a row in the range. Rows without a time, which have 0, are in no bounded range. */
export function insideSql({ time }: RawTable, { from, to }: Supersession['range']): string {
  const bounds = [
    ...(from === null ? [] : [`${quoted(time)} >= ${from}`]),
    ...(to === null ? [] : [`${quoted(time)} < ${to}`]),
    ...(from === null && to === null ? [] : [`${quoted(time)} <> 0`]),
  ];
  return bounds.length === 0 ? 'true' : bounds.join(' and ');
}

/** How its refused rows were read. */
function originsOf({ batch, origin, origins = {}, replaces, rows_quarantined }: Receipt): {
  readonly [batch: string]: Origin;
} {
  return rows_quarantined > 0 && replaces === undefined ? { ...origins, [batch]: origin } : origins;
}

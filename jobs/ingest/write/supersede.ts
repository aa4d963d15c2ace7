// Puts batches that landed in a draft, a landing folder of their own, in the place of batches that count. Everything is written before the
// receipt of the supersession, which commits it. If only rows in a range of time are superseded, the rest of a batch lands again.
import { join } from 'node:path';
import type { RawTable } from '../../define/raw-table.ts';
import { literal, quoted } from '../../engine/sql-text.ts';
import type { IngestTools } from '../batch.ts';
import {
  type DataFolder,
  dayFolder,
  dayOf,
  quarantinePath,
  removeQuietly,
  temporaryPath,
  writeTemporary,
} from '../data-folder.ts';
import { IngestError } from '../errors.ts';
import { nodeSourceFiles } from '../read/source-files.ts';
import { hashOfFile, seal } from '../receipts/checked-files.ts';
import type { Origin, Receipt, SupersedingReceipt, Supersession } from '../receipts/receipt.ts';
import type { Move, NewBatch } from '../receipts/receipts.ts';
import { successorName } from './batch-name.ts';
import { countRows } from './land-batch.ts';

export interface DraftBatch {
  readonly receipt: Receipt;
  /** The data folder of the draft. */
  readonly dir: string;
}

export async function supersede(
  { folder, receipts }: Pick<IngestTools, 'folder' | 'receipts'>,
  receipt: SupersedingReceipt,
  batches: readonly DraftBatch[],
): Promise<void> {
  const made: string[] = [];
  try {
    const successors: NewBatch[] = [];
    for (const { receipt: successor, dir } of batches) {
      const files: Move[] = [];
      for (const copy of copiesOf(successor)) {
        made.push(temporaryPath(copy.name));
        await bring(folder, dir, copy);
        files.push({ from: temporaryPath(copy.name), to: copy.path });
      }
      successors.push({ receipt: successor, files });
    }
    await receipts.supersede(receipt, successors);
  } finally {
    await removeQuietly(folder, made);
  }
}

interface DraftFile {
  /** Name under which it is written first. */
  readonly name: string;
  /** Relative to either data folder. */
  readonly path: string;
  readonly sha256: string;
}

/** The rows of a batch, and its refused rows. Those of another batch, which a remainder keeps, are in place already. */
function copiesOf({ table, batch, file, file_sha256, quarantine_files = {} }: Receipt): DraftFile[] {
  const refused = quarantine_files[batch];
  return [
    ...(file === null || file_sha256 === null
      ? []
      : [{ name: `${batch}.parquet`, path: file, sha256: file_sha256 }]),
    ...(refused === undefined
      ? []
      : [{ name: `${batch}.ndjson`, path: quarantinePath(table, batch), sha256: refused }]),
  ];
}

async function bring(folder: DataFolder, dir: string, { name, path, sha256 }: DraftFile): Promise<void> {
  const copy = await writeTemporary(folder, name, nodeSourceFiles.read(join(dir, path)));
  if ((await hashOfFile(join(folder.dir, copy))) === sha256) return;
  throw new IngestError('disk_error', 'the copy of a file that was just written differs from it', {
    file: join(dir, path),
    todo: 'Check the disk and run again. Nothing was changed',
  });
}

export interface BatchPart {
  readonly receipt: Receipt;
  /** Absolute path of its rows. */
  readonly file: string;
  readonly supersession: string;
  readonly range: Supersession['range'];
}

/**
 * Lands what is left of a batch when its rows in a range of time are superseded: the other rows, and all of its refused rows. Does nothing if all of its rows are in the range and none was refused.
 */
export async function landRemainder(tools: IngestTools, table: RawTable, parted: BatchPart): Promise<void> {
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
function insideSql({ time }: RawTable, { from, to }: Supersession['range']): string {
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

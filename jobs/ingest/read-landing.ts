// Read access to landing, for the writer and for readers.
import { basename, join } from 'node:path';
import type { RawTable } from '../define/raw-table.ts';
import { list } from '../engine/duckdb/landed-sql.ts';
import type { DuckDb } from '../engine/duckdb/session.ts';
import type { Row } from '../engine/rows.ts';
import type { DataFolder } from './data-folder.ts';
import { type ListedRow, type QuarantineFilter, readQuarantine } from './quarantine/quarantine.ts';
import { landedFiles, type Receipt, type SupersedingReceipt } from './receipts/receipt.ts';
import { ReceiptStore } from './receipts/receipts.ts';

/** Read access to landing. */
export interface LandedFiles {
  /** Valid receipts, oldest fetch first. */
  receipts(table?: string): readonly Receipt[];
  /** Superseded batches, oldest fetch first. */
  superseded(table: string): readonly Receipt[];
  /** Oldest first. */
  supersessions(): readonly SupersedingReceipt[];
  /** Absolute paths of a table's Parquet files. */
  files(table: string): readonly string[];
  /** Absolute path of a batch's Parquet file; null when no row landed. */
  fileOf(receipt: Receipt): string | null;
  /** Call this before and after reading rows from these files. @throws IngestError when one is not what landed. */
  check(files: readonly string[]): Promise<void>;
  /** sha256 of one of `files` when it landed. */
  sha256Of(file: string): string | null;
  /** Rows of one of `files`. */
  rowsOf(file: string): number | null;
  /** Whether this Parquet file landed, with this hash if one is given. True even if it has been compacted or superseded since. */
  isKnown(name: string, sha256: string | null): boolean;
}

/** Read access to landing and to the rows that were refused. */
export interface LandingContents extends LandedFiles {
  listQuarantine(filter?: QuarantineFilter): AsyncIterable<ListedRow>;
}

/** Reads what has landed and changes nothing, even while another process is landing. */
export async function readLanding(folder: DataFolder): Promise<LandingContents> {
  const receipts = await ReceiptStore.read(folder);
  const listQuarantine = (filter: QuarantineFilter = {}) => readQuarantine(folder, receipts, filter);
  return { ...landedRows(folder, receipts), listQuarantine };
}

export function landedRows(folder: DataFolder, receipts: ReceiptStore): LandedFiles {
  const batchOf = (file: string) => receipts.find(basename(file, '.parquet'));
  return {
    receipts: (table) => receipts.all(table),
    superseded: (table) => receipts.superseded(table),
    supersessions: () => receipts.supersessions(),
    files: (table) => landedFiles(receipts.all(table)).map(({ path }) => join(folder.dir, path)),
    fileOf: ({ file }) => (file === null ? null : join(folder.dir, file)),
    check: (files) => receipts.checkFiles(landedFiles(files.flatMap((file) => batchOf(file) ?? []))),
    sha256Of: (file) => batchOf(file)?.file_sha256 ?? null,
    rowsOf: (file) => batchOf(file)?.rows_landed ?? null,
    isKnown: (name, sha256) => {
      const receipt = batchOf(name);
      const isItself = receipt?.batch === basename(name, '.parquet') && sha256 !== null;
      return receipt !== undefined && (!isItself || receipt.file_sha256 === sha256);
    },
  };
}

/** A sample of a table's landed rows, for display. */
export async function landedSample(
  db: DuckDb,
  landing: LandedFiles,
  { table, rows }: { readonly table: RawTable; readonly rows: number },
): Promise<readonly Row[]> {
  const files = landing.files(table.name);
  if (files.length === 0) return [];
  return db.rows(`select * from read_parquet(${list(files)}, union_by_name = true) limit ${rows}`);
}

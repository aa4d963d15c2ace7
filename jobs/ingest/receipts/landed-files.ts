// The files that receipts name, with their recorded hashes.

import { quarantinePath } from '../data-folder.ts';
import type { LandedFile } from './checked-files.ts';
import type { Receipt } from './receipt.ts';

/** The Parquet files of these batches. */
export const landedFiles = (receipts: readonly Receipt[]): LandedFile[] =>
  receipts.flatMap(({ file, file_sha256: sha256 }) =>
    file === null || sha256 === null ? [] : [{ path: file, sha256 }],
  );

/** The quarantine files of these batches and of those they replace. */
export const quarantineFiles = (receipts: readonly Receipt[]): LandedFile[] =>
  receipts.flatMap(({ table, quarantine_files = {} }) =>
    Object.entries(quarantine_files).map(([batch, sha256]) => ({
      path: quarantinePath(table, batch),
      sha256,
    })),
  );

// Puts batches that landed in a draft, a landing folder of their own, in the place of batches that count. Everything is written before the
// receipt of the supersession, which commits it.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { IngestError } from '../errors.ts';
import { hashOfFile } from '../receipts/checked-files.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { Move, NewBatch } from '../receipts/receipts.ts';
import type { SupersedingReceipt } from '../receipts/supersession.ts';
import type { IngestTools } from '../batch.ts';
import {
  type DataFolder,
  quarantinePath,
  removeQuietly,
  temporaryPath,
  writeTemporary,
} from '../data-folder.ts';

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
  const copy = await writeTemporary(folder, name, createReadStream(join(dir, path)));
  if ((await hashOfFile(join(folder.dir, copy))) === sha256) return;
  throw new IngestError('disk_error', 'the copy of a file that was just written differs from it', {
    file: join(dir, path),
    todo: 'Check the disk and run again. Nothing was changed',
  });
}

// Checks landed files against the hashes in their receipts before anything is read from them. A file is hashed once, and again when it
// changes.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../../platform/storage/disk.ts';
import { IngestError, writeError } from '../errors.ts';
import type { DataFolder } from '../data-folder.ts';
import { nodeSourceFiles } from '../read/source-files.ts';

const CHUNK_BYTES = 1 << 20;

/** sha256 in hex of a file given by its absolute path. Loops over one buffer, because a stream costs a millisecond per small file. */
export async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(Math.min((await handle.stat()).size + 1, CHUNK_BYTES));
    for (let read = await handle.read(buffer); read.bytesRead > 0; read = await handle.read(buffer))
      hash.update(buffer.subarray(0, read.bytesRead));
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** Syncs the file and resolves to its sha256. */
export async function seal({ disk, dir }: DataFolder, path: string): Promise<string> {
  const file = join(dir, path);
  try {
    await disk.syncFolder(file);
  } catch (error) {
    throw writeError(error, file);
  }
  return hashOfFile(file);
}

/** A file and the hash it had when it landed. The path is relative to the data folder. */
export interface LandedFile {
  readonly path: string;
  readonly sha256: string;
}

/** Describes what is wrong with a landed file; null when it is intact. */
export async function faultOfFile({ dir }: DataFolder, { path, sha256 }: LandedFile): Promise<string | null> {
  try {
    const actual = await hashOfFile(join(dir, path));
    return actual === sha256 ? null : `it is not the file that was written: sha256 ${actual}, not ${sha256}`;
  } catch (error) {
    if (isMissing(error)) return `it is missing (sha256 ${sha256})`;
    throw error;
  }
}

export const RESTORE = 'Restore it from a backup and run again; published data is unchanged';

export class CheckedFiles {
  readonly #folder: DataFolder;
  /** Path -> stamp and hash of the file when it was found intact. */
  readonly #sound = new Map<string, string>();

  constructor(folder: DataFolder) {
    this.#folder = folder;
  }

  /** @throws IngestError for the first file that is missing or altered. Costs one stat per unchanged file. */
  async check(files: readonly LandedFile[]): Promise<void> {
    for (const file of files) {
      const mark = await this.#mark(file);
      if (mark !== null && this.#sound.get(file.path) === mark) continue;
      const fault = await faultOfFile(this.#folder, file);
      if (fault !== null) {
        throw new IngestError('damaged_landing', fault, {
          file: join(this.#folder.dir, file.path),
          todo: RESTORE,
        });
      }
      // The mark is taken before hashing: a file that changes in between is hashed again.
      if (mark !== null) this.#sound.set(file.path, mark);
    }
  }

  async #mark({ path, sha256 }: LandedFile): Promise<string | null> {
    try {
      return `${(await nodeSourceFiles.stat(join(this.#folder.dir, path))).stamp} ${sha256}`;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

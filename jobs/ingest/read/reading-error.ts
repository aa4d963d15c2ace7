// Attributes an engine failure while reading a source to the source, our disk, or the engine itself.
import type { DuckDb } from '../../engine/duckdb/session.ts';
import { IngestError, writeError } from '../errors.ts';

export interface Reader {
  readonly db: DuckDb;
  /** The data folder. */
  readonly dir: string;
  readonly file: string;
  readonly format: string | null;
}

/** Returns the error to throw instead. */
export async function readingError(error: unknown, { db, dir, file, format }: Reader): Promise<unknown> {
  if (error instanceof IngestError || (await isEngineLost(db))) return error;
  const message = error instanceof Error ? error.message : String(error);
  const refused = /^IO Error: [^"\n]*"([^"\n]+)": /m.exec(message)?.[1];
  // Besides the source, the engine opens only files of ours: those that it writes, and those that it wrote before.
  if (refused !== undefined && refused !== file) return writeError(error, refused);
  if (/no space left|quota exceeded|could not write/i.test(message)) return writeError(error, dir);
  if (/out of memory/i.test(message)) return error;
  return new IngestError('unreadable_file', `it cannot be read as ${format}`, {
    file,
    todo: 'Correct the file, or the "format" of its source',
    cause: error,
  });
}

/** An unreadable file leaves the engine usable; damage to the warehouse does not. */
const isEngineLost = (db: DuckDb): Promise<boolean> =>
  db.rows('select 1').then(
    () => false,
    () => true,
  );

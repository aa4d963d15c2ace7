// A lock between processes on one machine. It ensures that one process works on a data folder and one dispatches webhooks, and shows that
// the holder of a claim is alive. The kernel releases the lock when its holder ends for any reason, so no lock is ever stale. SQLite's own
// locks work this way on every system. Readers of a published folder hold leases instead (`snapshots/leases.ts`), because they may run on
// other machines and may lack write access.
import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Primary result codes, https://sqlite.org/rescode.html. */
const BUSY = new Set([5, 6]);
const NOT_A_LOCK_FILE = new Set([11, 26]);

/** The primary result code; undefined if the error is not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

const isOneOf = (codes: ReadonlySet<number>, error: unknown) => codes.has(sqliteCode(error) ?? -1);

export interface ProcessLock {
  release(): void;
}

/** Takes the lock on a file and creates the file if missing. Returns null if another holder has the lock. The folder must exist. */
export function takeProcessLock(file: string): ProcessLock | null {
  try {
    return lockFile(file);
  } catch (error) {
    if (isOneOf(BUSY, error)) return null;
    if (!isOneOf(NOT_A_LOCK_FILE, error))
      throw new Error(
        `The lock file ${file} cannot be opened (${error instanceof Error ? error.message : error}). Remove what stands in its place, or give this user the right to write in its folder.`,
        { cause: error },
      );
    // Nothing is ever written to the file, so any content is damage.
    truncateSync(file, 0);
    return takeProcessLock(file);
  }
}

function lockFile(file: string): ProcessLock {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    // Avoids a journal file.
    db.exec('pragma journal_mode = memory; begin exclusive');
    return { release: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

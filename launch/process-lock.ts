// The lock between processes on one machine: one process works on a data folder, one dispatches webhooks, and each that claims something
// shows that it is alive. The kernel releases the lock when its holder ends, however it ends, so no lock is ever stale. SQLite's own locks
// work this way on every system. Readers of a published folder hold leases instead (`snapshots/leases.ts`): they may run on other machines
// and may not be allowed to write.
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

/** Takes the lock on a file, which is created if missing. Returns null if another holder has it. The folder must exist. */
export function takeProcessLock(file: string): ProcessLock | null {
  try {
    return lockFile(file);
  } catch (error) {
    if (isOneOf(BUSY, error)) return null;
    if (!isOneOf(NOT_A_LOCK_FILE, error)) throw error;
    // Nothing is ever written to the file: any content is damage.
    truncateSync(file, 0);
    return takeProcessLock(file);
  }
}

function lockFile(file: string): ProcessLock {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    // Without a journal file.
    db.exec('pragma journal_mode = memory; begin exclusive');
    return { release: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

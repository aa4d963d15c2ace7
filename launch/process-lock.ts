// The lock between processes of one machine: one works on a data folder, one dispatches webhooks, each that claims something shows that it
// is alive. The kernel frees it when its holder ends, however it ends, so none is ever stale. SQLite's own locks do this on every system.
// Readers of a published folder hold leases instead (`snapshots/leases.ts`): they may run on other machines and have no right to write.
import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Primary result codes, https://sqlite.org/rescode.html. */
const BUSY = new Set([5, 6]);
const NOT_A_LOCK_FILE = new Set([11, 26]);

/** The primary result code; undefined of an error that is not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

const isOneOf = (codes: ReadonlySet<number>, error: unknown) => codes.has(sqliteCode(error) ?? -1);

export interface ProcessLock {
  release(): void;
}

/** Takes the lock of a file, which is created when it is missing. Null: another holder has it. The folder must exist. */
export function takeProcessLock(file: string): ProcessLock | null {
  try {
    return lockFile(file);
  } catch (error) {
    if (isOneOf(BUSY, error)) return null;
    if (!isOneOf(NOT_A_LOCK_FILE, error)) throw error;
    // Nothing is ever written to it: what is in it is damage.
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

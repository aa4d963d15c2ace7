// Opens a file store exclusively: while it is open, no other process can read or change it, and a process that already has it open is
// detected.
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Sealer } from '../seal.ts';
import { migrationSteps, stepOf } from '../sqlite/migrate.ts';
import { isBusy } from '../sqlite/sqlite-errors.ts';
import { connectSqlite, SqliteFile } from '../sqlite/sqlite-file.ts';
import { type SessionClock, SqliteSession } from '../sqlite/sqlite-session.ts';
import { StoreUnavailableError } from '../store.ts';
import { StoreGuard } from '../store-guard.ts';

export interface FileAlone {
  readonly db: DatabaseSync;
  readonly session: SqliteSession;
}

/**
 * `close` the session to let others in again.
 * @throws StoreUnavailableError for a store that is missing, in use, of another version or another seal key, or older than the head of its
 * audit log.
 */
export async function openAlone(path: string, sealer: Sealer, clock: SessionClock): Promise<FileAlone> {
  if (!existsSync(path)) throw new StoreUnavailableError(`There is no store ${path}.`);
  const opened: DatabaseSync[] = [];
  const steps = migrationSteps();
  const connect = () => {
    const db = connectAlone(path, steps.length);
    opened.push(db);
    return db;
  };
  const guard = new StoreGuard(path, sealer);
  const session = new SqliteSession(new SqliteFile(path, { connect, steps, guard }), clock);
  try {
    await guard.establish(session);
    const db = opened.at(-1);
    if (db === undefined) throw new Error(`${path} was read without a connection.`);
    return { db, session };
  } catch (error) {
    await session.close();
    throw error;
  }
}

function connectAlone(path: string, known: number): DatabaseSync {
  const db = connectSqlite(path);
  try {
    // Set before the first access, this takes a lock that conflicts with every other open connection.
    db.exec('pragma locking_mode = exclusive; begin immediate; rollback');
    if (stepOf(db, path, known) < known)
      throw new StoreUnavailableError(
        `The store ${path} was written by an older version of this service. Start a server of this version on it once, then stop it.`,
      );
    return db;
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new StoreUnavailableError(
      `The store ${path} is in use by another process. Stop every server and command that uses it.`,
      { cause: error },
    );
  }
}

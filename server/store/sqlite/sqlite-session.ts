// Reads and transactions on one connection. Requests of one process are serialized; against other processes, a locked file is retried for a
// while without blocking other work. A transaction never stays open while the process does other work.
import { serialQueue } from '../../../platform/base/tasks.ts';
import { runInTransaction } from '../tables/open-transaction.ts';
import type { Connection, Session } from '../tables/session.ts';
import { isBusy, isConnectionSuspect, storeErrorOf } from './sqlite-errors.ts';
import type { Sync } from '../store.ts';
import type { SqliteConnection, SqliteFile } from './sqlite-file.ts';

export interface SessionClock {
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** How long a locked store is retried before the request is refused as temporarily unavailable. */
const PATIENCE_MS = 1_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** `soon`: on disk with the next change that is synced. */
type SyncMoment = Sync | 'soon';

export class SqliteSession implements Session {
  readonly #file: SqliteFile;
  readonly #clock: SessionClock;
  readonly #transactions = serialQueue();
  /** Settles when the connection is free. */
  #use: Promise<void> | undefined;

  constructor(file: SqliteFile, clock: SessionClock) {
    this.#file = file;
    this.#clock = clock;
  }

  read<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#patiently(this.#deadlineMs(), async () => work(await this.#file.connection()));
  }

  write<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#inTurn(work);
  }

  writeSoon<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#inTurn(work, 'soon');
  }

  transact<T>(work: (session: Session) => Promise<T>, sync?: Sync): Promise<T> {
    const errorOf = (error: unknown) => storeErrorOf(error, this.#file.path);
    return this.#inTurn((db) => runInTransaction(db, work, errorOf), sync);
  }

  /** Waits for reads and transactions in progress. */
  async close(): Promise<void> {
    await this.#transactions(async () => undefined);
    while (this.#use !== undefined) await this.#use;
    this.#file.close();
  }

  #deadlineMs(): number {
    return this.#clock.steadyMs() + PATIENCE_MS;
  }

  #inTurn<T>(work: (db: Connection) => Promise<T>, sync: SyncMoment = 'within'): Promise<T> {
    const deadlineMs = this.#deadlineMs();
    return this.#transactions(async () => {
      let hasBegun = false;
      const attempt = async () => {
        const connection = await this.#file.connection();
        connection.db.exec(`pragma synchronous = ${sync === 'within' ? 'full' : 'normal'}`);
        connection.db.exec('begin immediate');
        hasBegun = true;
        const result = await commit(connection, work);
        if (sync === 'aside') await this.#file.sync();
        // Unsynced changes may be lost, which would leave the head ahead of the log.
        if (sync !== 'soon' && connection.isAuditAhead) await connection.guard.advance(connection);
        return result;
      };
      return this.#patiently(deadlineMs, attempt, () => !hasBegun);
    });
  }

  /**
   * Gives one caller at a time the connection, so that reads never see uncommitted data. Work that waited until the deadline gets one try.
   */
  async #patiently<T>(deadlineMs: number, attempt: () => Promise<T>, mayRetry = () => true): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      while (this.#use !== undefined) await this.#use;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#use = promise;
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error) || !mayRetry() || this.#clock.steadyMs() >= deadlineMs) throw this.#failure(error);
      } finally {
        this.#use = undefined;
        resolve();
      }
      await this.#clock.wait(pauseMs);
    }
  }

  /** Call this only while no transaction is open, because dropping the connection would end it. */
  #failure(error: unknown): unknown {
    if (isConnectionSuspect(error)) this.#file.drop();
    return storeErrorOf(error, this.#file.path);
  }
}

async function commit<T>(connection: SqliteConnection, work: (db: Connection) => Promise<T>): Promise<T> {
  const { db } = connection;
  try {
    const result = await work(connection);
    db.exec('commit');
    return result;
  } finally {
    if (db.isTransaction) db.exec('rollback');
  }
}

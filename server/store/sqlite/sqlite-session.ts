// Reads and transactions on one connection. Requests of one process take turns; against other processes a locked file is retried
// for a while without blocking other work. A transaction never stays open while the process does other work.
import { isBusy, isConnectionSuspect, storeErrorOf } from './sqlite-errors.ts';
import type { Connection, SqliteFile } from './sqlite-file.ts';

/** What a table needs: outside a transaction each `write` is one; inside, it is a part of it. */
export interface Session {
  read<T>(work: (db: Connection) => T): Promise<T>;
  write<T>(work: (db: Connection) => T): Promise<T>;
  /**
   * Like `write`, without waiting for the disk: survives a crash of the process, but is lost, with everything after it, if the power
   * fails before the next `write`. For changes that are repeated when they are missing.
   */
  writeSoon<T>(work: (db: Connection) => T): Promise<T>;
}

export interface SessionClock {
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** How long a locked store is retried before the request is refused as temporarily unavailable. */
const PATIENCE_MS = 1_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

export class SqliteSession implements Session {
  readonly #file: SqliteFile;
  readonly #clock: SessionClock;
  /** Settles when the last requested transaction has ended. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Settles when the transaction that is open now has ended. */
  #open: Promise<unknown> | undefined;

  constructor(file: SqliteFile, clock: SessionClock) {
    this.#file = file;
    this.#clock = clock;
  }

  read<T>(work: (db: Connection) => T): Promise<T> {
    return this.#patiently(this.#clock.steadyMs() + PATIENCE_MS, () => work(this.#file.connection()));
  }

  write<T>(work: (db: Connection) => T): Promise<T> {
    return this.#inTurn((db) => work(db));
  }

  writeSoon<T>(work: (db: Connection) => T): Promise<T> {
    return this.#inTurn((db) => work(db), 'normal');
  }

  transact<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#inTurn(async (db) => {
      const session = new OpenTransaction(db, this.#file.path);
      try {
        return await withinThisTurn(work(session));
      } finally {
        session.end();
      }
    });
  }

  /** Waits for transactions under way. */
  async close(): Promise<void> {
    await this.#turn;
    this.#file.close();
  }

  #inTurn<T>(work: (db: Connection) => T | Promise<T>, synchronous: 'full' | 'normal' = 'full'): Promise<T> {
    const deadlineMs = this.#clock.steadyMs() + PATIENCE_MS;
    const result = this.#turn.then(async () => {
      const { connection, end } = await this.#patiently(deadlineMs, () => this.#begin(synchronous));
      try {
        const result = await commit(connection, work);
        // Unsynced changes may be lost, and the head would then be ahead of the log.
        if (synchronous === 'full' && connection.isAuditAhead) connection.guard.advance(connection);
        return result;
      } catch (error) {
        throw this.#failure(error);
      } finally {
        end();
      }
    });
    this.#turn = result.then(ignore, ignore);
    return result;
  }

  /** Makes reads wait, so that they do not see uncommitted changes. */
  #begin(synchronous: 'full' | 'normal'): { readonly connection: Connection; readonly end: () => void } {
    const connection = this.#file.connection();
    connection.db.exec(`pragma synchronous = ${synchronous}`);
    connection.db.exec('begin immediate');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    const end = () => {
      this.#open = undefined;
      resolve();
    };
    return { connection, end };
  }

  /** Work that waited for its turn until the deadline still gets one try. */
  async #patiently<T>(deadlineMs: number, attempt: () => T): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      while (this.#open !== undefined) await this.#open;
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error) || this.#clock.steadyMs() >= deadlineMs) throw this.#failure(error);
      }
      await this.#clock.wait(pauseMs);
    }
  }

  /** Only called while no transaction is open: dropping the connection would end it. */
  #failure(error: unknown): unknown {
    if (isConnectionSuspect(error)) this.#file.drop();
    return storeErrorOf(error, this.#file.path);
  }
}

async function commit<T>(connection: Connection, work: (db: Connection) => T | Promise<T>): Promise<T> {
  const { db } = connection;
  try {
    const result = await work(connection);
    db.exec('commit');
    return result;
  } finally {
    if (db.isTransaction) db.exec('rollback');
  }
}

/** The tables within a `transact`. A part that fails is undone, even when `work` continues after it. */
class OpenTransaction implements Session {
  readonly #db: Connection;
  readonly #path: string;
  #hasEnded = false;

  constructor(db: Connection, path: string) {
    this.#db = db;
    this.#path = path;
  }

  async read<T>(work: (db: Connection) => T): Promise<T> {
    if (this.#hasEnded) throw new Error('The transaction has ended.');
    try {
      return work(this.#db);
    } catch (error) {
      throw storeErrorOf(error, this.#path);
    }
  }

  write<T>(work: (db: Connection) => T): Promise<T> {
    return this.read((db) => {
      db.db.exec('savepoint part');
      try {
        const result = work(db);
        db.db.exec('release part');
        return result;
      } catch (error) {
        if (db.db.isTransaction) db.db.exec('rollback to part; release part');
        throw error;
      }
    });
  }

  /** The whole transaction decides about the durability. */
  writeSoon<T>(work: (db: Connection) => T): Promise<T> {
    return this.write(work);
  }

  end(): void {
    this.#hasEnded = true;
  }
}

const ignore = () => undefined;

/** Refuses work that awaits anything but the store, which would let other requests run inside its transaction. */
async function withinThisTurn<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const turn = setImmediate(() =>
    reject(new Error('A transaction waits for nothing but the tables it is given.')),
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearImmediate(turn);
  }
}

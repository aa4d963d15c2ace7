// The tables within a `transact`, on a connection with an open transaction. Parts run one after another. A part that fails is undone, even
// if the work continues after it.
import { serialQueue } from '../../../platform/base/tasks.ts';
import type { Connection, Session } from './session.ts';

/** Maps a database error to a store error. */
export type ErrorOf = (error: unknown) => unknown;

/**
 * Runs work inside an open transaction. The caller commits, or rolls back if this throws. Work that awaits anything but the store is
 * refused, because it would block every other writer meanwhile.
 */
export async function runInTransaction<T>(
  db: Connection,
  work: (session: Session) => Promise<T>,
  errorOf: ErrorOf,
): Promise<T> {
  const session = new OpenTransaction(db, errorOf);
  try {
    return await Promise.race([work(session), session.idle]);
  } finally {
    await session.end();
  }
}

class OpenTransaction implements Session {
  readonly #db: Connection;
  readonly #errorOf: ErrorOf;
  /** Rejects if the work awaits anything but the store. */
  readonly idle: Promise<never>;
  readonly #refuse: (error: Error) => void;
  readonly #inTurn = serialQueue();
  #parts = 0;
  #check: NodeJS.Immediate | undefined;
  #hasEnded = false;

  constructor(db: Connection, errorOf: ErrorOf) {
    this.#db = db;
    this.#errorOf = errorOf;
    const { promise, reject } = Promise.withResolvers<never>();
    this.idle = promise;
    this.#refuse = reject;
    this.#checkSoon();
  }

  read<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#part(async () => {
      try {
        return await work(this.#db);
      } catch (error) {
        throw this.#errorOf(error);
      }
    });
  }

  write<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.read(async (db) => {
      await db.run('savepoint part');
      try {
        const result = await work(db);
        await db.run('release savepoint part');
        return result;
      } catch (error) {
        // If the failure ended the whole transaction, there is no savepoint left.
        await db.run('rollback to savepoint part').then(() => db.run('release savepoint part'), ignore);
        throw error;
      }
    });
  }

  /** The enclosing transaction determines durability. */
  writeSoon<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.write(work);
  }

  /** Waits for the part in progress, because nothing may run after the transaction. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearImmediate(this.#check);
    await this.#inTurn(async () => undefined);
  }

  #part<T>(work: () => Promise<T>): Promise<T> {
    this.#parts += 1;
    return this.#inTurn(async () => {
      try {
        if (this.#hasEnded) throw new Error('The transaction has ended.');
        return await work();
      } finally {
        // Before the work continues: whatever it awaits next comes after this check.
        this.#parts -= 1;
        this.#checkSoon();
      }
    });
  }

  #checkSoon(): void {
    clearImmediate(this.#check);
    if (this.#hasEnded) return;
    this.#check = setImmediate(() => {
      if (this.#parts === 0)
        this.#refuse(new Error('A transaction may await only the tables that it is given.'));
    });
  }
}

const ignore = () => undefined;

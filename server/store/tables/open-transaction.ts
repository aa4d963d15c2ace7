// The tables within a `transact`, on a connection whose transaction is open. Parts run one after another. A part that fails is undone,
// even when the work continues after it.
import type { Connection, Session } from './session.ts';

/** Maps an error of the database to one of the store. */
export type ErrorOf = (error: unknown) => unknown;

/**
 * Runs work inside an open transaction; the caller commits, or rolls back when this throws. Work that awaits anything but the store is
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
  /** Rejects when the work awaits anything but the store. */
  readonly idle: Promise<never>;
  readonly #refuse: (error: Error) => void;
  /** Settles when the last requested part has ended. */
  #turn: Promise<unknown> = Promise.resolve();
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
        // A failure that ended the whole transaction has left no savepoint.
        await db.run('rollback to savepoint part').then(() => db.run('release savepoint part'), ignore);
        throw error;
      }
    });
  }

  /** The whole transaction decides about the durability. */
  writeSoon<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.write(work);
  }

  /** Waits for the part under way: nothing may run after the transaction. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearImmediate(this.#check);
    await this.#turn;
  }

  #part<T>(work: () => Promise<T>): Promise<T> {
    this.#parts += 1;
    const result = this.#turn.then(async () => {
      try {
        if (this.#hasEnded) throw new Error('The transaction has ended.');
        return await work();
      } finally {
        // Before the work goes on: whatever it waits for next comes after this check.
        this.#parts -= 1;
        this.#checkSoon();
      }
    });
    this.#turn = result.then(ignore, ignore);
    return result;
  }

  #checkSoon(): void {
    clearImmediate(this.#check);
    if (this.#hasEnded) return;
    this.#check = setImmediate(() => {
      if (this.#parts === 0)
        this.#refuse(new Error('A transaction may wait only for the tables it is given.'));
    });
  }
}

const ignore = () => undefined;

// Reads and transactions on a pool. Writing transactions are serialized across all processes: each sees the previous one.
import type pg from 'pg';
import { isNetworkFault } from '../../../platform/postgres/pg-faults.ts';
import { type ErrorOf, runInTransaction } from '../tables/open-transaction.ts';
import type { Connection, Guard, Session } from '../tables/session.ts';
import { PgConnection } from './pg-connection.ts';

const BEGIN_READ = 'begin transaction isolation level repeatable read, read only';
/** Read committed: statements after the lock see what was committed while waiting for it. */
const BEGIN_WRITE = `begin; set local lock_timeout = '1s';
  select pg_advisory_xact_lock(hashtextextended(current_schema() || ' writer', 0))`;
/** The server reports success before the change is on disk. */
const SOON = '; set local synchronous_commit = off';

export class PgSession implements Session {
  readonly #pool: pg.Pool;
  readonly #guard: Guard;
  readonly #errorOf: ErrorOf;

  constructor(pool: pg.Pool, guard: Guard, errorOf: ErrorOf) {
    this.#pool = pool;
    this.#guard = guard;
    this.#errorOf = errorOf;
  }

  read<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#within(BEGIN_READ, work);
  }

  write<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#within(BEGIN_WRITE, work);
  }

  writeSoon<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#within(`${BEGIN_WRITE}${SOON}`, work);
  }

  transact<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.write((db) => runInTransaction(db, work, this.#errorOf));
  }

  /** Waits for reads and transactions in progress. */
  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #within<T>(begin: string, work: (db: Connection) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      const db = new PgConnection(client, this.#guard);
      await client.query(begin);
      const result = await work(db);
      await client.query('commit');
      if (db.isAuditAhead) await this.#guard.advance(db);
      client.release();
      return result;
    } catch (error) {
      if (client !== undefined) client.release(!(await canRollBack(client, error)));
      throw this.#errorOf(error);
    }
  }
}

/** Whether the connection can be reused. */
async function canRollBack(client: pg.PoolClient, error: unknown): Promise<boolean> {
  if (isNetworkFault(error)) return false;
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

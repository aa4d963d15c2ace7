// Reads and transactions on a pool. Writing transactions are serialized across all processes: each sees the previous one.
import type pg from 'pg';
import { isNetworkFault } from '../../../platform/postgres/pg-faults.ts';
import { type ErrorOf, runInTransaction } from '../tables/open-transaction.ts';
import type { Connection, Guard, Session, Row, Value } from '../tables/session.ts';

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

// Statements on one connection of the pool. A connection object lives for one read or transaction.

class PgConnection implements Connection {
  readonly guard: Guard;
  isAuditAhead = false;
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase, guard: Guard) {
    this.#client = client;
    this.guard = guard;
  }

  async get(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async all(sql: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  #query(sql: string, values: readonly Value[]): Promise<pg.QueryResult<Row>> {
    return this.#client.query<Row>(numbered(sql), values.map(sent));
  }
}

const NUMBERED = new Map<string, string>();

/** The statement with `$1`, `$2`, … in place of `?`. Statements are constants, so the cache stays small. */
function numbered(sql: string): string {
  let text = NUMBERED.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replaceAll('?', () => `$${++count}`);
    NUMBERED.set(sql, text);
  }
  return text;
}

/** The driver accepts bytes only as a Buffer. */
const sent = (value: Value) =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

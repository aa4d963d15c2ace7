// How processes learn about each other through PostgreSQL locks. A lock ends with the connection that holds it, so each process keeps one
// connection for its locks. A process that loses the connection no longer leads and has no claims.
import type pg from 'pg';
import { serialQueue } from '../../../platform/base/tasks.ts';
import type { Leadership, Presence } from '../processes.ts';
import { StoreUnavailableError } from '../store.ts';
import type { ErrorOf } from '../tables/open-transaction.ts';
import type { Connection } from '../tables/session.ts';

const KEY = `hashtextextended(current_schema() || ' ' || $1, 0)`;
const DISPATCHER = 'dispatcher';
const NAME = /^[A-Za-z0-9-]{1,64}$/;

export class PgProcesses implements Presence {
  readonly owner: string;
  readonly leadership: Leadership = { take: () => this.#take(DISPATCHER), leave: () => this.leave() };
  readonly #connect: () => pg.Client;
  readonly #errorOf: ErrorOf;
  #client: Promise<pg.Client> | undefined;
  readonly #lease = new Set<string>();
  /** A connection runs one statement at a time. */
  readonly #inTurn = serialQueue();

  /** `connect`: creates a client that is not yet connected. */
  constructor(owner: string, connect: () => pg.Client, errorOf: ErrorOf) {
    if (!NAME.test(owner))
      throw new Error(`${owner}: the name of a process consists of letters, digits and hyphens.`);
    this.owner = owner;
    this.#connect = connect;
    this.#errorOf = errorOf;
  }

  async enter(): Promise<void> {
    if (!(await this.#take(ownerLock(this.owner))))
      throw new StoreUnavailableError(`The lock of ${this.owner} is held by another connection.`);
  }

  async isAlive(owner: string, db: Connection): Promise<boolean> {
    if (owner === this.owner) return true;
    const sql = `select pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' ' || ?, 0)) as is_free`;
    return (await db.get(sql, ownerLock(owner)))?.['is_free'] !== true;
  }

  /** Ended processes leave nothing behind. */
  sweep(): void {}

  async leave(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#lease.clear();
    await client?.then((open) => open.end()).catch(() => undefined);
  }

  #take(name: string): Promise<boolean> {
    if (this.#lease.has(name)) return Promise.resolve(true);
    return this.#inTurn(() => this.#takeNow(name));
  }

  async #takeNow(name: string): Promise<boolean> {
    if (this.#lease.has(name)) return true;
    try {
      const client = await this.#connected();
      const { rows } = await client.query(`select pg_try_advisory_lock(${KEY}) as is_taken`, [name]);
      if (rows[0]?.is_taken !== true) return false;
      // The connection, and the lock with it, may have been lost in the meantime.
      if ((await this.#client) !== client) return false;
      this.#lease.add(name);
      return true;
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#opened();
    return this.#client;
  }

  async #opened(): Promise<pg.Client> {
    const client = this.#connect();
    const lost = () => {
      this.#lease.clear();
      this.#client = undefined;
    };
    client.on('error', lost).on('end', lost);
    try {
      await client.connect();
      return client;
    } catch (error) {
      lost();
      throw error;
    }
  }
}

const ownerLock = (owner: string) => `owner ${owner}`;

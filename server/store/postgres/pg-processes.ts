// What processes know of each other by locks of PostgreSQL. A lock ends with the connection that holds it, so each process keeps one
// connection for them; a process that loses the connection leads no more and has no claims.
import type pg from 'pg';
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
  readonly #held = new Set<string>();
  /** Settles when the last requested lock was tried: a connection runs one statement at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `connect`: makes a client that is not connected yet. */
  constructor(owner: string, connect: () => pg.Client, errorOf: ErrorOf) {
    if (!NAME.test(owner)) throw new Error(`${owner}: a process is named by letters, digits and hyphens.`);
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

  /** Nothing is left of ended processes. */
  sweep(): void {}

  async leave(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#held.clear();
    await client?.then((open) => open.end()).catch(() => undefined);
  }

  #take(name: string): Promise<boolean> {
    if (this.#held.has(name)) return Promise.resolve(true);
    const taking = this.#turn.then(() => this.#takeNow(name));
    this.#turn = taking.catch(() => undefined);
    return taking;
  }

  async #takeNow(name: string): Promise<boolean> {
    if (this.#held.has(name)) return true;
    try {
      const client = await this.#connected();
      const { rows } = await client.query(`select pg_try_advisory_lock(${KEY}) as is_taken`, [name]);
      if (rows[0]?.is_taken !== true) return false;
      // The connection may have been lost meanwhile, and the lock with it.
      if ((await this.#client) !== client) return false;
      this.#held.add(name);
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
      this.#held.clear();
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

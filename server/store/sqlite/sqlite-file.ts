// One connection to the database file: opens it, brings its tables up to date, keeps prepared statements, and opens it again when
// another file has taken its place. Knows nothing of transactions.
import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { migrate } from './migrate.ts';
import { makeOwnFolder } from '../own-folder.ts';
import { StoreUnavailableError } from '../store.ts';
import type { Connection, Guard, Row, Value } from '../tables/session.ts';

export type Connect = (path: string) => DatabaseSync;

const OWNER_ONLY_FILE = 0o600;

/** SQLite would wait for a lock by stopping the whole process, so it does not wait at all: the caller retries. */
export const connectSqlite: Connect = (path) => new DatabaseSync(path, { timeout: 0 });

export class SqliteConnection implements Connection {
  readonly db: DatabaseSync;
  readonly guard: Guard;
  isAuditAhead = false;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, guard: Guard) {
    this.db = db;
    this.guard = guard;
  }

  async get(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return this.#prepared(sql).get(...values);
  }

  async all(sql: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return this.#prepared(sql).all(...values);
  }

  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

export interface FileParts {
  readonly connect: Connect;
  /** SQL of the migrations. */
  readonly steps: readonly string[];
  readonly guard: Guard;
}

export class SqliteFile {
  readonly path: string;
  readonly #connect: Connect;
  readonly #steps: readonly string[];
  readonly #guard: Guard;
  #connection: SqliteConnection | undefined;
  #identity: string | undefined;
  #isClosed = false;

  constructor(path: string, { connect, steps, guard }: FileParts) {
    this.path = path;
    this.#connect = connect;
    this.#steps = steps;
    this.#guard = guard;
  }

  /**
   * The connection to the file that currently has the name. A missing file is not created again, since its content is lost; and a change
   * written to a deleted file would be lost.
   */
  async connection(): Promise<SqliteConnection> {
    if (this.#isClosed) throw new StoreUnavailableError(`The store ${this.path} was closed.`);
    if (this.#identity === undefined) makeFile(this.path);
    const identity = identityOf(this.path);
    if (this.#connection?.db.isOpen && identity === this.#identity) return this.#connection;
    this.drop();
    this.#connection = await this.#open();
    this.#identity = identity;
    return this.#connection;
  }

  /** The next use opens the file again. */
  drop(): void {
    const { db } = this.#connection ?? {};
    this.#connection = undefined;
    if (db?.isOpen) db.close();
  }

  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  async #open(): Promise<SqliteConnection> {
    const db = this.#connect(this.path);
    try {
      // Read first: a store on a read-only disk can still be inspected.
      const mode = db.prepare('pragma journal_mode').get()?.['journal_mode'];
      if (mode !== 'wal') db.exec('pragma journal_mode = wal');
      db.exec('pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off');
      migrate(db, this.path, this.#steps);
      const connection = new SqliteConnection(db, this.#guard);
      // Another file may have the name by now.
      await this.#guard.recheck(connection);
      return connection;
    } catch (error) {
      db.close();
      throw error;
    }
  }
}

/** SQLite gives `-wal` and `-shm` the permissions of this file. Permissions that were set on it are kept. */
export function makeFile(path: string): void {
  makeOwnFolder(dirname(path));
  try {
    closeSync(openSync(path, 'ax', OWNER_ONLY_FILE));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

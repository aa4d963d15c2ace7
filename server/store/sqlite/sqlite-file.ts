// One connection to the database file: opens it, migrates its tables, keeps prepared statements, and reopens it when another file has
// replaced it. Has no part in transactions.
import { closeSync, fdatasync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { migrate, type NoteUpgrade } from './migrate.ts';
import { makeOwnFolder } from '../own-folder.ts';
import { StoreUnavailableError } from '../store.ts';
import type { Connection, Guard, Row, Value } from '../tables/session.ts';

export type Connect = (path: string) => DatabaseSync;

/** Resolves when everything written to the descriptor's file is on disk. */
export type SyncFile = (descriptor: number) => Promise<void>;

const syncFile: SyncFile = promisify(fdatasync);

const OWNER_ONLY_FILE = 0o600;

/** SQLite would block the whole process while waiting for a lock, so it does not wait at all and the caller retries. */
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
  readonly sync?: SyncFile;
  /** SQL of the migrations. */
  readonly steps: readonly string[];
  readonly guard: Guard;
  readonly onUpgraded?: NoteUpgrade | undefined;
}

export class SqliteFile {
  readonly path: string;
  readonly #connect: Connect;
  readonly #sync: SyncFile;
  readonly #steps: readonly string[];
  readonly #guard: Guard;
  readonly #onUpgraded: NoteUpgrade | undefined;
  #connection: SqliteConnection | undefined;
  #identity: string | undefined;
  /** Descriptor of the file to which the connection's changes are written first. */
  #log: number | undefined;
  #isClosed = false;

  constructor(path: string, { connect, sync = syncFile, steps, guard, onUpgraded }: FileParts) {
    this.path = path;
    this.#connect = connect;
    this.#sync = sync;
    this.#steps = steps;
    this.#guard = guard;
    this.#onUpgraded = onUpgraded;
  }

  /**
   * The connection to the file that currently has the name. A missing file is not recreated, because its content is lost, and a change
   * written to a deleted file would be lost too.
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

  /**
   * Resolves when everything committed on the connection is on disk. The process can do other work meanwhile, whereas SQLite's own sync
   * would block it. After a failed sync it is unknown what is on disk, so the next use reopens the file.
   */
  async sync(): Promise<void> {
    try {
      this.#log ??= openSync(`${this.path}-wal`, 'r+');
      await this.#sync(this.#log);
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  /** The next use reopens the file. */
  drop(): void {
    const { db } = this.#connection ?? {};
    this.#connection = undefined;
    if (db?.isOpen) db.close();
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  async #open(): Promise<SqliteConnection> {
    const db = this.#connect(this.path);
    try {
      // Read first, so that a store on a read-only disk can still be inspected.
      const mode = db.prepare('pragma journal_mode').get()?.['journal_mode'];
      if (mode !== 'wal') db.exec('pragma journal_mode = wal');
      db.exec('pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off');
      migrate(db, this.path, this.#steps, this.#onUpgraded);
      const connection = new SqliteConnection(db, this.#guard);
      // Another file may have taken the name in the meantime.
      await this.#guard.recheck(connection);
      return connection;
    } catch (error) {
      db.close();
      throw error;
    }
  }
}

/** SQLite gives `-wal` and `-shm` the permissions of this file. Existing permissions of the file are kept. */
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

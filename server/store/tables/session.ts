// What the tables of a store build on, whatever the database: statements on one connection, inside a transaction or a read.
import { StoreUnavailableError } from '../store.ts';

export type Value = string | number | null | Uint8Array;
/** Integers are numbers, bytes are Uint8Array. */
export type Row = Readonly<Record<string, unknown>>;

/** Statements use `?` for each value in turn, and only SQL that SQLite and PostgreSQL interpret in the same way. */
export interface Connection {
  readonly guard: Guard;
  /** Whether the audit log has grown since its head was last written next to the store. */
  isAuditAhead: boolean;
  get(sql: string, ...values: readonly Value[]): Promise<Row | undefined>;
  all(sql: string, ...values: readonly Value[]): Promise<readonly Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly Value[]): Promise<number>;
}

/** Checks a store against its seal key and its audit log. All methods throw StoreUnavailableError if it is not the expected store. */
export interface Guard {
  readonly headFault: unknown;
  entryMac(text: string): string;
  keyMac(hash: string): string;
  keyedFrom(db: Connection): Promise<number>;
  check(db: Connection): Promise<void>;
  recheck(db: Connection): Promise<void>;
  advance(db: Connection): Promise<void>;
}

/**
 * What a table needs. Outside a transaction each `write` is a transaction; inside, it is a part of it. `work` may await only statements on
 * the given connection.
 */
export interface Session {
  read<T>(work: (db: Connection) => Promise<T>): Promise<T>;
  write<T>(work: (db: Connection) => Promise<T>): Promise<T>;
  /**
   * Like `write`, without waiting for the disk. The change survives a crash of the process but is lost, with everything after it, if the
   * power fails before the next `write`. For changes that are repeated when they are missing.
   */
  writeSoon<T>(work: (db: Connection) => Promise<T>): Promise<T>;
}

/** Reads values of a row by column type. Any other type means that something other than the service changed the file. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damaged(column);
  return value;
}

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw damaged(column);
  return value;
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw damaged(column);
  return value;
}

export const textOrNull = (row: Row, column: string) => (row[column] === null ? null : textOf(row, column));

export const integerOrNull = (row: Row, column: string) =>
  row[column] === null ? null : integerOf(row, column);

/** The column's JSON as it was written. */
export function jsonOf<T>(row: Row, column: string): T {
  try {
    return JSON.parse(textOf(row, column)) as T;
  } catch (cause) {
    throw damaged(column, cause);
  }
}

const damaged = (column: string, cause?: unknown) =>
  new StoreUnavailableError(`The store is damaged: the column ${column} of a row is not what was written.`, {
    cause,
  });

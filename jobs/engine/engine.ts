// What the pipeline asks of a SQL engine. One implementation per engine sits beside this file; nothing else knows which one runs.
import type { Json } from '../../snapshots/layout.ts';

/**
 * One row as plain JSON values: integers that a double holds exactly are numbers, wider ones (and DECIMAL) are strings of digits,
 * DOUBLE is a number (never NaN or infinite: the engine throws), lists are arrays, structs are objects, SQL NULL is null.
 */
export type Row = { readonly [column: string]: Json };

/** Values of one column, all of one length. Typed arrays are copied in bulk; `null` is only possible in plain arrays. */
export type Column =
  | BigInt64Array
  | Float64Array
  | Int32Array
  | readonly (string | number | bigint | boolean | null)[];

export interface ColumnSpec {
  readonly name: string;
  readonly type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'INTEGER';
}

export interface Engine {
  /** Name and version, for manifests: `duckdb 1.5.5`. */
  readonly version: string;
  /** Runs one or more statements; answers how many rows the last one changed. */
  execute(sql: string): Promise<number>;
  /** Runs one query and answers all of its rows. */
  rows(sql: string): Promise<readonly Row[]>;
  /** Runs one query and yields its rows in batches, without holding all of them. */
  stream(sql: string): AsyncIterable<readonly Row[]>;
  /** Appends columns to an existing table in bulk. */
  append(table: string, columns: readonly (ColumnSpec & { readonly values: Column })[]): Promise<void>;
  /** Runs `work` inside one transaction: all of it or nothing. Does not nest. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Qualified names of the tables that a query reads, common table expressions left out: `obs.feed_round`. */
  tablesRead(sql: string): Promise<readonly string[]>;
  /** Names of the columns that a query answers, from its text alone: its tables need not exist. Throws where the text says `*`. */
  columnsNamed(sql: string): Promise<readonly string[]>;
  /** Names of a table's columns in their order; null when there is no such table. */
  tableColumns(table: string): Promise<readonly string[] | null>;
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/** A statement failed. `cause` is what the driver said. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
}

/** The warehouse file or its log cannot be read. It holds nothing that landing does not: remove it and rebuild. */
export class DamagedWarehouseError extends EngineError {
  override readonly name = 'DamagedWarehouseError';
}

/** Another process holds the warehouse. Try again when it has ended. */
export class WarehouseBusyError extends EngineError {
  override readonly name = 'WarehouseBusyError';
}

/** The damage of the warehouse that an error comes from, whatever it was wrapped in; null when it has another cause. */
export function warehouseDamage(error: unknown): DamagedWarehouseError | null {
  if (error instanceof DamagedWarehouseError) return error;
  if (!(error instanceof Error)) return null;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map(warehouseDamage).find((damage) => damage !== null) ?? null;
}

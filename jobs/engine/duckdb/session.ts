// A DuckDB database in this process: statements in DuckDB's own dialect. Only ingest and the DuckDB warehouse use it.
import type { Column, ColumnSpec, Row } from '../rows.ts';
import type { SqlSyntax } from '../syntax.ts';
import type { Readings } from './readings.ts';

export interface DuckDb extends SqlSyntax {
  /** `duckdb 1.5.5` */
  readonly version: string;
  /** What was read from the text of queries. */
  readonly readings: Readings;
  /** Runs one or more statements; resolves to the number of rows that the last one changed. */
  execute(sql: string): Promise<number>;
  /** Runs one query and resolves to all of its rows. */
  rows(sql: string): Promise<readonly Row[]>;
  /** Runs one query and yields its rows in batches, without holding all of them. */
  stream(sql: string): AsyncIterable<readonly Row[]>;
  /** Appends columns to an existing table in bulk. */
  append(table: string, columns: readonly (ColumnSpec & { readonly values: Column })[]): Promise<void>;
  readonly isInTransaction: boolean;
  /** Runs `work` inside one transaction, all or nothing. Transactions do not nest. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` as part of the open transaction, or in one of its own. */
  atomic<T>(work: () => Promise<T>): Promise<T>;
  /** Names of a table's columns in their order; null when there is no such table. */
  tableColumns(table: string): Promise<readonly string[] | null>;
  /** Writes what is in the log into the file. */
  checkpoint(): Promise<void>;
  /** Memory of rows that are in the log but not in the file. */
  unwrittenBytes(): Promise<number>;
  /** Keeps at most so many bytes of blocks of the file in memory; others are read again when they are needed. Only after a checkpoint. */
  dropCachedBlocks(maxBytes: number): Promise<void>;
  /** Returns memory that this process has freed to the system. */
  releaseMemory(): Promise<void>;
  close(): Promise<void>;
}

// What all parts of the warehouse on Trino use.
import type { DuckDbWarehouse } from '../duckdb/warehouse.ts';
import type { ColumnType } from '../rows.ts';
import type { RunSerially } from '../../../platform/base/tasks.ts';
import type { TrinoClient } from './client.ts';
import type { FetchedRow } from './constants.ts';
import type { Database } from './database.ts';
import type { TableStates } from './table-states.ts';

/** Where files are put for Trino to add to its tables. */
export interface LakeFiles {
  /** Resolves to the address of the folder of this key, as Trino finds it: `s3://bucket/prefix/obs.feed_round/01J…/`. */
  put(key: string, bytes: Uint8Array): Promise<string>;
  remove(key: string): Promise<void>;
}

export interface WrittenRows {
  /** SQL condition for which the table has these rows. */
  readonly where: string;
  readonly rows: readonly FetchedRow[];
  /** Version of the table that has them. */
  readonly version: number | undefined;
}

export interface Lake {
  readonly client: TrinoClient;
  readonly database: Database;
  readonly states: TableStates;
  readonly files: LakeFiles;
  /** The empty tables of all models in an in-memory DuckDB, which determines the columns of queries and computes landed rows. */
  readonly shapes: DuckDbWarehouse;
  /** For work that needs a transaction in `shapes`. */
  readonly inTurn: RunSerially;
  /** Maximum number of concurrent statements. */
  readonly atOnce: number;
  /** Columns of type JSON that are text on Trino, by model; filled in as they are needed. */
  readonly texts: Map<string, ReadonlySet<string>>;
  /** Number of rows that each model was last computed to have in its window. */
  readonly counts: Map<string, number>;
  /** Rows of the last few tables that were written, until they are copied. */
  readonly written: Map<string, WrittenRows>;
  /** Folder for files on their way to the store. */
  readonly tempDir: string;
  /** Ids are unique, and later ones sort after earlier ones. */
  readonly makeId: () => string;
  /** Columns of a model's table with their types in DuckDB. @throws EngineError when there is no such table */
  columns(table: string): Promise<readonly ColumnType[]>;
}

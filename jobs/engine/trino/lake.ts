// What the parts of the warehouse on Trino work with.
import type { DuckDbWarehouse } from '../duckdb/warehouse.ts';
import type { ColumnType } from '../rows.ts';
import type { Turn } from '../turns.ts';
import type { TrinoClient } from './client.ts';
import type { Database } from './database.ts';
import type { TableStates } from './table-states.ts';

/** Where files are put for Trino to take over into its tables. */
export interface LakeFiles {
  /** Resolves to the address of the folder of this key, as Trino finds it: `s3://bucket/prefix/obs.feed_round/01J…/`. */
  put(key: string, bytes: Uint8Array): Promise<string>;
  remove(key: string): Promise<void>;
}

export interface Lake {
  readonly client: TrinoClient;
  readonly database: Database;
  readonly states: TableStates;
  readonly files: LakeFiles;
  /** The tables of all models, empty, in a DuckDB in memory: it says which columns a query has, and computes what landed. */
  readonly shapes: DuckDbWarehouse;
  /** For what needs a transaction in `shapes`. */
  readonly inTurn: Turn;
  /** Statements at the same time. */
  readonly atOnce: number;
  /** Columns of type JSON that are text on Trino, by model; known once they were needed. */
  readonly texts: Map<string, ReadonlySet<string>>;
  /** For files on their way to the store. */
  readonly tempDir: string;
  /** Unique, and later ones sort after earlier ones. */
  readonly makeId: () => string;
  /** Columns of a model's table in DuckDB's words. @throws EngineError when there is no such table */
  columns(table: string): Promise<readonly ColumnType[]>;
}

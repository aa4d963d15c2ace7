// The warehouse, where models are computed. It has one operation for each kind of model; how the rows are written is up to the engine.
// Each engine implements this interface in a folder of its own; test/jobs/engine/conformance.ts tests what an implementation must do.
import type { Column as PublishedColumn } from '../../snapshots/columns.ts';
import type { RawTable } from '../define/raw-table.ts';
import type { PolicyTable } from '../define/policy/define.ts';
import type { ModelTable } from './model.ts';
import type { Parameters } from './parameters.ts';
import type { ColumnSpec, ColumnType, Row } from './rows.ts';
import type { TableVersions } from './versions.ts';

export interface Capabilities {
  /**
   * `transaction` applies changes to several tables together or not at all. Without it each call changes one table atomically, and the
   * caller orders its calls so that the next run recovers from a crash between two of them.
   */
  readonly transactions: boolean;
  /** How many models are worth computing at the same time. */
  readonly atOnce: number;
}

export interface Queries {
  /** Runs one query in the dialect that all engines share, and resolves to all of its rows. */
  rows(sql: string): Promise<readonly Row[]>;
  /** Runs one query and yields its rows in batches, without holding all of them in memory. It sees what is committed when it starts. */
  stream(sql: string): AsyncIterable<readonly Row[]>;
}

export interface Warehouse extends Queries {
  /** Name and version, for manifests: `duckdb 1.5.5`. */
  readonly version: string;
  readonly capabilities: Capabilities;
  readonly absorbed: AbsorbedFiles;
  readonly state: StateTables;
  readonly versions: TableVersions;

  /** Binds a policy table to these rows; the table can be read once `prepare` has run. A column that a row does not name is null. */
  bindPolicy(table: PolicyTable, rows: ReturnType<PolicyTable['rows']>): Promise<void>;
  /**
   * Creates the table of every model, in the given order. Policy tables must be bound first. New or changed models are empty afterwards,
   * and everything that reads them must be recomputed; a changed `append` model has to absorb its files again.
   */
  prepare(tables: WarehouseTables): Promise<PreparedTables>;
  /** Name and hash of each model as of when its table was created, sorted by name. */
  definitions(): Promise<readonly Row[]>;
  /** Columns of a table in their order; null when there is no such table. */
  describe(table: string): Promise<readonly ColumnType[] | null>;

  /*
   * The following methods change the version of the table together with its rows, and leave both unchanged if the rows are the same.
   */

  /** Adds the rows of landed files to an `append` model, once per file, however often it is called. The cost depends only on the new rows. */
  absorb(model: ModelTable, absorption: Absorption): Promise<AbsorptionReport>;
  /**
   * Removes all rows of an `append` or `merge` model and forgets which files it absorbed, so that only the rows of files that still count
   * are added again: a row does not record the file that it came from, and one row may rest on several.
   */
  clear(model: ModelTable): Promise<void>;
  /** `window`: replaces the rows from start, included, to end, excluded. Resolves to the number of rows there now. */
  replace(model: ModelTable, window: Parameters): Promise<number>;
  /** `merge`: replaces rows that have the grain of a new one; null equals null. Resolves to the number of new rows. */
  merge(model: ModelTable, window: Parameters): Promise<number>;
  /** `full`: replaces all rows. Resolves to the number of rows there now. */
  rebuild(model: ModelTable, window: Parameters): Promise<number>;
  /** `view`: makes the view read as of this window from now on. */
  view(model: ModelTable, window: Parameters): Promise<void>;

  /** Writes rows to a Parquet file on this machine. */
  exportParquet(table: ParquetTable): Promise<void>;
  /** Runs `work`, in one transaction if the warehouse has them (see `capabilities`). Inside another transaction it becomes part of it. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface WarehouseTables {
  readonly models: readonly ModelTable[];
  readonly raw: readonly RawTable[];
  /** For each query that is not a model, the tables that it reads. */
  readonly together?: readonly (readonly string[])[];
  /** Models whose tables are kept in another warehouse: only their columns are needed here, and any rows are removed. */
  readonly elsewhere?: ReadonlySet<string>;
}

export interface PreparedTables {
  readonly created: readonly ModelTable[];
  readonly changed: readonly ModelTable[];
}

/** What a warehouse needs from landing: a check that files have not changed since they landed, their hashes, and how many rows they have. */
export interface LandedHashes {
  /** @throws when one of the files has changed since it landed */
  check(files: readonly string[]): Promise<void>;
  sha256Of(file: string): string | null;
  rowsOf(file: string): number | null;
}

export interface Absorption {
  /** The raw table whose files these are; its `kept.time` names the model's column with the instant. */
  readonly raw: RawTable;
  /** Parquet files. Files that were absorbed earlier, recognised by name, are left out. */
  readonly files: readonly string[];
  readonly parameters: Parameters;
  readonly landing?: LandedHashes;
}

export interface AbsorptionReport {
  readonly files: number;
  readonly rows: number;
  /** Earliest and latest instant among the new rows, Unix seconds; null when there are none. */
  readonly firstTime: number | null;
  readonly lastTime: number | null;
}

/** Which landed files the `append` models hold, and which of these the other models already include. */
export interface AbsorbedFiles {
  /** Every file in these models, sorted by name. */
  list(models: readonly string[]): Promise<readonly AbsorbedFile[]>;
  /** Marks a compacted file as absorbed if the files that it was made from were. */
  adopt(model: string, compacted: CompactedFile): Promise<void>;
  /** Earliest instant among absorbed rows, Unix seconds; null when there are none. */
  firstTime(of: 'all' | 'unsettled'): Promise<number | null>;
  /** Models with unsettled rows before an instant, sorted. */
  lateModels(before: number): Promise<readonly string[]>;
  /** Records that everything absorbed so far is computed. */
  settle(): Promise<void>;
}

export interface AbsorbedFile {
  readonly model: string;
  /** File name without folders. */
  readonly file: string;
  readonly sha256: string | null;
}

export interface CompactedFile extends Omit<AbsorbedFile, 'model'> {
  /** Names of the files that it was made from. */
  readonly replaces: readonly string[];
}

/** A small table that the pipeline keeps for itself, such as `meta.progress`. */
export interface StateTable {
  readonly name: string;
  readonly columns: readonly ColumnSpec[];
}

export type StateRow = { readonly [column: string]: string | number | boolean | null };

/** State that the pipeline keeps between runs. */
export interface StateTables {
  /** Creates the table if it does not exist. */
  prepare(table: StateTable): Promise<void>;
  /** A plain SELECT over state tables alone. */
  rows(sql: string): Promise<readonly Row[]>;
  /** Atomically replaces the rows that match the SQL condition, or all rows. */
  replace(table: StateTable, rows: readonly StateRow[], where?: string): Promise<void>;
  add(table: StateTable, rows: readonly StateRow[]): Promise<void>;
}

export interface ParquetTable {
  /** Path of the file; an existing one is replaced. */
  readonly file: string;
  readonly columns: readonly PublishedColumn[];
  /** One JSON object per row, with a member for each column. */
  readonly lines: readonly string[];
}

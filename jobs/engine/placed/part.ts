// One of the two warehouses between which tables are placed: it can also export and import rows unchanged.
import type { ModelTable } from '../model.ts';
import type { Warehouse } from '../warehouse.ts';

export const HOMES = ['duckdb', 'trino'] as const;
export type Home = (typeof HOMES)[number];

/** Some rows of a model's table, in a Parquet file on this machine. */
export interface RowsFile {
  /** SQL condition over the columns of the table. */
  readonly where: string;
  readonly file: string;
}

export interface Part extends Warehouse {
  /** Writes the rows that match the condition to the file, each column with its `storedType`. */
  exportRows(model: ModelTable, rows: RowsFile): Promise<void>;
  /** Replaces the rows that match the condition with those of the file, which changes the version of the table. */
  importRows(model: ModelTable, rows: RowsFile): Promise<void>;
}

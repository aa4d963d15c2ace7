// How columns are stored in Parquet files that both engines read: Iceberg has no JSON, and whole numbers there have 64 bits.
import type { ColumnType } from './rows.ts';
import { quoted } from './sql-text.ts';

const STORED: { readonly [type: string]: string } = { HUGEINT: 'BIGINT', JSON: 'VARCHAR' };

/** In DuckDB's words. */
export const storedType = (type: string): string => STORED[type] ?? type;

/** Columns of a SELECT list, as they are stored. */
export const storedColumns = (columns: readonly ColumnType[]): string =>
  columns
    .map(({ name, type }) => `cast(${quoted(name)} as ${storedType(type)}) as ${quoted(name)}`)
    .join(', ');

/** Columns of a SELECT list over such a file, as they are in the table. */
export const typedColumns = (columns: readonly ColumnType[]): string =>
  columns.map(({ name, type }) => `cast(${quoted(name)} as ${type}) as ${quoted(name)}`).join(', ');

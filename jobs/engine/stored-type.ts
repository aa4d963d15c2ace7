// How columns are stored in Parquet files that both engines read: Iceberg has no JSON, and whole numbers there have 64 bits.
import type { ColumnType } from './rows.ts';
import { quoted } from './sql-text.ts';

const STORED: { readonly [type: string]: string } = { HUGEINT: 'BIGINT', JSON: 'VARCHAR' };

/** DuckDB's name of the stored type. */
export const storedType = (type: string): string => STORED[type] ?? type;

/** Columns of a SELECT list, with their stored types. */
export const storedColumns = (columns: readonly ColumnType[]): string =>
  columns
    .map(({ name, type }) => `cast(${quoted(name)} as ${storedType(type)}) as ${quoted(name)}`)
    .join(', ');

/** Columns of a SELECT list over such a file, with the types of the table. */
export const typedColumns = (columns: readonly ColumnType[]): string =>
  columns.map(({ name, type }) => `cast(${quoted(name)} as ${type}) as ${quoted(name)}`).join(', ');

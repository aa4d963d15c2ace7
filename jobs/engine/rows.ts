// Rows and columns as they pass between an engine and everything else.
import type { Json } from '../../platform/base/json.ts';
import { quoted } from './sql-text.ts';

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

/** A column and the engine's own name for its type. */
export interface ColumnType {
  readonly name: string;
  readonly type: string;
}

// How columns are stored in Parquet files that both engines read: Iceberg has no JSON, and whole numbers there have 64 bits.

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

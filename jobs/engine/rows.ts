// Rows and columns as they pass between an engine and everything else.
import type { Json } from '../../platform/base/json.ts';

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

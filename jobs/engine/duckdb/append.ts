// Bulk loading: columns are cut into data chunks and handed to DuckDB's appender.
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  DuckDBVector,
  INTEGER,
  VARCHAR,
} from '@duckdb/node-api';
import { splitName, type TableName, tableColumns } from './tables.ts';
import type { Column, ColumnSpec } from '../rows.ts';
import { EngineError } from '../errors.ts';

type LoadColumn = ColumnSpec & { readonly values: Column };

const TYPES: { readonly [type in ColumnSpec['type']]: DuckDBType } = {
  VARCHAR,
  BIGINT,
  DOUBLE,
  BOOLEAN,
  INTEGER,
};
/** The typed array behind the vectors of each type. Columns given as such an array are copied, not converted. */
const BULK = { BIGINT: BigInt64Array, DOUBLE: Float64Array, INTEGER: Int32Array } as const;

export interface Load {
  readonly columns: readonly LoadColumn[];
  /** Typed arrays are copied into the driver's vectors; otherwise values are set one by one, through the driver's documented interface. */
  readonly isBulk: boolean;
}

/** Appends columns to a table. Columns of the table that are not given are filled with nulls. */
export async function appendColumns(
  connection: DuckDBConnection,
  table: string,
  { columns: given, isBulk }: Load,
): Promise<void> {
  const count = given[0]?.values.length ?? 0;
  const uneven = given.find((column) => column.values.length !== count);
  if (uneven)
    throw new EngineError(
      `Column "${uneven.name}" has ${uneven.values.length} values, but the first column has ${count}.`,
    );
  const { schema, name } = splitName(table);
  const columns = await inTableOrder(connection, { schema, name }, given);
  const appender = await connection.createAppender(name, schema);
  const batch = DuckDBVector.standardSize();
  try {
    for (let from = 0; from < count; from += batch) {
      const size = Math.min(batch, count - from);
      const chunk = DuckDBDataChunk.create(
        columns.map((column) => TYPES[column.type]),
        size,
      );
      for (const [index, column] of columns.entries()) fill(chunk, index, { column, from, size, isBulk });
      appender.appendDataChunk(chunk);
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
}

async function inTableOrder(
  connection: DuckDBConnection,
  { schema, name }: TableName,
  given: readonly LoadColumn[],
): Promise<readonly (ColumnSpec & { readonly values: Column | null })[]> {
  const names = (await tableColumns(connection, { schema, name })) ?? [];
  const unknown = given.find((column) => !names.includes(column.name));
  if (unknown)
    throw new EngineError(
      `${schema}.${name} has no column "${unknown.name}"; it has ${names.join(', ') || 'none'}.`,
    );
  const byName = new Map(given.map((column) => [column.name, column]));
  return names.map((column) => byName.get(column) ?? { name: column, type: 'VARCHAR', values: null });
}

interface Slice {
  readonly column: ColumnSpec & { readonly values: Column | null };
  readonly from: number;
  readonly size: number;
  readonly isBulk: boolean;
}

function fill(chunk: DuckDBDataChunk, index: number, { column, from, size, isBulk }: Slice): void {
  const { values, type } = column;
  if (values === null) {
    chunk.setColumnValues(index, new Array<null>(size).fill(null));
  } else if (!isBulk || !copyInBulk(chunk.getColumnVector(index), column, { from, size })) {
    const converted: DuckDBValue[] = [];
    for (let at = from; at < from + size; at += 1)
      converted.push(convert(values[at] ?? null, type, column.name));
    chunk.setColumnValues(index, converted);
  }
}

/** The vector's buffer is a private member (see append-probe.ts). Returns false if it is not the expected typed array. */
function copyInBulk(
  vector: DuckDBVector,
  column: Slice['column'],
  { from, size }: { from: number; size: number },
): boolean {
  const { values, type } = column;
  if (!(type in BULK) || values === null || Array.isArray(values)) return false;
  const { items } = vector as unknown as { readonly items?: unknown };
  const Kind = BULK[type as keyof typeof BULK];
  if (!(items instanceof Kind) || !(values instanceof Kind)) return false;
  if (values instanceof Float64Array) assertFinite(values, column.name, { from, size });
  (items as { set(source: unknown): void }).set(values.subarray(from, from + size));
  vector.flush();
  return true;
}

function assertFinite(
  values: Float64Array,
  name: string,
  { from, size }: { from: number; size: number },
): void {
  for (let index = from; index < from + size; index += 1) {
    if (!Number.isFinite(values[index]))
      throw new EngineError(`Column "${name}" holds ${values[index]} at row ${index}.`);
  }
}

type Scalar = string | number | bigint | boolean;

function convert(value: Scalar | null, type: ColumnSpec['type'], name: string): DuckDBValue {
  if (value === null) return null;
  switch (type) {
    case 'VARCHAR':
      return String(value);
    case 'BOOLEAN':
      if (typeof value !== 'boolean') throw mismatch(value, type, name);
      return value;
    case 'BIGINT':
      return integer(value, name);
    case 'INTEGER':
      return Number(integer(value, name));
    case 'DOUBLE': {
      const number = isNumeric(value) ? Number(value) : Number.NaN;
      if (!Number.isFinite(number)) throw mismatch(value, type, name);
      return number;
    }
  }
}

function integer(value: Scalar, name: string): bigint {
  const exact = typeof value !== 'number' || Number.isSafeInteger(value);
  if (!isNumeric(value) || !exact) throw mismatch(value, 'BIGINT', name);
  try {
    return BigInt(value);
  } catch (cause) {
    throw mismatch(value, 'BIGINT', name, cause);
  }
}

/** Excludes booleans and blank strings, which `Number` would turn into 0 or 1. */
const isNumeric = (value: Scalar) => typeof value !== 'boolean' && String(value).trim() !== '';

const mismatch = (value: Scalar, type: string, name: string, cause?: unknown) =>
  new EngineError(`Column "${name}" is ${type}, got ${JSON.stringify(String(value))}.`, { cause });

// Converts Trino's values to those that DuckDB would return (see `Row` in rows.ts), by the types that DuckDB determines for the columns.
import type { Json } from '../../../platform/base/json.ts';
import { EngineError } from '../errors.ts';
import type { ColumnType, Row } from '../rows.ts';
import { exactInteger, finite, parsed } from '../value-readers.ts';
import { structFields } from './types.ts';

type Reader = (value: unknown) => Json;

/** Reads the rows of a query with these columns. */
export function rowReader(columns: readonly ColumnType[]): (row: readonly unknown[]) => Row {
  const readers = columns.map(({ name, type }) => ({ name, read: nullable(jsonReader(type, name)) }));
  return (row) => {
    if (row.length !== readers.length)
      throw new EngineError(`Trino returns ${row.length} columns, DuckDB ${readers.length}.`);
    return Object.fromEntries(readers.map(({ name, read }, index) => [name, read(row[index])]));
  };
}

const nullable =
  (read: Reader): Reader =>
  (value) =>
    value === null || value === undefined ? null : read(value);

const INTEGERS = /^U?(BIGINT|INTEGER|SMALLINT|TINYINT)$/;

export function jsonReader(type: string, column: string): Reader {
  if (type.endsWith('[]')) return listReader(type.slice(0, -2), column);
  if (type.startsWith('STRUCT(')) return structReader(type, column);
  if (INTEGERS.test(type)) return exactInteger;
  switch (type) {
    case 'VARCHAR':
    case 'BOOLEAN':
      return (value) => value as Json;
    case 'DOUBLE':
    case 'FLOAT':
      return finite(column);
    case 'JSON':
      return parsed(column);
    default:
      if (/^(MAP|UNION|BLOB)|\[\d+\]$/.test(type))
        throw new EngineError(
          `Column "${column}" is a ${type}: models return plain values, lists and structs.`,
        );
      // HUGEINT, DECIMAL, DATE and the like: as text.
      return String;
  }
}

function listReader(type: string, column: string): Reader {
  const read = nullable(jsonReader(type, `${column}[]`));
  return (value) => (value as readonly unknown[]).map(read);
}

/** Structs arrive as arrays, in the order of their fields. */
function structReader(type: string, column: string): Reader {
  const fields = structFields(type).map((field) => ({
    name: field.name,
    read: nullable(jsonReader(field.type, `${column}.${field.name}`)),
  }));
  return (value) =>
    Object.fromEntries(
      fields.map(({ name, read }, index) => [name, read((value as readonly unknown[])[index])]),
    );
}

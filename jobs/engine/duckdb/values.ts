// How DuckDB's values become JSON values (see `Row` in rows.ts).
import {
  type DuckDBDataChunk,
  type DuckDBListType,
  type DuckDBListValue,
  type DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { Json } from '../../../platform/base/json.ts';
import { EngineError } from '../errors.ts';
import type { Row } from '../rows.ts';
import { exactInteger, finite, parsed } from '../value-readers.ts';

type Reader = (value: DuckDBValue) => Json;

export const columnReaders = (names: readonly string[], types: readonly DuckDBType[]): readonly Reader[] =>
  types.map((type, index) => nullable(readerFor(type, names[index] ?? String(index))));

export function chunkRows(
  chunk: DuckDBDataChunk,
  names: readonly string[],
  readers: readonly Reader[],
): readonly Row[] {
  const columns = readers.map((_, index) => chunk.getColumnValues(index));
  const rows: Row[] = [];
  for (let at = 0; at < chunk.rowCount; at += 1) {
    const row: { [column: string]: Json } = {};
    for (const [index, read] of readers.entries())
      row[names[index] ?? ''] = read(columns[index]?.[at] ?? null);
    rows.push(row);
  }
  return rows;
}

const nullable =
  (read: Reader): Reader =>
  (value) =>
    value === null ? null : read(value);

function readerFor(type: DuckDBType, column: string): Reader {
  switch (type.typeId) {
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
      return exactInteger;
    case DuckDBTypeId.DOUBLE:
    case DuckDBTypeId.FLOAT:
      return finite(column);
    case DuckDBTypeId.VARCHAR:
      return type.alias === 'JSON' ? parsed(column) : asItIs;
    case DuckDBTypeId.BOOLEAN:
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
      return asItIs;
    case DuckDBTypeId.LIST:
      return listReader(type as DuckDBListType, column);
    case DuckDBTypeId.STRUCT:
      return structReader(type as DuckDBStructType, column);
    case DuckDBTypeId.MAP:
    case DuckDBTypeId.UNION:
    case DuckDBTypeId.ARRAY:
    case DuckDBTypeId.BLOB:
      throw new EngineError(
        `Column "${column}" is a ${type}: models return plain values, lists and structs.`,
      );
    default:
      // HUGEINT, DECIMAL, DATE and the like: as text.
      return (value) => String(value);
  }
}

const asItIs: Reader = (value) => value as Json;

function listReader(type: DuckDBListType, column: string): Reader {
  const read = nullable(readerFor(type.valueType, `${column}[]`));
  return (value) => (value as DuckDBListValue).items.map(read);
}

function structReader(type: DuckDBStructType, column: string): Reader {
  const fields = type.entryNames.map((name, index) => {
    const entryType = type.entryTypes[index];
    if (name === '' || entryType === undefined) {
      throw new EngineError(
        `Column "${column}" is a row without field names: cast(row(…) as row(name type, …)).`,
      );
    }
    return { name, read: nullable(readerFor(entryType, `${column}.${name}`)) };
  });
  return (value) => {
    const { entries } = value as DuckDBStructValue;
    return Object.fromEntries(fields.map(({ name, read }) => [name, read(entries[name] ?? null)]));
  };
}

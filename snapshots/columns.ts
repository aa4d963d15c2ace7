// The columns of a dataset's rows, derived from the JSON Schema of a row; the CSV, Parquet and Arrow forms are built from them.
import type { Json } from '../platform/base/json.ts';
import type { TableInfo } from './layout.ts';

/** `json` is text: a value without a fixed type, as JSON. Integers are limited to those that a double holds exactly. */
export type ColumnType =
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'json' }
  | { readonly kind: 'list'; readonly item: ColumnType }
  | { readonly kind: 'struct'; readonly columns: readonly Column[] };

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

type Schema = { readonly [member: string]: Json };

const TEXT: ColumnType = { kind: 'text' };
const JSON_TEXT: ColumnType = { kind: 'json' };

/** Columns of the document's key that a row does not hold itself come first, then the row's fields as the schema orders them. */
export function columnsOf(table: TableInfo): readonly Column[] {
  const fields = fieldsOf(schemaOf(table.row));
  return [...keyColumns(table).map((name) => ({ name, type: TEXT })), ...fields];
}

/** Columns of the row's fields only. */
export const columnsOfRow = (row: Json): readonly Column[] => fieldsOf(schemaOf(row));

/** Names of the key's columns that are not fields of a row. */
export function keyColumns({ key, row }: Pick<TableInfo, 'key' | 'row'>): readonly string[] {
  const fields = new Set(fieldsOf(schemaOf(row)).map(({ name }) => name));
  return key.filter((name) => !fields.has(name));
}

const schemaOf = (schema: Json | undefined): Schema =>
  typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as Schema) : {};

const fieldsOf = ({ properties }: Schema): Column[] =>
  Object.entries(schemaOf(properties)).map(([name, schema]) => ({ name, type: typeOf(schemaOf(schema)) }));

function typeOf(schema: Schema): ColumnType {
  if (Array.isArray(schema['anyOf'])) return typeOfUnion(schema['anyOf']);
  if (Array.isArray(schema['enum'])) return typeOfValues(schema['enum']);
  if ('const' in schema) return typeOfValues([schema['const'] ?? null]);
  switch (schema['type']) {
    case 'string':
      return TEXT;
    case 'integer':
    case 'number':
    case 'boolean':
      return { kind: schema['type'] };
    case 'array':
      return { kind: 'list', item: typeOf(schemaOf(schema['items'])) };
    case 'object':
      return typeOfObject(schema);
    default:
      return JSON_TEXT;
  }
}

/** Null fits every type and is ignored. Two different other types make the column JSON. */
function typeOfUnion(members: readonly Json[]): ColumnType {
  const types = members
    .map(schemaOf)
    .filter(({ type }) => type !== 'null')
    .map(typeOf);
  const [first = JSON_TEXT] = types;
  return types.every((type) => JSON.stringify(type) === JSON.stringify(first)) ? first : JSON_TEXT;
}

function typeOfValues(values: readonly Json[]): ColumnType {
  const known = values.filter((value) => value !== null);
  if (known.every((value) => typeof value === 'string')) return TEXT;
  if (known.every((value) => typeof value === 'boolean')) return { kind: 'boolean' };
  return known.every((value) => typeof value === 'number') ? { kind: 'number' } : JSON_TEXT;
}

/** An object with members that the schema does not name stays JSON. */
function typeOfObject(schema: Schema): ColumnType {
  const columns = fieldsOf(schema);
  return columns.length === 0 || schema['additionalProperties'] !== false
    ? JSON_TEXT
    : { kind: 'struct', columns };
}

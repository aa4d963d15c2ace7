// The rows of a dataset: its documents split into rows, each with the values of its document's key. All published forms hold these rows
// in this order.
import { type Column, type ColumnType, columnsOf, keyColumns } from './columns.ts';
import { RefusedInputError } from '../platform/storage/errors.ts';
import type { Json } from '../platform/base/json.ts';
import type { Document, TableInfo } from './layout.ts';

/** Values in column order. Missing values are null. */
export type FlatRow = readonly Json[];

export interface Rows {
  readonly columns: readonly Column[];
  /** Throws RefusedInputError for a value that does not fit its column. */
  flat(document: Document): FlatRow[];
  /** The same rows as objects, without missing values. */
  objects(document: Document): { readonly [column: string]: Json }[];
}

export function rowsOf(table: TableInfo): Rows {
  const columns = columnsOf(table);
  const added = keyColumns(table);
  const rowsIn = (document: Document) => {
    const key = keyValues(table, added, document.key);
    return membersOf(table, document).map((row) => (added.length === 0 ? row : { ...row, ...key }));
  };
  const objects = (document: Document) => rowsIn(document).map((row) => inOrder(columns, row));
  const flat = (document: Document) =>
    rowsIn(document).map((row) => columns.map((column) => fitted(column, row[column.name], document.key)));
  return { columns, flat, objects };
}

export const countRows = (shape: TableInfo['shape'], value: Json): number =>
  shape === 'list' && Array.isArray(value) ? value.length : 1;

function membersOf({ shape }: TableInfo, { key, value }: Document): { readonly [field: string]: Json }[] {
  const rows = shape === 'list' ? value : [value];
  if (Array.isArray(rows) && rows.every(isObject)) return rows;
  throw new RefusedInputError(
    `Document ${JSON.stringify(key)} is not ${shape === 'list' ? 'a list of rows' : 'a row'}.`,
  );
}

const isObject = (value: Json): value is { readonly [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Only the last value of a key may contain the separator. */
function keyValues(
  { key, separator }: TableInfo,
  added: readonly string[],
  text: string,
): { readonly [column: string]: Json } {
  if (added.length === 0) return {};
  const parts = text.split(separator);
  const values = [...parts.slice(0, key.length - 1), parts.slice(key.length - 1).join(separator)];
  return Object.fromEntries(added.map((name) => [name, values[key.indexOf(name)] ?? null]));
}

function inOrder(columns: readonly Column[], row: { readonly [field: string]: Json }) {
  const members = columns.flatMap(({ name }): [string, Json][] => {
    const value = row[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}

function fitted({ name, type }: Column, value: Json | undefined, where: string): Json {
  if (value === undefined || value === null) return null;
  switch (type.kind) {
    case 'json':
      return JSON.stringify(value);
    case 'list':
      if (Array.isArray(value))
        return value.map((item: Json) => fitted({ name, type: type.item }, item, where));
      break;
    case 'struct':
      if (isObject(value)) return structOf(type.columns, value, `${where}, ${name}`);
      break;
    default:
      if (isOfKind(type.kind, value)) return value;
  }
  throw new RefusedInputError(
    `Document ${JSON.stringify(where)}, ${name}: ${JSON.stringify(value)} does not fit a column of kind ${type.kind}.`,
  );
}

const structOf = (columns: readonly Column[], value: { readonly [field: string]: Json }, where: string) =>
  Object.fromEntries(columns.map((column) => [column.name, fitted(column, value[column.name], where)]));

function isOfKind(kind: ColumnType['kind'], value: Json): boolean {
  if (kind === 'integer') return Number.isSafeInteger(value);
  return typeof value === (kind === 'text' ? 'string' : kind);
}

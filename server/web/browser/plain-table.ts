// A response as a table of all its single values as published, for panels that show it as something else.
import { nothing } from 'lit-html';
import { caption, plainText } from './format.ts';
import { from } from './origin.ts';
import type { TableOf } from './panel.ts';
import type { Column } from './table.ts';

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, unknown>>;

const isNested = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSingle = (value: unknown): value is Value => typeof value !== 'object' || value === null;

/** Paths of the single values of a row, such as `price` and `price.last`; its lists are left out. */
const pathsIn = (row: Row): readonly string[] =>
  Object.entries(row).flatMap(([name, value]) => {
    if (isNested(value)) return pathsIn(value).map((path) => `${name}.${path}`);
    return isSingle(value) ? [name] : [];
  });

/** Undefined if a row has no such value, for example below a null object. */
function valueAt(row: Row, path: string): Value | undefined {
  const found = path.split('.').reduce<unknown>((at, name) => (isNested(at) ? at[name] : undefined), row);
  return isSingle(found) ? (found as Value | undefined) : undefined;
}

/** A list becomes a table of its rows, an object a table of its values. */
export function plainTable(data: unknown): TableOf<Row | string> {
  if (Array.isArray(data)) return tableOfRows(data as readonly Row[]) as TableOf<Row | string>;
  return tableOfValues(data as Row) as TableOf<Row | string>;
}

function tableOfRows(rows: readonly Row[]): TableOf<Row> {
  const all = [...new Set(rows.flatMap(pathsIn))];
  // An object that is missing in some rows has no value of its own.
  const paths = all.filter((path) => !all.some((other) => other.startsWith(`${path}.`)));
  return { rows, columns: paths.map((path) => columnOf(path)) };
}

/** What a row does not have, because only rows of another kind do, is not a figure that is not known. */
const columnOf = (path: string): Column<Row> => ({
  name: caption(path),
  cell: (row) => (valueAt(row, path) === undefined ? 'not stated' : plainText(valueAt(row, path))),
  value: (row) => valueAt(row, path),
  from: (row) => (valueAt(row, path) === undefined ? nothing : from(row, path)),
});

const tableOfValues = (data: Row): TableOf<string> => ({
  rows: pathsIn(data),
  columns: [
    { name: 'Figure', cell: caption, value: (path) => path },
    {
      name: 'Value',
      isNumber: true,
      cell: (path) => plainText(valueAt(data, path)),
      value: (path) => valueAt(data, path),
      from: (path) => from(data, path),
    },
  ],
});

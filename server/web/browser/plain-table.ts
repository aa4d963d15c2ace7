// A response as a table, for panels that show it as something else: every single value in it, as it was published.
import { plainText, words } from './format.ts';
import { from } from './origin.ts';
import type { TableOf } from './panel.ts';
import type { Column } from './table.ts';

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, unknown>>;

const isNested = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSingle = (value: unknown): value is Value => typeof value !== 'object' || value === null;

/** `price` and `price.last`: paths of the single values of a row; lists in it are left out. */
const pathsIn = (row: Row): readonly string[] =>
  Object.entries(row).flatMap(([name, value]) => {
    if (isNested(value)) return pathsIn(value).map((path) => `${name}.${path}`);
    return isSingle(value) ? [name] : [];
  });

/** Undefined where a row has no such value, as it may be for null objects. */
function valueAt(row: Row, path: string): Value | undefined {
  const found = path.split('.').reduce<unknown>((at, name) => (isNested(at) ? at[name] : undefined), row);
  return isSingle(found) ? (found as Value | undefined) : undefined;
}

/** A list is a table of its rows; an object one of its values. */
export function plainTable(data: unknown): TableOf<Row | string> {
  if (Array.isArray(data)) return tableOfRows(data as readonly Row[]) as TableOf<Row | string>;
  return tableOfValues(data as Row) as TableOf<Row | string>;
}

function tableOfRows(rows: readonly Row[]): TableOf<Row> {
  const paths = [...new Set(rows.flatMap(pathsIn))];
  return { rows, columns: paths.map((path) => columnOf(path)) };
}

const columnOf = (path: string): Column<Row> => ({
  name: words(path),
  cell: (row) => plainText(valueAt(row, path)),
  value: (row) => valueAt(row, path),
  from: (row) => from(row, path),
});

const tableOfValues = (data: Row): TableOf<string> => ({
  rows: pathsIn(data),
  columns: [
    { name: 'Figure', cell: words, value: (path) => path },
    {
      name: 'Value',
      isNumber: true,
      cell: (path) => plainText(valueAt(data, path)),
      value: (path) => valueAt(data, path),
      from: (path) => from(data, path),
    },
  ],
});

// Fetched rows as constants in the text of a statement.
import { type ColumnType, storedType } from '../rows.ts';
import { literal, quoted } from '../sql-text.ts';
import { columnType, structFields } from './types.ts';

/** A row as Trino returns it: lists and structs are arrays. */
export type FetchedRow = readonly unknown[];

/** Whether values of all columns can be written as constants. */
export const areWritable = (columns: readonly ColumnType[]): boolean =>
  columns.every(({ type }) => isWritable(storedType(type)));

const PLAIN = /^(VARCHAR|BOOLEAN|BIGINT|INTEGER|DOUBLE|DECIMAL\(\d+,\s?\d+\))$/;

function isWritable(type: string): boolean {
  if (type.endsWith('[]')) return isWritable(type.slice(0, -2));
  return type.startsWith('STRUCT(')
    ? structFields(type).every((field) => isWritable(field.type))
    : PLAIN.test(type);
}

/** Number of constants that a statement with these rows has. */
export const constantsIn = (rows: readonly FetchedRow[]): number =>
  rows.reduce((sum, row) => sum + row.reduce<number>((own, value) => own + constantsOf(value), 0), 0);

const constantsOf = (value: unknown): number => (Array.isArray(value) ? 1 + constantsIn([value]) : 1);

/** A SELECT of these rows, with the types of the table. There must be at least one row. */
export function constantsSql(columns: readonly ColumnType[], rows: readonly FetchedRow[]): string {
  const names = columns.map(({ name }) => quoted(name));
  const typed = columns.map(
    ({ type }, index) => `cast(${names[index]} as ${columnType(type)}) as ${names[index]}`,
  );
  const tuples = rows.map(
    (row) => `(${columns.map(({ type }, index) => constant(row[index], storedType(type))).join(', ')})`,
  );
  return `select ${typed.join(', ')} from (values ${tuples.join(',\n')}) as given (${names.join(', ')})`;
}

const SPECIAL: { readonly [text: string]: string } = {
  NaN: 'nan()',
  Infinity: 'infinity()',
  '-Infinity': '-infinity()',
};

/** Decimals are written as text: as numbers, all values of a column would share one scale. */
function constant(value: unknown, type: string): string {
  if (value === null || value === undefined) return 'null';
  if (type.endsWith('[]')) {
    const items = (value as FetchedRow).map((item) => constant(item, type.slice(0, -2)));
    return `array[${items.join(', ')}]`;
  }
  if (type.startsWith('STRUCT(')) {
    const values = structFields(type).map((field, index) =>
      constant((value as FetchedRow)[index], field.type),
    );
    return `row(${values.join(', ')})`;
  }
  if (type === 'DOUBLE')
    return typeof value === 'number'
      ? value.toExponential()
      : (SPECIAL[String(value)] ?? `cast(${literal(String(value))} as double)`);
  if (type === 'BIGINT' || type === 'INTEGER' || type === 'BOOLEAN') return String(value);
  return literal(String(value));
}

// Columns that show one member of their rows: its text, its sort value, and the origin of the figure.
import { isKnown } from './format.ts';
import { from } from './origin.ts';
import type { Column } from './table.ts';

type CellText<V> = (value: V) => unknown;

const plain = (value: unknown): unknown => String(value);

interface Columns<T extends object> {
  text<K extends keyof T & string>(name: string, member: K, cell?: CellText<NonNullable<T[K]>>): Column<T>;
  number<K extends keyof T & string>(name: string, member: K, cell?: CellText<NonNullable<T[K]>>): Column<T>;
}

export function columnsOf<T extends object>(): Columns<T> {
  const column = <K extends keyof T & string>(
    name: string,
    member: K,
    text: CellText<NonNullable<T[K]>> = plain,
  ): Column<T> => ({
    name,
    cell: (row) => {
      const value: T[K] = row[member];
      return isKnown(value) ? text(value as NonNullable<T[K]>) : undefined;
    },
    value: (row) => {
      const value: unknown = row[member];
      return typeof value === 'object' ? undefined : (value as string | number | boolean | undefined);
    },
    from: (row) => from(row, member),
  });
  return { text: column, number: (...given) => ({ ...column(...given), isNumber: true }) };
}

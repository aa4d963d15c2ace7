// Turns in-memory rows into a delivery.
import type { ColumnsDelivery } from './source.ts';

/** All rows must have the same fields. */
export function columnsDelivery<R extends object>(rows: readonly R[]): ColumnsDelivery {
  const names = Object.keys(rows[0] ?? {}) as (keyof R & string)[];
  return {
    kind: 'columns',
    count: rows.length,
    columns: Object.fromEntries(
      names.map((name) => [name, rows.map((row) => row[name])]),
    ) as ColumnsDelivery['columns'],
  };
}

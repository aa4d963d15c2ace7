// A policy table on Trino: a view over the configured rows, which Trino reads as constants.
import type { PolicyRow, PolicyTable } from '../../define/policy/define.ts';
import { literal, quoted } from '../sql-text.ts';

/** A column that a row does not name is null. */
export function policyViewSql({ name: table, columns }: PolicyTable, rows: readonly PolicyRow[]): string {
  const typed = columns.map(({ name, type }) => `cast(${quoted(name)} as ${type}) as ${quoted(name)}`);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const tuple = (row: PolicyRow) =>
    `(${columns.map(({ name, type }) => valueSql(row[name] ?? null, type)).join(', ')})`;
  const values = (rows.length === 0 ? [{}] : rows).map(tuple).join(', ');
  const some = rows.length === 0 ? ' where false' : '';
  return `create or replace view policy.${table} as select ${typed.join(', ')} from (values ${values}) as given (${names})${some}`;
}

/** A number written without an exponent would be a DECIMAL, and all values of a column would share one scale. */
const valueSql = (value: string | number | boolean | null, type: string): string =>
  typeof value === 'number' && type === 'DOUBLE' ? value.toExponential() : literal(value);

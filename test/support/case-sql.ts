// JSON values as typed SQL literals, in syntax that DuckDB and Trino share.
import { structFields } from '../../jobs/engine/trino/types.ts';
import type { Json } from '../../platform/base/json.ts';
import type { CaseRow } from './case-file.ts';

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** `array[row(1, 'a')]`: an untyped literal, to be cast to the column's type. `fields` is the order of a struct's fields. */
export function sqlLiteral(value: Json, type: string): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return text(value);
  // Trino reads digits without an exponent as an integer, and 20 digits no longer fit.
  if (typeof value === 'number' && type === 'DOUBLE') return value.toExponential();
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    const element = type.replace(/\[\]$/, '');
    return `array[${value.map((item) => sqlLiteral(item, element)).join(', ')}]`;
  }
  const row = value as CaseRow;
  const fields = structFields(type).map(({ name, type: inner }) => sqlLiteral(row[name] ?? null, inner));
  return `row(${fields.join(', ')})`;
}

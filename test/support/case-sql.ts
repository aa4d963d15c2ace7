// JSON values as typed SQL literals, in the words that DuckDB and Trino share.
import type { Json } from '../../snapshots/layout.ts';
import type { CaseRow } from './case-file.ts';

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** `array[row(1, 'a')]`: an untyped literal, to be cast to its column's type. `fields` gives the order of a struct's fields. */
export function sqlLiteral(value: Json, type: string): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return text(value);
  // Trino reads digits without an exponent as an integer, which 20 of them no longer fit.
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

/** `STRUCT("a" BIGINT, b VARCHAR[])` -> its fields. */
export function structFields(type: string): readonly { readonly name: string; readonly type: string }[] {
  const inner = /^STRUCT\((.*)\)$/s.exec(type)?.[1];
  if (inner === undefined) throw new Error(`an object was given for a column of type ${type}`);
  return splitTopLevel(inner).map((field) => {
    const [, quoted, bare, fieldType] = /^\s*(?:"((?:[^"]|"")*)"|(\w+))\s+(.*)$/s.exec(field) ?? [];
    if (fieldType === undefined) throw new Error(`the type ${type} cannot be read`);
    return { name: quoted ?? bare ?? '', type: fieldType.trim() };
  });
}

function splitTopLevel(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const [at, character] of [...list].entries()) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(list.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, list.slice(from)];
}

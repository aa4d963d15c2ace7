// Translates the types of DuckDB, which determines the columns of every query, to those of Trino. JSON is stored as text: Iceberg has no
// such type.
import { storedType } from '../rows.ts';

const PLAIN: { readonly [type: string]: string } = {
  HUGEINT: 'decimal(38,0)',
  FLOAT: 'real',
  TIMESTAMP: 'timestamp(6)',
};

/** `STRUCT(a BIGINT)[]` -> `array(row("a" BIGINT))` */
export function trinoType(type: string): string {
  if (type.endsWith('[]')) return `array(${trinoType(type.slice(0, -2))})`;
  if (type.startsWith('STRUCT(')) {
    return `row(${structFields(type)
      .map((field) => `"${field.name}" ${trinoType(field.type)}`)
      .join(', ')})`;
  }
  return PLAIN[type] ?? type;
}

/** The type as a column of a table. Trino's sums of integers are BIGINT, or fail. */
export function columnType(type: string): string {
  return trinoType(storedType(type));
}

export interface StructField {
  readonly name: string;
  readonly type: string;
}

/** `STRUCT("a" BIGINT, b VARCHAR[])` -> its fields. */
export function structFields(type: string): readonly StructField[] {
  const inner = /^STRUCT\((.*)\)$/s.exec(type)?.[1];
  if (inner === undefined) throw new Error(`The type ${type} is not a struct.`);
  return splitTopLevel(inner).map((field) => {
    const [, quoted, bare, fieldType] = /^\s*(?:"((?:[^"]|"")*)"|(\w+))\s+(.*)$/s.exec(field) ?? [];
    if (fieldType === undefined) throw new Error(`The type ${type} cannot be read.`);
    return { name: quoted ?? bare ?? '', type: fieldType.trim() };
  });
}

function splitTopLevel(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const [index, character] of [...list].entries()) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(list.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, list.slice(from)];
}

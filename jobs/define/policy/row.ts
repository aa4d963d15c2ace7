// The single values of a policy as one row: one column each, named and typed by the schema.
import type { TSchema } from '../../../schemas/define.ts';
import { keyword, membersOf } from './schema.ts';

export type Scalar = string | number | boolean | null;
export type ColumnType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN';

interface Leaf {
  readonly column: string;
  readonly type: ColumnType;
  readonly path: readonly string[];
  readonly times: number | undefined;
}

const TYPES: { readonly [type: string]: ColumnType } = {
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
};

export const columnsOf = (schema: TSchema): { readonly [column: string]: ColumnType } =>
  Object.fromEntries(leavesOf(schema, []).map(({ column, type }) => [column, type]));

export const rowOf = (schema: TSchema, values: unknown): { readonly [column: string]: Scalar } =>
  Object.fromEntries(
    leavesOf(schema, []).map(({ column, path, times }) => {
      const value = valueAt(values, path);
      return [column, times === undefined ? value : Number(value) * times];
    }),
  );

/** Lists, maps and values with `column: false` have no column. */
function leavesOf(schema: TSchema, path: readonly string[]): readonly Leaf[] {
  const column = keyword(schema, 'column') ?? path.at(-1);
  if (column === false) return [];
  const members = membersOf(schema);
  if (members !== undefined) return members.flatMap(([name, member]) => leavesOf(member, [...path, name]));
  const type = TYPES[String(keyword(schema, 'type'))];
  if (type === undefined || typeof column !== 'string') return [];
  const times = keyword(schema, 'times');
  return [{ column, type, path, times: typeof times === 'number' ? times : undefined }];
}

const valueAt = (values: unknown, path: readonly string[]): Scalar =>
  path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], values) as Scalar;

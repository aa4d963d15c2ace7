// A policy is one TypeBox schema: each value with its default, limits and description. The TypeScript type, the section of the
// configuration, its messages, the documentation and the tables that models read as `policy.<name>` are all derived from it.
import { type Static, Strict, type TSchema, Type } from '../../../schemas/define.ts';
import { defaultsOf, keyword, membersOf } from './schema.ts';

export { Strict, type TSchema, Type };

/** What a policy schema may carry in addition to the keywords of JSON Schema. */
export interface PolicyKeywords {
  /** The expectation that a validation message states, if the limits alone do not express it. */
  readonly expected?: string;
  /** Column of the value in a table of one row; its own name if omitted. False keeps it out of the table. */
  readonly column?: string | false;
  /** Factor between the value and its column: 86 400 from days to seconds. */
  readonly times?: number;
  /** In an entry of a named list: optional where the entry overrides one of the defaults. */
  readonly inherited?: true;
  /** JSON Schema's keyword: part of the policy, but not of the configuration. */
  readonly readOnly?: true;
}

type DeepReadonly<T> = T extends object ? { readonly [name in keyof T]: DeepReadonly<T[name]> } : T;

/** The values that a schema describes. */
export type ValuesOf<S extends TSchema> = DeepReadonly<Static<S>>;

/** A whole policy: a value for each section, and the versions published with the data it shaped. */
export interface PolicyValues {
  readonly policy_version: string;
  readonly methodology_version: string;
  readonly [section: string]: unknown;
}

export interface PolicyRow {
  readonly [column: string]: Scalar;
}

/** A small table that models read as `policy.<name>`. */
export interface PolicyTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  rows(policy: PolicyValues): readonly PolicyRow[];
}

/** A table made from one section. */
interface SectionTable<V> {
  readonly name: string;
  readonly columns: { readonly [name: string]: ColumnType };
  rows(values: V, policy: PolicyValues): readonly PolicyRow[];
}

type Entry = Readonly<Record<string, unknown>>;

/** A list whose entries override those of the defaults by name. Every other list is replaced as a whole. */
export interface NamedList {
  name(entry: Entry): string;
  /** Mutually exclusive members: each entry has exactly one, and an override replaces whichever one the default had. */
  readonly either?: readonly string[];
}

/** The path (below the section), the value given, and what was expected. */
export type Contradiction = readonly [where: string, given: string, expected: string];

export interface PolicyDefinition<N extends string = string, S extends TSchema = TSchema> {
  readonly section: N;
  readonly schema: S;
  readonly defaults: ValuesOf<S>;
  readonly tables: readonly PolicyTable[];
  /** By dotted path within the section; the section itself is ''. */
  readonly lists: { readonly [path: string]: NamedList };
  contradictions(policy: PolicyValues): readonly Contradiction[];
}

interface PolicyInput<N extends string, S extends TSchema> {
  /** Name in the `policy` section of the configuration. Two definitions may share one, each with its own members. */
  readonly section: N;
  readonly schema: S;
  readonly tables?: readonly SectionTable<ValuesOf<S>>[];
  readonly lists?: { readonly [path: string]: NamedList };
  /** Contradictions between values that are each within their own limits. */
  contradictions?(values: ValuesOf<S>): readonly Contradiction[];
}

export function definePolicy<const N extends string, S extends TSchema>({
  section,
  schema,
  tables = [],
  lists = {},
  contradictions = () => [],
}: PolicyInput<N, S>): PolicyDefinition<N, S> {
  const valuesIn = (policy: PolicyValues) => policy[section] as ValuesOf<S>;
  return Object.freeze({
    section,
    schema,
    defaults: defaultsOf(schema) as ValuesOf<S>,
    tables: tables.map(({ name, columns, rows }) =>
      definePolicyTable({ name, columns, rows: (policy) => rows(valuesIn(policy), policy) }),
    ),
    lists,
    contradictions: (policy: PolicyValues) => contradictions(valuesIn(policy)),
  });
}

/** A table made from the whole policy. */
export function definePolicyTable({
  name,
  columns,
  rows,
}: Omit<PolicyTable, 'columns'> & Pick<SectionTable<never>, 'columns'>): PolicyTable {
  const typed = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
  return Object.freeze({ name, columns: typed, rows });
}

/** A table of one row with a column for each single value of the schema, and for each computed one. */
export function oneRow<S extends TSchema>(
  name: string,
  schema: S,
  more: Partial<SectionTable<ValuesOf<S>>> = {},
): SectionTable<ValuesOf<S>> {
  return {
    name,
    columns: { ...columnsOf(schema), ...more.columns },
    rows: (values, policy) => {
      const [computed = {}] = more.rows?.(values, policy) ?? [];
      return [{ ...rowOf(schema, values), ...computed }];
    },
  };
}

type Union<T> = T extends readonly (infer One)[] ? One : never;
type SectionsOf<D> =
  D extends PolicyDefinition<infer N, infer S> ? (one: { readonly [name in N]: ValuesOf<S> }) => void : never;
type Intersection<F> = F extends (one: infer I) => void ? I : never;
type AllOf<F> = (F extends unknown ? (one: F) => void : never) extends (one: infer I) => void ? I : never;

/** The type of a policy with these definitions: a member for each section. */
export type PolicyOf<List extends readonly PolicyDefinition[]> = Pick<
  PolicyValues,
  'policy_version' | 'methodology_version'
> &
  AllOf<Intersection<SectionsOf<Union<List>>>>;

// The single values of a policy as one row: one column each, named and typed by the schema.

type Scalar = string | number | boolean | null;
type ColumnType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN';

const TYPES: { readonly [type: string]: ColumnType } = {
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  string: 'VARCHAR',
};

const columnsOf = (schema: TSchema): { readonly [column: string]: ColumnType } =>
  Object.fromEntries(leavesOf(schema, []).map(({ column, type }) => [column, type]));

const rowOf = (schema: TSchema, values: unknown): { readonly [column: string]: Scalar } =>
  Object.fromEntries(
    leavesOf(schema, []).map(({ column, path, times }) => {
      const value = valueAt(values, path);
      return [column, times === undefined ? value : Number(value) * times];
    }),
  );

/** Lists, maps and values with `column: false` have no column. */
function leavesOf(
  schema: TSchema,
  path: readonly string[],
): readonly {
  readonly column: string;
  readonly type: ColumnType;
  readonly path: readonly string[];
  readonly times: number | undefined;
}[] {
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

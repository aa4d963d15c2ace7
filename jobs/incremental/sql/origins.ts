// Traces a column of a query to the table columns that its values come from. Undefined if a value may come from anywhere else.
import type { Json } from '../../../platform/base/json.ts';
import { quoted } from '../../engine/sql-text.ts';
import { isTree, type SyntaxTree, treesIn } from '../../engine/syntax.ts';
import { OPERATORS, type Operator, type Origin, type TimeTerm } from '../dependencies.ts';
import { addendsOf, originsOfSum } from './sums.ts';
import { termOf } from './time-terms.ts';

type Origins = readonly Origin[] | undefined;

/** A relation named after `from`: returns the origins of a column (named in lower case), or an empty list if there is no such column. */
type Source = (column: string) => Origins;

export interface Scope {
  readonly outer: Scope | null;
  /** Common table expressions by name. */
  readonly queries: ReadonlyMap<string, Source>;
  /** Relations named after `from`. */
  readonly sources: ReadonlyMap<string, Source>;
}

export const NO_SCOPE: Scope = { outer: null, queries: new Map(), sources: new Map() };

/** The scope inside a SELECT, in which its expressions are resolved. */
export function scopeOf(node: SyntaxTree, outer: Scope): Scope {
  const sources = new Map<string, Source>();
  const within = { outer, queries: queriesOf(node, outer), sources };
  if (isTree(node['from_table'])) addSources(node['from_table'], within, sources);
  return within;
}

/** Common table expressions of a node. Each may read those defined before it. */
export function queriesOf(node: SyntaxTree, outer: Scope): ReadonlyMap<string, Source> {
  const queries = new Map<string, Source>();
  for (const { name, query, aliases } of expressionsOf(node))
    queries.set(
      name.toLowerCase(),
      sourceOf(query, { outer, queries: new Map(queries), sources: new Map() }, aliases),
    );
  return queries;
}

export interface Expression {
  readonly name: string;
  readonly query: SyntaxTree;
  readonly aliases: readonly string[];
}

export function expressionsOf(node: SyntaxTree): readonly Expression[] {
  const map = isTree(node['cte_map']) ? node['cte_map']['map'] : [];
  return treesIn(map).flatMap(({ key, value }) => {
    const query = isTree(value) && isTree(value['query']) ? value['query']['node'] : undefined;
    return isTree(query) && isTree(value)
      ? [{ name: String(key), query, aliases: textsIn(value['aliases']) }]
      : [];
  });
}

/** Names are compared in lower case: an engine does not distinguish `Day` from `day`. */
const textsIn = (list: Json | undefined): readonly string[] =>
  Array.isArray(list) ? list.map((name) => String(name).toLowerCase()) : [];

const UNKNOWN: Source = () => undefined;

function addSources(from: SyntaxTree, scope: Scope, sources: Map<string, Source>): void {
  const named = (fallback: string, source: Source) =>
    sources.set(String(from['alias'] || fallback || `unnamed ${sources.size}`).toLowerCase(), source);
  const columns = textsIn(from['column_name_alias']);
  switch (from['type']) {
    case 'JOIN':
      for (const side of [from['left'], from['right']]) if (isTree(side)) addSources(side, scope, sources);
      return;
    case 'BASE_TABLE': {
      const table = String(from['table_name']);
      named(table, columns.length > 0 ? UNKNOWN : tableSource(from, table, scope));
      return;
    }
    case 'SUBQUERY': {
      const query = isTree(from['subquery']) ? from['subquery']['node'] : undefined;
      // A subquery may read the relations named to its left.
      const left = { ...scope, sources: new Map(sources) };
      named('', isTree(query) ? sourceOf(query, left, columns) : UNKNOWN);
      return;
    }
    case 'TABLE_FUNCTION':
      named('', () => originsOfSeries(from));
      return;
    case 'EMPTY':
      return;
    default:
      named('', UNKNOWN);
  }
}

function tableSource(from: SyntaxTree, table: string, scope: Scope): Source {
  if (from['schema_name'])
    return (column) => [{ table: `${from['schema_name']}.${table}`, column, expression: quoted(column) }];
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const query = at.queries.get(table.toLowerCase());
    if (query !== undefined) return query;
  }
  return UNKNOWN;
}

/** A query in parentheses: its columns by their own names, or by the aliases given to them. */
export function sourceOf(query: SyntaxTree, outer: Scope, aliases: readonly string[] = []): Source {
  if (query['type'] === 'SET_OPERATION_NODE') return setSource(query, outer, aliases);
  if (query['type'] !== 'SELECT_NODE') return UNKNOWN;
  const scope = scopeOf(query, outer);
  const list = treesIn(query['select_list']);
  const hasStar = list.some((item) => item['class'] === 'STAR');
  return (column) => {
    if (aliases.length > 0) {
      const item = hasStar ? undefined : list[aliases.indexOf(column)];
      return item === undefined ? undefined : originsOf(item, scope);
    }
    const parts = list.flatMap((item): Origins[] => {
      if (item['class'] === 'STAR') return [ofStar(item, column, scope)];
      return nameOf(item) === column ? [originsOf(item, scope)] : [];
    });
    return union(parts);
  };
}

const nameOf = (item: SyntaxTree): string | undefined =>
  item['alias'] ? String(item['alias']).toLowerCase() : textsIn(item['column_names']).at(-1);

/** The SELECTs of a set operation, in order; undefined if any part of it is something else. */
function leavesOf(
  query: Json | undefined,
  outer: Scope,
): readonly { readonly items: readonly SyntaxTree[]; readonly scope: Scope }[] | undefined {
  if (!isTree(query)) return undefined;
  if (query['type'] === 'SELECT_NODE')
    return [{ items: treesIn(query['select_list']), scope: scopeOf(query, outer) }];
  if (query['type'] !== 'SET_OPERATION_NODE') return undefined;
  const scope = { outer, queries: queriesOf(query, outer), sources: new Map() };
  const [left, right] = [leavesOf(query['left'], scope), leavesOf(query['right'], scope)];
  return left === undefined || right === undefined ? undefined : [...left, ...right];
}

const isStar = (item: SyntaxTree): boolean => item['class'] === 'STAR';

/** The column that the first SELECT names, and the columns at the same position in the others. Positions beyond a `*` are unknown. */
function setSource(query: SyntaxTree, outer: Scope, aliases: readonly string[]): Source {
  const leaves = leavesOf(query, outer);
  const names =
    aliases.length > 0 ? aliases : leaves?.[0]?.items.map((item) => (isStar(item) ? '*' : nameOf(item)));
  if (leaves === undefined || names === undefined) return UNKNOWN;
  return (column) => {
    const at = names.indexOf(column);
    if (at === -1) return names.includes('*') ? undefined : [];
    const isFromEnd = names.slice(0, at).includes('*');
    return union(
      leaves.map(({ items, scope }) => {
        const index = isFromEnd ? items.length - (names.length - at) : at;
        const item = items[index];
        const hiding = isFromEnd ? items.slice(index) : items.slice(0, index + 1);
        return item === undefined || hiding.some(isStar) ? undefined : originsOf(item, scope);
      }),
    );
  };
}

function ofStar(star: SyntaxTree, column: string, { sources }: Scope): Origins {
  const relation = String(star['relation_name'] ?? '').toLowerCase();
  return relation === '' ? anyOf([...sources.values()], column) : (sources.get(relation) ?? UNKNOWN)(column);
}

/** An unqualified name may belong to any of the sources. */
const anyOf = (sources: readonly Source[], column: string): Origins =>
  union(sources.map((source) => source(column)));

function union(parts: readonly Origins[]): Origins {
  const known = parts.filter((part) => part !== undefined);
  return known.length < parts.length ? undefined : known.flat();
}

/** Functions that return one of the values of their first argument. */
const CHOOSING = ['min', 'max', 'max_by', 'min_by', 'arg_max', 'arg_min'];
const CHOOSING_WINDOWS = ['lag', 'lead', 'first_value', 'last_value', 'min', 'max'];
/** Functions that return the value of one of their arguments. */
const PICKING = ['greatest', 'least'];

/** Where the values of an expression come from. */
export function originsOf(node: SyntaxTree, scope: Scope): Origins {
  const children = treesIn(node['children']);
  switch (node['class']) {
    case 'COLUMN_REF':
      return ofColumn(textsIn(node['column_names']), scope);
    case 'CONSTANT': {
      const term = termOf(node);
      return typeof term === 'number' ? [{ constant: term }] : isNull(node) ? [] : undefined;
    }
    case 'CAST':
      return isTree(node['child']) && isTree(node['cast_type']) && node['cast_type']['id'] === 'BIGINT'
        ? wrapped(originsOf(node['child'], scope), (expression) => `cast(${expression} as bigint)`)
        : undefined;
    case 'OPERATOR':
      return node['type'] === 'OPERATOR_COALESCE'
        ? union(children.map((one) => originsOf(one, scope)))
        : undefined;
    case 'CASE':
      return ofCase(node, scope);
    case 'WINDOW':
      return CHOOSING_WINDOWS.includes(String(node['function_name'])) && !isTree(node['default_expr'])
        ? first(children, scope)
        : undefined;
    case 'FUNCTION':
      return ofFunction(node, children, scope);
    default:
      return undefined;
  }
}

const isNull = ({ value }: SyntaxTree): boolean => isTree(value) && value['is_null'] === true;

const first = ([child]: readonly SyntaxTree[], scope: Scope): Origins =>
  child === undefined ? undefined : originsOf(child, scope);

function ofColumn(names: readonly string[], scope: Scope): Origins {
  const [qualifier, column] = names;
  if (qualifier === undefined || names.length > 2) return undefined;
  if (column === undefined) return unqualified(qualifier, scope);
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const source = at.sources.get(qualifier);
    if (source !== undefined) return source(column);
  }
  return undefined;
}

/** The column may belong to any relation in scope: the text does not say which tables have such a column. */
function unqualified(column: string, scope: Scope): Origins {
  const parts: Origins[] = [];
  for (let at: Scope | null = scope; at !== null; at = at.outer)
    parts.push(anyOf([...at.sources.values()], column));
  return union(parts);
}

function ofCase(node: SyntaxTree, scope: Scope): Origins {
  const results = treesIn(node['case_checks']).map((one) => one['then_expr']);
  const all = [...results, ...(isTree(node['else_expr']) ? [node['else_expr']] : [])];
  return union(all.map((one) => (isTree(one) ? originsOf(one, scope) : undefined)));
}

function ofFunction(node: SyntaxTree, children: readonly SyntaxTree[], scope: Scope): Origins {
  const name = String(node['function_name']);
  if (CHOOSING.includes(name)) return first(children, scope);
  if (PICKING.includes(name)) return union(children.map((one) => originsOf(one, scope)));
  const columns = new Map<string, SyntaxTree>();
  const written = arithmeticOf(node, columns);
  const [column] = columns.values();
  if (written === undefined || column === undefined || columns.size > 1) return ofSum(node, scope);
  return wrapped(originsOf(column, scope), (expression) => written.replaceAll(PLACEHOLDER, () => expression));
}

function ofSum(node: SyntaxTree, scope: Scope): Origins {
  const parts = addendsOf(node);
  return parts && originsOfSum(parts, (part) => originsOf(part, scope));
}

const PLACEHOLDER = '$';

/** Arithmetic over columns and constants, as SQL with a placeholder for the column; undefined for anything else. */
function arithmeticOf(node: SyntaxTree, columns: Map<string, SyntaxTree>): string | undefined {
  if (node['class'] === 'COLUMN_REF') {
    columns.set(textsIn(node['column_names']).join('.'), node);
    return PLACEHOLDER;
  }
  const constant = termOf(node);
  if (typeof constant === 'number') return String(constant);
  const [left, right, more] = treesIn(node['children']).map((child) => arithmeticOf(child, columns));
  const operator = String(node['function_name']);
  if (node['class'] !== 'FUNCTION' || !OPERATORS.includes(operator as Operator)) return undefined;
  if (left === undefined || right === undefined || more !== undefined) return undefined;
  return `(${left} ${operator} ${right})`;
}

/** Wraps origins in an expression; undefined unless all of them are table columns. */
function wrapped(origins: Origins, wrap: (expression: string) => string): Origins {
  const isOfTables = origins?.every((origin) => 'table' in origin && origin.plus === undefined);
  if (origins === undefined || isOfTables !== true) return undefined;
  return origins.map((origin) =>
    'table' in origin ? { ...origin, expression: wrap(origin.expression) } : origin,
  );
}

// The values of `unnest(sequence(…))` in a query's syntax tree.

/** `unnest(sequence(…))` over parameters alone, or over multiples of the step: `sequence(seen - seen % 60, …, 60)`. */
function originsOfSeries(from: SyntaxTree): readonly Origin[] | undefined {
  const call = isTree(from['function']) ? from['function'] : {};
  const [items] = treesIn(call['children']);
  if (call['function_name'] !== 'unnest' || items === undefined) return undefined;
  const term = termOf(items);
  if (Array.isArray(term) && term[0] === 'sequence') return [{ sequence: term }];
  const [first, , step] = treesIn(items['children']);
  const multipleOf = step === undefined ? undefined : termOf(step);
  const isMultiple =
    items['function_name'] === 'sequence' && first !== undefined && isRoundedTo(first, multipleOf);
  return typeof multipleOf === 'number' && isMultiple ? [{ multipleOf }] : undefined;
}

/** `x - x % step` */
function isRoundedTo(node: SyntaxTree, step: TimeTerm | undefined): boolean {
  const [value, rest] = addendsOf(node) ?? [];
  if (value === undefined || rest === undefined || !rest.isNegative || rest.node['function_name'] !== '%')
    return false;
  const [dividend, divisor] = treesIn(rest.node['children']);
  const isSame = textOf(dividend) === textOf(value.node);
  return isSame && divisor !== undefined && step !== undefined && termOf(divisor) === step;
}

/** The node as text, without its position in the query. */
const textOf = (node: SyntaxTree | undefined): string =>
  JSON.stringify(node, (name, value) => (name === 'query_location' ? null : value));

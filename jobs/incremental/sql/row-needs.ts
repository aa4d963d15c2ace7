// Reads from a query's syntax tree which tables must have rows for the query to return any. When in doubt, a query needs nothing.
import type { Json } from '../../../platform/base/json.ts';
import { isTree, type SyntaxTree } from '../../engine/syntax.ts';
import { NO_NEEDS, type RowNeeds } from '../dependencies.ts';
import { expressionsOf } from './origins.ts';

/** Needs of common table expressions, by name in lower case. */
type NeedsByName = ReadonlyMap<string, RowNeeds>;

export const rowNeedsOf = (query: SyntaxTree): RowNeeds => ofQuery(query, new Map());

/** Needs of the common table expressions of a query, and of those around it. */
function needsByName(query: SyntaxTree, outer: NeedsByName): NeedsByName {
  const needs = new Map(outer);
  for (const { name, query: expression } of expressionsOf(query))
    needs.set(name.toLowerCase(), ofQuery(expression, needs));
  return needs;
}

function ofQuery(query: Json | undefined, outer: NeedsByName): RowNeeds {
  if (!isTree(query)) return NO_NEEDS;
  const needs = needsByName(query, outer);
  if (query['type'] === 'SET_OPERATION_NODE') return ofSets(query, needs);
  if (query['type'] !== 'SELECT_NODE' || givesRowOfNothing(query)) return NO_NEEDS;
  return ofSource(query['from_table'], needs);
}

function ofSets({ setop_type: operation, left, right }: SyntaxTree, needs: NeedsByName): RowNeeds {
  const [first, second] = [ofQuery(left, needs), ofQuery(right, needs)];
  switch (operation) {
    case 'UNION':
      return { any: [first, second] };
    case 'INTERSECT':
      return { all: [first, second] };
    case 'EXCEPT':
      return first;
    default:
      return NO_NEEDS;
  }
}

function ofSource(from: Json | undefined, needs: NeedsByName): RowNeeds {
  if (!isTree(from)) return NO_NEEDS;
  switch (from['type']) {
    case 'BASE_TABLE':
      return from['schema_name']
        ? `${from['schema_name']}.${from['table_name']}`
        : (needs.get(String(from['table_name']).toLowerCase()) ?? NO_NEEDS);
    case 'SUBQUERY':
      return isTree(from['subquery']) ? ofQuery(from['subquery']['node'], needs) : NO_NEEDS;
    case 'JOIN':
      return ofJoin(from, needs);
    default:
      return NO_NEEDS;
  }
}

function ofJoin(
  { join_type: type, ref_type: manner, left, right }: SyntaxTree,
  needs: NeedsByName,
): RowNeeds {
  if (manner === 'POSITIONAL') return NO_NEEDS;
  const [first, second] = [ofSource(left, needs), ofSource(right, needs)];
  switch (type) {
    case 'INNER':
      return { all: [first, second] };
    case 'LEFT':
      return first;
    case 'RIGHT':
      return second;
    case 'FULL':
      return { any: [first, second] };
    default:
      return NO_NEEDS;
  }
}

/** Whether the query returns a row even if it reads none, as an aggregate does that is not grouped by anything. */
function givesRowOfNothing(select: SyntaxTree): boolean {
  const sets = Array.isArray(select['group_sets']) ? select['group_sets'] : [];
  if (sets.length > 0) return !sets.every((set) => Array.isArray(set) && set.length > 0);
  const { select_list: list, having, qualify, modifiers } = select;
  return [list, having, qualify, modifiers].some(mayAggregate);
}

/** Scalar functions. Any other function may be an aggregate. */
const OF_ONE_ROW = new Set(
  `+ - * / % || ~~ !~~ abs array_join ceil concat contains date_part exp floor from_unixtime greatest json_parse least length ln log10
  lower lpad mod nullif power regexp_like regexp_replace replace round row rpad split split_part sqrt substr substring to_hex trim
  upper`.split(/\s+/),
);

function mayAggregate(node: Json | undefined): boolean {
  if (Array.isArray(node)) return node.some(mayAggregate);
  if (!isTree(node)) return false;
  // Aggregates inside a subquery do not count, and a window function returns one row for each row.
  if (node['class'] === 'SUBQUERY') return mayAggregate(node['child']);
  if (node['class'] === 'FUNCTION' && !OF_ONE_ROW.has(String(node['function_name']))) return true;
  return Object.values(node).some(mayAggregate);
}

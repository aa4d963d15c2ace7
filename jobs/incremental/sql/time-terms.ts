// Recognises parameters, and terms computed from them alone, in DuckDB's syntax tree.
import { PARAMETERS } from '../../engine/parameters.ts';
import { isTree, MARKS, type SyntaxTree, treesIn } from '../../engine/syntax.ts';
import { OPERATORS, type Operator, type TimeTerm } from '../dependencies.ts';

/** The node as a term; undefined when it is not one. */
export function termOf(node: SyntaxTree): TimeTerm | undefined {
  if (node['class'] === 'CONSTANT') return constantOf(node);
  if (node['class'] === 'CAST') {
    const child = node['child'];
    const inner = isTree(child) ? termOf(child) : undefined;
    return isInteger(node['cast_type']) ? inner : undefined;
  }
  if (node['class'] !== 'FUNCTION') return undefined;
  const name = String(node['function_name']);
  const parts = treesIn(node['children']).map(termOf);
  if (parts.length === 0 || parts.some((part) => part === undefined)) return undefined;
  const [first, second, third] = parts as readonly TimeTerm[];
  if (first === undefined) return undefined;
  if (name === 'sequence' && second !== undefined) return ['sequence', first, second, third ?? 1];
  if (!OPERATORS.includes(name as Operator) || parts.length > 2) return undefined;
  if (second === undefined) return name === '-' ? ['-', 0, first] : undefined;
  return [name as Operator, first, second];
}

const isInteger = (type: SyntaxTree[string] | undefined): boolean =>
  isTree(type) && ['BIGINT', 'INTEGER'].includes(String(type['id']));

function constantOf(node: SyntaxTree): TimeTerm | undefined {
  const value = node['value'];
  if (!isTree(value) || typeof value['value'] !== 'number' || !isInteger(value['type'])) return undefined;
  return PARAMETERS.find((name) => MARKS[name] === value['value']) ?? value['value'];
}

/** Whether the value of the term depends on a parameter. */
export const usesTime = (term: TimeTerm): boolean =>
  typeof term === 'string' ||
  (Array.isArray(term) && term.slice(1).some((part) => usesTime(part as TimeTerm)));

// The values of `unnest(sequence(…))` in a query's syntax tree.
import type { Origin, TimeTerm } from '../time-use.ts';
import { addendsOf } from './sums.ts';
import { termOf } from './time-terms.ts';
import { type SyntaxTree, isTree, treesIn } from './tree.ts';

/** `unnest(sequence(…))` over parameters alone, or over multiples of the step: `sequence(seen - seen % 60, …, 60)`. */
export function originsOfSeries(from: SyntaxTree): readonly Origin[] | undefined {
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

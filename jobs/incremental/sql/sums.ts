// Sums in a query's syntax tree: the part that the parameters alone determine, and where the values of the rest come from.
import type { Json } from '../../../platform/base/json.ts';
import { isTree, type SyntaxTree, treesIn } from '../../engine/syntax.ts';
import type { Origin, TimeTerm, ValuesOf } from '../dependencies.ts';
import { termOf, usesTime } from './time-terms.ts';

export interface Part {
  readonly node: SyntaxTree;
  readonly isNegative: boolean;
}

/** The sum of a term and of parts that do not depend on the parameters. */
export interface Sum {
  readonly term: TimeTerm;
  readonly parts: readonly Part[];
}

/** Both sides of `+` or `-`; undefined for anything else. */
export function addendsOf(node: SyntaxTree): readonly [Part, Part] | undefined {
  const [left, right, more] = treesIn(node['children']);
  const name = String(node['function_name']);
  if (node['class'] !== 'FUNCTION' || !['+', '-'].includes(name)) return undefined;
  if (left === undefined || right === undefined || more !== undefined) return undefined;
  return [
    { node: left, isNegative: false },
    { node: right, isNegative: name === '-' },
  ];
}

/** Undefined if the parameters are used in anything but a sum. */
export function sumOf(node: Json | undefined): Sum | undefined {
  if (!isTree(node)) return undefined;
  const term = termOf(node);
  if (term !== undefined) return { term, parts: [] };
  if (!mentionsTime(node)) return { term: 0, parts: [{ node, isNegative: false }] };
  const [left, right] = addendsOf(node) ?? [];
  const [a, b] = [sumOf(left?.node), sumOf(right?.node)];
  if (a === undefined || b === undefined || right === undefined) return undefined;
  return right.isNegative
    ? difference(a, b)
    : { term: plus(a.term, b.term), parts: [...a.parts, ...b.parts] };
}

export const difference = (a: Sum, b: Sum): Sum => ({
  term: minus(a.term, b.term),
  parts: [...a.parts, ...b.parts.map(({ node, isNegative }) => ({ node, isNegative: !isNegative }))],
});

const minus = (a: TimeTerm, b: TimeTerm): TimeTerm => (b === 0 ? a : ['-', a, b]);

const plus = (a: TimeTerm, b: TimeTerm): TimeTerm => (a === 0 ? b : b === 0 ? a : ['+', a, b]);

function mentionsTime(node: Json | undefined): boolean {
  if (Array.isArray(node)) return node.some(mentionsTime);
  if (!isTree(node)) return false;
  const term = termOf(node);
  return term === undefined ? Object.values(node).some(mentionsTime) : usesTime(term);
}

type Origins = readonly Origin[] | undefined;

/** Above this number of sums, running the query is cheaper. */
const MAX_SUMS = 64;

/** Origins that include every value that the sum can have, whichever rows are joined. */
export function originsOfSum(parts: readonly Part[], originsOf: (node: SyntaxTree) => Origins): Origins {
  let sums: readonly (readonly Origin[])[] = [[]];
  for (const { node, isNegative } of parts) {
    const origins = originsOf(node);
    const signed = origins?.map((origin) => (isNegative ? negated(origin) : origin));
    if (origins === undefined || signed?.some((origin) => origin === undefined)) return undefined;
    sums = sums.flatMap((sum) => (signed as readonly Origin[]).map((origin) => [...sum, origin]));
    if (sums.length > MAX_SUMS) return undefined;
  }
  const added = sums.map(addedUp);
  return added.some((origin) => origin === undefined) ? undefined : (added as readonly Origin[]);
}

function negated(origin: Origin): Origin | undefined {
  if ('constant' in origin) return { constant: -origin.constant };
  if (!('table' in origin)) return undefined;
  const { plus: offsets = [], ...own } = origin;
  return withOffsets(minusOf(own), offsets.map(minusOf));
}

const minusOf = (values: ValuesOf): ValuesOf => ({ ...values, expression: `(0 - ${values.expression})` });

const withOffsets = (own: Origin, offsets: readonly ValuesOf[]): Origin =>
  offsets.length === 0 ? own : { ...own, plus: offsets };

/** Whether a column has few distinct values, judging by its name: any of them may be added to the instants of one table. */
const isDuration = ({ table, column }: ValuesOf): boolean =>
  table.startsWith('policy.') || column.endsWith('_s');

function addedUp(origins: readonly Origin[]): Origin | undefined {
  const constant = origins.reduce((sum, one) => sum + ('constant' in one ? one.constant : 0), 0);
  const columns = origins.flatMap(({ plus: offsets = [], ...own }) =>
    'table' in own ? [own, ...offsets] : offsets,
  );
  const instants: readonly Origin[] = [
    ...columns.filter((one) => !isDuration(one)),
    ...origins.filter((one) => 'sequence' in one),
  ];
  if (instants.length > 1 || origins.some((one) => 'multipleOf' in one)) return undefined;
  const [offset, ...offsets] = columns.filter(isDuration);
  const [instant] = instants;
  if (instant === undefined)
    return offset === undefined ? { constant } : withOffsets(shifted(offset, constant), offsets);
  if (offset !== undefined) return withOffsets(instant, [shifted(offset, constant), ...offsets]);
  if (constant === 0) return instant;
  return 'table' in instant ? shifted(instant, constant) : undefined;
}

const shifted = (values: ValuesOf, constant: number): ValuesOf =>
  constant === 0 ? values : { ...values, expression: `(${values.expression} + ${constant})` };

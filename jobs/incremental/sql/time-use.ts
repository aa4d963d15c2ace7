// Finds in a query's syntax tree how it depends on the parameters: the terms it computes from them, and the values it compares with those.
import type { Json } from '../../../platform/base/json.ts';
import { isTree, type SqlSyntax, type SyntaxTree } from '../../engine/syntax.ts';
import type { Dependencies, Threshold, TimeTerm, TimeUse } from '../dependencies.ts';
import { expressionsOf, NO_SCOPE, originsOf, queriesOf, type Scope, scopeOf, sourceOf } from './origins.ts';
import { rowNeedsOf } from './row-needs.ts';
import { difference, originsOfSum, type Part, sumOf } from './sums.ts';
import { termOf, usesTime } from './time-terms.ts';

interface TimeUseParts {
  readonly terms: Map<string, TimeTerm>;
  readonly thresholds: Map<string, Threshold>;
}

/** Folders of the code that decides what is read from a text. Readings that other code has stored are not used. */
export const READERS: readonly URL[] = ['./', '../'].map((path) => new URL(path, import.meta.url));

/** Reads a query's text. `time`: as for `timeUseOf`. */
export const readDependencies = (
  syntax: Pick<SqlSyntax, 'readTree'>,
  sql: string,
  time: string,
): Promise<Omit<Dependencies, 'reads'>> =>
  syntax.readTree(`dependencies ${time}`, sql, (tree) => ({
    times: timeUseOf(tree, time),
    needs: rowNeedsOf(tree),
  }));

/**
 * `tree`: a query whose parameters are marks. `time`: the column by which rows outside the window are left out; empty when none are.
 */
export function timeUseOf(tree: SyntaxTree, time: string): TimeUse {
  const parts: TimeUseParts = { terms: new Map(), thresholds: new Map() };
  walk(tree, NO_SCOPE, parts);
  if (time !== '') {
    const origins = sourceOf(tree, NO_SCOPE)(time.toLowerCase());
    const step = STEPS[time];
    if ((origins ?? []).length === 0 && step !== undefined) addTerm(parts, lastBefore('end', step));
    else addThreshold(parts, { term: 'end', passes: 'from', origins });
  }
  return { terms: [...parts.terms.values()], thresholds: [...parts.thresholds.values()] };
}

/** Columns with these names hold multiples of this number of seconds (test/jobs/sources/demo/aligned-columns.test.ts). */
const STEPS: { readonly [column: string]: number } = { day: 86_400, hour: 3_600 };

/** The last multiple of a step before a time. */
const lastBefore = (time: 'end', step: number): TimeTerm => {
  const last: TimeTerm = ['-', time, 1];
  return ['-', last, ['%', last, step]];
};

function addTerm({ terms }: TimeUseParts, term: TimeTerm): void {
  if (usesTime(term)) terms.set(JSON.stringify(term), term);
}

type Candidate = Omit<Threshold, 'origins'> & { readonly origins: Threshold['origins'] | undefined };

/** If it is unknown which values are compared, the term itself must not change. */
function addThreshold(parts: TimeUseParts, { term, passes, origins }: Candidate): void {
  if (origins === undefined || origins.length === 0) addTerm(parts, term);
  else parts.thresholds.set(JSON.stringify([term, passes, origins]), { term, passes, origins });
}

function walk(node: Json | undefined, scope: Scope, parts: TimeUseParts): void {
  if (Array.isArray(node)) for (const child of node) walk(child, scope, parts);
  if (!isTree(node)) return;
  if (node['type'] === 'SELECT_NODE' || node['type'] === 'SET_OPERATION_NODE') {
    walkQuery(node, scope, parts);
    return;
  }
  const term = termOf(node);
  if (term !== undefined) addTerm(parts, term);
  else if (node['class'] === 'COMPARISON') compare(node, scope, parts);
  else if (node['class'] === 'BETWEEN') between(node, scope, parts);
  else walkChildren(node, scope, parts);
}

function walkQuery(node: SyntaxTree, outer: Scope, parts: TimeUseParts): void {
  const queries = queriesOf(node, outer);
  for (const { query } of expressionsOf(node)) walk(query, { outer, queries, sources: new Map() }, parts);
  const { cte_map: _seen, having, ...rest } = node;
  const scope =
    node['type'] === 'SELECT_NODE' ? scopeOf(node, outer) : { outer, queries, sources: new Map() };
  walkChildren(rest, scope, parts);
  // Names in `having` may refer to the select list.
  walk(having, NO_SCOPE, parts);
}

function walkChildren(node: SyntaxTree, scope: Scope, parts: TimeUseParts): void {
  for (const child of Object.values(node)) walk(child, scope, parts);
}

const MIRRORED: { readonly [operator: string]: string } = {
  COMPARE_LESSTHAN: 'COMPARE_GREATERTHAN',
  COMPARE_GREATERTHAN: 'COMPARE_LESSTHAN',
  COMPARE_LESSTHANOREQUALTO: 'COMPARE_GREATERTHANOREQUALTO',
  COMPARE_GREATERTHANOREQUALTO: 'COMPARE_LESSTHANOREQUALTO',
};
const FROM = ['COMPARE_LESSTHAN', 'COMPARE_GREATERTHANOREQUALTO'];

function compare(node: SyntaxTree, scope: Scope, parts: TimeUseParts): void {
  const { left, right } = node;
  compareSides({ operator: String(node['type']), left, right }, scope, parts);
}

function between(node: SyntaxTree, scope: Scope, parts: TimeUseParts): void {
  const { input, lower, upper } = node;
  compareSides({ operator: 'COMPARE_GREATERTHANOREQUALTO', left: input, right: lower }, scope, parts);
  compareSides({ operator: 'COMPARE_LESSTHANOREQUALTO', left: input, right: upper }, scope, parts);
}

/** Moves everything that depends on time to one side: `@now - seen > wait` compares `seen + wait` with `@now`. */
function compareSides(
  {
    operator,
    left,
    right,
  }: { readonly operator: string; readonly left: Json | undefined; readonly right: Json | undefined },
  scope: Scope,
  collected: TimeUseParts,
): void {
  const [a, b] = operator in MIRRORED ? [sumOf(left), sumOf(right)] : [];
  if (a === undefined || b === undefined) {
    walk(left, scope, collected);
    walk(right, scope, collected);
    return;
  }
  const isMirrored = !usesTime(b.term);
  const { term, parts } = isMirrored ? difference(a, b) : difference(b, a);
  if (!usesTime(term)) return;
  const value = parts.map(({ node, isNegative }) => ({ node, isNegative: !isNegative }));
  const passes = FROM.includes((isMirrored ? MIRRORED[operator] : operator) ?? '') ? 'from' : 'above';
  addThreshold(collected, { term, passes, origins: originsOfParts(value, scope) });
}

function originsOfParts(parts: readonly Part[], scope: Scope): Threshold['origins'] | undefined {
  const [part, more] = parts;
  if (part !== undefined && more === undefined && !part.isNegative) return originsOf(part.node, scope);
  return originsOfSum(parts, (node) => originsOf(node, scope));
}

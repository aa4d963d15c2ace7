// What the rows of a query depend on: its tables, its parameters, and which tables have rows at all. This shows whether it returns the same
// rows at a later time, without running it.
import type { Parameters } from '../engine/parameters.ts';

export interface Dependencies {
  /** Tables that the query reads, sorted. */
  readonly reads: readonly string[];
  /** How its rows depend on the window. */
  readonly times: TimeUse;
  /** Which tables must have rows for the query to return any. */
  readonly needs: RowNeeds;
}

/** Values of an expression over the columns of a table. */
export interface ValuesOf {
  readonly table: string;
  /** The column that the expression is made of. */
  readonly column: string;
  readonly expression: string;
}

/** A number computed from parameters and constants: `@now - @now % 86400`. The value of a `sequence` is its first value and its length. */
export type TimeTerm =
  | number
  | keyof Parameters
  | readonly [operator: Operator, left: TimeTerm, right: TimeTerm]
  | readonly [operator: 'sequence', first: TimeTerm, last: TimeTerm, step: TimeTerm];

export const OPERATORS = ['+', '-', '*', '%'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Where the values compared with a term come from. Any value of each column in `plus` may be added to each of them. */
export type Origin = Values & { readonly plus?: readonly ValuesOf[] };

/** `multipleOf`: any multiple of a number. */
type Values =
  | ValuesOf
  | { readonly constant: number }
  | { readonly sequence: TimeTerm }
  | { readonly multipleOf: number };

/** Values that are compared with a term. The outcome stays the same while the term grows without passing one of them. */
export interface Threshold {
  readonly term: TimeTerm;
  /** `above`: compared by <= or >, so a value equal to the term has already been passed. `from`: compared by < or >=. */
  readonly passes: 'from' | 'above';
  readonly origins: readonly Origin[];
}

export interface TimeUse {
  /** While these keep their values and no threshold passes a value, the query returns the same rows from the same tables. */
  readonly terms: readonly TimeTerm[];
  readonly thresholds: readonly Threshold[];
}

export const NO_TIME_USE: TimeUse = { terms: [], thresholds: [] };

export interface Sequence {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/** Null for a term that is not a sequence. */
export function sequenceOf(term: TimeTerm, parameters: Parameters): Sequence | null {
  if (typeof term === 'number' || typeof term === 'string' || term[0] !== 'sequence') return null;
  const [, ...parts] = term;
  const [first = 0, last = 0, step = 1] = parts.map((part) => Number(valueOfTerm(part, parameters)));
  return { first, last, step };
}

/** Text for a sequence, otherwise a number. */
export function valueOfTerm(term: TimeTerm, parameters: Parameters): number | string {
  if (typeof term === 'number') return term;
  if (typeof term === 'string') return parameters[term];
  if (term[0] === 'sequence') {
    const { first, last, step } = sequenceOf(term, parameters) as Sequence;
    return `${first} ${Math.floor((last - first) / step)}`;
  }
  const [operator, left, right] = term;
  const [a, b] = [Number(valueOfTerm(left, parameters)), Number(valueOfTerm(right, parameters))];
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '%':
      return a % b;
  }
}

// Which tables must have rows for a query to return any. Without them, the query need not run: most families of a data folder are unused.

/** A table, or a combination of needs. An empty `all` is always met. */
export type RowNeeds = string | { readonly all: readonly RowNeeds[] } | { readonly any: readonly RowNeeds[] };

/** Needs of a query that may return rows whatever its tables hold. */
export const NO_NEEDS: RowNeeds = { all: [] };

/** Whether the query may return rows. `hasRows`: whether a table has, or may have, any rows. */
export async function areMet(
  needs: RowNeeds,
  hasRows: (table: string) => Promise<boolean>,
): Promise<boolean> {
  if (typeof needs === 'string') return hasRows(needs);
  const isAll = 'all' in needs;
  for (const part of isAll ? needs.all : needs.any)
    if ((await areMet(part, hasRows)) !== isAll) return !isAll;
  return isAll;
}

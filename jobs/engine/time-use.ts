// How a query depends on its parameters. From this follows whether it gives the same rows at a later time, without running it.
import type { Parameters } from './parameters.ts';

/** A number made of parameters and constants: `@now - @now % 86400`. Of a `sequence`: its first value and its length. */
export type TimeTerm =
  | number
  | keyof Parameters
  | readonly [operator: Operator, left: TimeTerm, right: TimeTerm]
  | readonly [operator: 'sequence', first: TimeTerm, last: TimeTerm, step: TimeTerm];

export const OPERATORS = ['+', '-', '*', '%'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Where the values come from that are compared with a term; `atMost` bounds values that the parameters alone determine. */
export type Origin =
  | { readonly table: string; readonly column: string; readonly expression: string }
  | { readonly constant: number }
  | { readonly atMost: TimeTerm };

/** Values are compared with a term. The outcome stays the same while the term grows without passing one of them. */
export interface Threshold {
  readonly term: TimeTerm;
  /** `above`: compared by <= or >, so that a value equal to the term is already below it; `from`: by < or >=. */
  readonly passes: 'from' | 'above';
  readonly origins: readonly Origin[];
}

export interface TimeUse {
  /** While these have the same values and no threshold passes a value, the query gives the same rows of the same tables. */
  readonly terms: readonly TimeTerm[];
  readonly thresholds: readonly Threshold[];
}

export const NO_TIME_USE: TimeUse = { terms: [], thresholds: [] };

/** Text for a sequence, otherwise a number. */
export function valueOfTerm(term: TimeTerm, parameters: Parameters): number | string {
  if (typeof term === 'number') return term;
  if (typeof term === 'string') return parameters[term];
  if (term[0] === 'sequence') {
    const [, first, last, step] = term.map((part) => Number(valueOfTerm(part as TimeTerm, parameters)));
    return `${first} ${Math.floor(((last ?? 0) - (first ?? 0)) / (step ?? 1))}`;
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

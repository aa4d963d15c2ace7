// Which state a table is in. What was computed from tables need not be computed again while their versions are the same.

/** Values of an expression over the columns of a table. */
export interface ValuesOf {
  readonly table: string;
  /** The column that the expression is made of. */
  readonly column: string;
  readonly expression: string;
}

/** Where a value is looked for: at least (`from`) or greater than (`above`) an instant. */
export interface ValuePlace {
  readonly at: number;
  readonly side: 'from' | 'above';
}

export interface Question extends ValuePlace {
  readonly values: ValuesOf;
}

/** In place of a table: the engine itself, with the functions that models use. */
export const ENGINE = 'engine';

export interface TableVersions {
  /** Of a model's table, a policy table or the engine. Differs whenever its rows do, and never returns to an earlier one; kept in the warehouse. */
  of(table: string): Promise<string>;
  /**
   * The least value from a place on; null when there is none, undefined when the table has no such column. Known for each version of the
   * table once.
   */
  next(values: ValuesOf, place: ValuePlace): Promise<number | null | undefined>;
  /** What may be asked of tables as they are now: with the first question about a table, the others are answered too. */
  expect(questions: readonly Question[]): Promise<void>;
  /** The different values, without null; null when they are too many, undefined when the table has no such column. */
  values(values: ValuesOf): Promise<readonly number[] | null | undefined>;
  /** False only of a model's table without rows. Known for each version of the table once. */
  hasRows(table: string): Promise<boolean>;
}

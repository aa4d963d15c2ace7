// Versions of tables. What was computed from tables need not be computed again while their versions are the same.

/** Values of an expression over the columns of a table. */
export interface ValuesOf {
  readonly table: string;
  /** The column that the expression is made of. */
  readonly column: string;
  readonly expression: string;
}

/** Where to look for a value: at or after an instant (`from`), or after it (`above`). */
export interface ValuePlace {
  readonly at: number;
  readonly side: 'from' | 'above';
}

export interface Question extends ValuePlace {
  readonly values: ValuesOf;
}

/** Used in place of a table's name: the engine itself, with the functions that models use. */
export const ENGINE = 'engine';

export interface TableVersions {
  /**
   * Version of a model's table, of a policy table or of the engine. It changes whenever the rows do and never returns to an earlier value;
   * it is kept in the warehouse.
   */
  of(table: string): Promise<string>;
  /**
   * The lowest value in that direction; null when there is none, undefined when the table has no such column. Queried once for each version
   * of the table.
   */
  next(values: ValuesOf, place: ValuePlace): Promise<number | null | undefined>;
  /** Announces the values that will be needed of the current versions, so that one statement per table fetches them all. */
  expect(questions: readonly Question[]): Promise<void>;
  /** The distinct values without nulls; null when there are too many, undefined when the table has no such column. */
  values(values: ValuesOf): Promise<readonly number[] | null | undefined>;
  /** SQL condition for the rows that an `append` model got since it had that version; undefined if the engine cannot tell. */
  addedSince?(table: string, version: string): Promise<string | undefined>;
  /** False only for a model's table without rows. Queried once for each version of the table. */
  hasRows(table: string): Promise<boolean>;
}

// The requested rows of a table, and their order.

/** Rows must have one of the values. */
export interface AnyOf<Facet extends string = string> {
  readonly facet: Facet;
  readonly values: readonly string[];
}

/** Rows must have a number from `min` to `max`. An unknown number is in no range. */
export interface NumberRange<Field extends string = string> {
  readonly field: Field;
  readonly min: number;
  readonly max: number;
}

export interface Sort<Field extends string = string> {
  readonly field: Field;
  readonly isDescending: boolean;
}

export interface Selection {
  readonly any: readonly AnyOf[];
  readonly between: readonly NumberRange[];
  /** Words that must all occur. */
  readonly search?: string | undefined;
  /** Default: the table's own order. */
  readonly sort?: Sort | undefined;
}

/** The cache key of a selection. JSON has no infinity, but different open ranges need different keys. */
export const selectionKey = (selection: Selection): string =>
  JSON.stringify(selection, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );

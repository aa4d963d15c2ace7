// A series of a dataset: the table and expressions that its points are read from. Expressions use the SQL dialect that all engines share.
import type { SeriesDefinition } from '../../schemas/series.ts';

export interface SeriesSource {
  readonly definition: SeriesDefinition;
  /** Table of points. A run leaves the rows before its window unchanged. */
  readonly table: string;
  /** Column with the day of a row; the table is read by day. */
  readonly day: string;
  /** Time of a point, Unix seconds. */
  readonly at: string;
  /** Orders points of the same time; the last one counts. */
  readonly turn?: string;
  /** Expressions for the columns of the dataset's key, in the same order. */
  readonly key: readonly string[];
  /** Expression of each column; by default its name. */
  readonly values?: { readonly [column: string]: string };
  /** Condition on the rows that are points; by default all rows. */
  readonly where?: string;
  /** Table of gaps: the columns of the dataset's key, `day`, `from_at`, `to_at`, `reason`. A gap over several days is one row a day. */
  readonly gaps?: string;
}

export function defineSeries(source: SeriesSource): SeriesSource {
  const strangers = Object.keys(source.values ?? {}).filter(
    (name) => !Object.hasOwn(source.definition.columns, name),
  );
  if (strangers.length > 0)
    throw new Error(`Series of ${source.definition.dataset}: no column ${strangers.join(', ')} is declared.`);
  return Object.freeze(source);
}

/** A series with one record a day, whose time is the column `day`. */
export const dailySeries = ({
  definition,
  table,
  ...rest
}: Omit<SeriesSource, 'day' | 'at' | 'turn'>): SeriesSource =>
  defineSeries({ definition, table, day: 'day', at: 'day', ...rest });

// A series of a dataset: which table its points are read from. Expressions are in the dialect that all engines share.
import type { SeriesDefinition } from '../../schemas/series.ts';

export interface SeriesSource {
  readonly definition: SeriesDefinition;
  /** Rows up to the window of a run are as they were at the run before. */
  readonly table: string;
  /** Column with the day of a row, by which it is read. */
  readonly day: string;
  /** Time of a point, Unix seconds. */
  readonly at: string;
  /** What orders points of one time; the last one counts. */
  readonly turn?: string;
  /** Expressions for the columns of the dataset's key, in their order. */
  readonly key: readonly string[];
  /** Expression of each column; its name if omitted. */
  readonly values?: { readonly [column: string]: string };
  /** Rows that are points; all if omitted. */
  readonly where?: string;
  /** Table of gaps: the columns of the dataset's key, `day`, `from_at`, `to_at`, `reason`. A gap over several days is one row a day. */
  readonly gaps?: string;
}

export function defineSeries(source: SeriesSource): SeriesSource {
  const strangers = Object.keys(source.values ?? {}).filter(
    (name) => !Object.hasOwn(source.definition.columns, name),
  );
  if (strangers.length > 0)
    throw new Error(`series of ${source.definition.dataset}: no column ${strangers.join(', ')} is declared`);
  return Object.freeze(source);
}

/** A series with one record a day, whose time is the column `day`. */
export const dailySeries = ({
  definition,
  table,
  ...rest
}: Omit<SeriesSource, 'day' | 'at' | 'turn'>): SeriesSource =>
  defineSeries({ definition, table, day: 'day', at: 'day', ...rest });

// Published datasets, checked at load time.
import { DAY_S, dayOf } from '../../platform/base/time.ts';
import type { TSchema } from '../../schemas/define.ts';
import type { SeriesDefinition } from '../../schemas/series.ts';
import type { DatasetSubject } from './subject.ts';

/** Days in the lists of datasets with a `day`. */
export const LIST_DAYS = 7;

/** First day of a seven-day list that has a record of today. A list that ends with yesterday also has the day before it (decision 57). */
export const firstListedDay = (now: number): number => dayOf(now) - (LIST_DAYS - 1) * DAY_S;

/** A published dataset: which `out` table it is read from and how its rows become documents. */
export interface Dataset {
  readonly id: string;
  readonly title: string;
  /** `out.<table>` */
  readonly table: string;
  /** Columns whose values, joined by `separator`, make the document's key. */
  readonly key: readonly string[];
  readonly separator: string;
  /** `one`: each row is a document. `list`: the rows of a key, in `order`, form one document. */
  readonly shape: 'one' | 'list';
  /** SQL `order by` within a key, total. Empty for `one`. */
  readonly order: string;
  /**
   * Column with the day of a row (Unix seconds), for a list that publishes the last seven days of rows kept for every day. A day is still
   * watched after it has left the list, and a later change to it is published as a correction.
   */
  readonly day?: string;
  /**
   * Column with the day of a row (Unix seconds) in a dataset without `day` whose rows are daily records: today's record is marked partial.
   */
  readonly recordDay?: string;
  /** With `day`: columns that distinguish the rows of one key and day, if they are not the columns that follow the day in `order`. */
  readonly part?: readonly string[];
  /** What a row is about. Bad, missing and unfit rows are judged and held back per subject. */
  readonly subject: DatasetSubject;
  /** Raw tables whose subjects the dataset must publish; by default all that its models read. */
  readonly subjectsOf?: readonly string[];
  /** Column with a list of other rows of the dataset, named by the columns of their subject as far as these differ from the row's own. */
  readonly peers?: string;
  /** A subject without a row is not a gap; it means that nothing was found. */
  readonly isSparse?: true;
  /** Not in the first version of an empty folder, because the models that only it needs take long. */
  readonly isPostponed?: true;
  /** Its rows are conditions: publication adds the ids of their events, and a condition for every dataset whose gate does not pass. */
  readonly hasConditions?: true;
  /** Schema of one published row: its properties decide which columns are kept, and every row is validated against it. */
  readonly row: TSchema;
  readonly updateCadenceSeconds: number;
  /** History of the subjects of its documents. */
  readonly series?: SeriesSource;
  /** Its rows are current figures. Its history consists of the last rows published on each UTC day, which no model can compute again. */
  readonly recorded?: SeriesDefinition;
}

export function defineDataset(dataset: Dataset): Dataset {
  if (!dataset.table.startsWith('out.'))
    throw new Error(`Dataset ${dataset.id}: ${dataset.table} is not an out table.`);
  if (dataset.key.length === 0) throw new Error(`Dataset ${dataset.id}: a document needs a key.`);
  if (dataset.shape === 'list' && dataset.order === '')
    throw new Error(`Dataset ${dataset.id}: a list needs an order.`);
  if (dataset.day !== undefined && !dataset.order.startsWith(`${dataset.day} desc`))
    throw new Error(
      `Dataset ${dataset.id}: its order must begin with "${dataset.day} desc", the newest day first.`,
    );
  return Object.freeze(dataset);
}

/**
 * A series of a dataset: the table and expressions that its points are read from. Expressions use the SQL dialect that all engines share.
 */
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

// Published datasets, checked at load time.
import type { TSchema } from '../../schemas/define.ts';

/** A published dataset: which `out` table it is read from and how its rows become documents. */
export interface Dataset {
  readonly id: string;
  readonly title: string;
  /** `out.<table>` */
  readonly table: string;
  /** Columns whose values, joined by `separator`, make the document's key. */
  readonly key: readonly string[];
  readonly separator: string;
  /** `one`: a row is a document. `list`: the rows of a key, in `order`, are one document. */
  readonly shape: 'one' | 'list';
  /** SQL `order by` inside a key, total. Empty for `one`. */
  readonly order: string;
  /**
   * Column with the day of a row (Unix seconds), where a list is the last seven days and follows from rows kept of every day: such a
   * day is watched after it has left the list, and a later change of it goes to the corrections.
   */
  readonly day?: string;
  /** Column with the day of a row (Unix seconds) of a dataset without `day` whose rows are records of days, so that today's is partial. */
  readonly recordDay?: string;
  /** With a day: columns that tell the rows of one key and day apart, where these are not the columns of the order after the day. */
  readonly part?: readonly string[];
  /** What a row is about: raw field -> column of its table; bad and missing rows are judged by it. Without it: everything at once. */
  readonly subject?: { readonly [field: string]: string };
  /** Table with the columns of a raw subject and of this one, for raw tables that do not name it themselves. */
  readonly subjectsIn?: string;
  /** Raw tables whose subjects it is to publish; all that its models read when left out. */
  readonly subjectsOf?: readonly string[];
  /** A subject without a row is no gap: nothing was found. */
  readonly isSparse?: true;
  /** Shape of one row as published: its properties say which columns are kept, and every row is validated against it. */
  readonly row: TSchema;
  readonly updateCadenceSeconds: number;
}

export function defineDataset(dataset: Dataset): Dataset {
  if (!dataset.table.startsWith('out.'))
    throw new Error(`dataset ${dataset.id}: ${dataset.table} is not an out table`);
  if (dataset.key.length === 0) throw new Error(`dataset ${dataset.id}: a document needs a key`);
  if (dataset.shape === 'list' && dataset.order === '')
    throw new Error(`dataset ${dataset.id}: a list needs an order`);
  if (dataset.day !== undefined && !dataset.order.startsWith(`${dataset.day} desc`))
    throw new Error(
      `dataset ${dataset.id}: its order must begin with "${dataset.day} desc", the newest day first`,
    );
  return Object.freeze(dataset);
}

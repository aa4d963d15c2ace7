// A model as an engine sees it: one SELECT, and how its rows are stored.

/**
 * `view`: not stored. `full`: computed as a whole. `window`: the rows of a window are replaced. `merge`: rows replace those with the same
 * grain. `append`: rows of landed files are added and never change.
 */
export const KINDS = ['view', 'full', 'window', 'merge', 'append'] as const;
export type ModelKind = (typeof KINDS)[number];

export interface ModelTable {
  /** `obs.feed_round` */
  readonly name: string;
  /** The family that the model belongs to. */
  readonly domain: string;
  /** Path as shown in messages: `jobs/families/oracles/obs.feed_round.sql` */
  readonly file: string;
  /** One SELECT, with its parameters. */
  readonly sql: string;
  readonly kind: ModelKind;
  /** Columns that identify one row. */
  readonly grain: readonly string[];
  /** SQL order in which rows are stored; the grain unless the header names another. */
  readonly order: string;
  /** Kind `window`: the column that @start and @end delimit. Other kinds: empty unless the header names one. */
  readonly time: string;
  /**
   * Kind `window`: a column with instants, Unix seconds; an engine may replace only the rows of hours that have changed, which then have
   * another order on disk than `order`. Empty if all rows of a window are replaced together.
   */
  readonly byHour: string;
  /** Whether the model continues from its own earlier rows. */
  readonly readsSelf: boolean;
}

// Subjects of datasets and events, and how one rests on another: what a check names is held back wherever it is shown. Expressions use the
// SQL dialect that all engines share.

/** Field of a raw table or an audit -> column of a table, or an expression over its columns. */
export interface SubjectColumns {
  readonly [field: string]: string;
}

/** How the rows of a dataset are held back. */
export type DatasetSubject =
  /** The columns that identify the subject of a row. */
  | { readonly columns: SubjectColumns }
  /** A text column with the id of the subject, as events have it; `ids` as for a detector. */
  | {
      readonly idColumn: string;
      readonly ids: readonly SubjectId[];
      /** The id of rows that rest on everything that a table is built from. */
      readonly everything: { readonly id: string; readonly table: string };
    }
  /** Its rows are about no single subject: they are published, and their gate names what is held back among their inputs. */
  | { readonly none: string };

/**
 * The ids of a subject in events: fields in braces are replaced by their values, in which `|` becomes `:`; `*` is any text. For example
 * `oracle:{chain}:{feed_address}:*`.
 */
export type SubjectId = `${string}{${string}}${string}`;

/** The ids of an event's subject, or the reason why an event rests on everything that its query reads. */
export type EventSubject = readonly [SubjectId, ...SubjectId[]] | { readonly everything: string };

/** Rows that connect a subject with another one that rests on it: a feed with the asset that it prices. */
export interface SubjectLink {
  /** `from` clause: tables of the layers `obs`, `derived` and `policy`. */
  readonly tables: string;
  readonly of: SubjectColumns;
  readonly to: SubjectColumns;
  /** Applies to findings about this domain's tables only, if others use the same fields for other subjects. */
  readonly domain?: string;
}

/** Empty for a dataset whose rows are not identified by columns. */
export const columnsOf = (subject: DatasetSubject): SubjectColumns =>
  'columns' in subject ? subject.columns : {};

/** The fields of an id. */
export const fieldsOf = (id: SubjectId): readonly string[] =>
  [...id.matchAll(/\{(\w+)\}/g)].map(([, field]) => field ?? '');

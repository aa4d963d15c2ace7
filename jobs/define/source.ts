// Sources: what they deliver, and how the records of a file are mapped to the fields of a raw table.
import type { Source as Provenance } from '../../schemas/provenance.ts';
import type { Column } from '../engine/rows.ts';

/** Where a batch came from; becomes `sources[]` of every dataset that depends on it. */
export type SourceFacts = Pick<
  Provenance,
  'id' | 'kind' | 'name' | 'url' | 'chain' | 'license' | 'attribution' | 'terms_url' | 'redistributable'
>;

/** Unix seconds, milliseconds, ISO 8601, or a strptime pattern. */
export type TimeForm = 'unix_s' | 'unix_ms' | 'unix_us' | 'unix_ns' | 'iso8601' | (string & {});

/** How one raw field is taken from a file's record. */
export interface FieldMapping {
  /** Column (CSV, Parquet) or dotted path (JSON, NDJSON), or several of which the first that is not empty is used. */
  readonly from?: string | readonly string[];
  /** Alternatives to `from`: a dotted path from the root of a JSON document, or a constant. Every row gets that value. */
  readonly document?: string;
  readonly value?: string | number | boolean;
  /** Format of a time, or several of which the first that parses it is used. Read as UTC unless it carries an offset. */
  readonly time?: TimeForm | readonly TimeForm[];
  /** Notation of a number: `1234.5`, `1,234.5`, `1.234,5` or `1.2345e3`. Each of them takes an exponent. */
  readonly number?: 'plain' | 'thousands' | 'european' | 'scientific';
  /** Factor that converts the number to the field's unit; `decimals`: ten to the power of the row's field `decimals`. */
  readonly scale?: number | 'decimals';
  /** Replaces whole values: `{"": null, "Crypto": "crypto"}`. */
  readonly replace?: { readonly [from: string]: string | number | boolean | null };
  /** Prefix for non-empty text: `snapshot:` keeps the ids of two sources apart. */
  readonly prefix?: string;
}

type Scalar = string | number | boolean;

/** An allowed value, several allowed values, or values that are excluded. An empty cell is ''. */
export type Condition = Scalar | readonly Scalar[] | { readonly not: Scalar | readonly Scalar[] };

/** Column (or dotted path) -> condition on its text. A record is used when all conditions hold; others are counted and skipped. */
export interface Where {
  readonly [column: string]: Condition;
}

/** Another file with more fields of the same records, looked up by key. Its columns are mapped as `<as>.<column>`. */
export interface JoinedFile {
  readonly path: string;
  readonly format: 'csv' | 'ndjson' | 'json' | 'parquet';
  readonly records?: string;
  readonly delimiter?: string;
  readonly as: string;
  /** Column of the file -> column of the joined one. */
  readonly on: { readonly [column: string]: string };
  /** What happens to a record without a match: quarantine (the default), skipped and counted, or kept with empty columns. */
  readonly missing?: 'quarantine' | 'filter' | 'keep';
}

export interface FileDelivery {
  readonly kind: 'file';
  readonly path: string;
  readonly format: 'csv' | 'ndjson' | 'json' | 'parquet';
  /** Dotted path of the array of records inside a JSON document; empty for a top-level array. */
  readonly records?: string;
  readonly delimiter?: string;
  /** The records are the members of an object. Column `@key` is a member's name, `@value` its value unless that is an object. */
  readonly entries?: boolean;
  /** Dotted path of the column names in a JSON document whose records are lists. */
  readonly columns?: string;
  readonly where?: Where;
  readonly join?: JoinedFile;
  readonly fields: { readonly [field: string]: FieldMapping };
  /** sha256 of the file, if it is known to be immutable: a repeated delivery is then recognised without reading it. */
  readonly sha256?: string;
  /** When the file was received, Unix seconds; by default when it lands. */
  readonly fetched_at?: number;
}

export interface ColumnsDelivery {
  readonly kind: 'columns';
  readonly count: number;
  /** Raw field -> values; a field may come in any numeric form and is cast to the field's type on landing. */
  readonly columns: { readonly [field: string]: Column };
  /** Values that many rows share, so that each text is passed once: row i uses index `codes[i]` of every list in `values`. */
  readonly shared?: { readonly codes: Int32Array; readonly values: { readonly [field: string]: Column } };
  /**
   * Raw field -> SQL over the names in `columns` and `shared`, which then need not be raw fields; those that are not are not landed.
   * Evaluated before the row checks, as if the source had delivered the result.
   */
  readonly computed?: { readonly [field: string]: string };
}

export type Delivery = FileDelivery | ColumnsDelivery;

/** The logical interval a run covers: after `from`, up to and including `to`, Unix seconds. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Start of the very first interval: before any instant. */
export const BEFORE_ALL = -1;

export interface Source {
  readonly facts: SourceFacts;
  /** Name of the raw table it delivers to. */
  readonly table: string;
  /** The subjects that it is configured to deliver, each as values separated by a space, and the instant (Unix seconds) since when. */
  readonly expects?: { readonly subjects?: readonly string[]; readonly since?: number };
  /** The mapping of all its deliveries, if configured. */
  readonly fields?: FileDelivery['fields'];
  /** Those of `fields` that are constants of each delivery: quarantined rows keep the constants of their own delivery. */
  readonly constants?: readonly string[];
  /**
   * The deliveries that are new in the interval. A file source offers its files each time; those already landed are recognised by their
   * bytes.
   */
  deliveries(interval: Interval): AsyncIterable<Delivery>;
  /** Called when a delivery has landed, even as a repetition; it need not be offered again. */
  landed?(delivery: Delivery): void;
}

// Turns in-memory rows into a delivery.

/** All rows must have the same fields. */
export function columnsDelivery<R extends object>(rows: readonly R[]): ColumnsDelivery {
  const names = Object.keys(rows[0] ?? {}) as (keyof R & string)[];
  return {
    kind: 'columns',
    count: rows.length,
    columns: Object.fromEntries(
      names.map((name) => [name, rows.map((row) => row[name])]),
    ) as ColumnsDelivery['columns'],
  };
}

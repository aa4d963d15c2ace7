// The words a domain is written in: raw tables, sources, datasets, detectors. Each `define…` checks its argument
// at load time and gives it back frozen, so that a slip shows at start and not in the middle of a run.
import type { TSchema } from '../schemas/define.ts';
import type { Source as Provenance } from '../schemas/provenance.ts';
import type { DemoSettings } from './demo/settings.ts';
import type { Column } from './engine/rows.ts';
import type { PolicyDefinition, PolicyTable } from './policy/define.ts';

/** One field of a raw table. Units belong in the name or the description. */
export interface RawField {
  readonly name: string;
  readonly type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN';
  readonly description: string;
  readonly required?: boolean;
  /** Regular expression (RE2, the whole value) that a VARCHAR must match. */
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  /** Stored in lower case (addresses, chain names). */
  readonly lowercase?: boolean;
  /** SQL over the other fields; the source does not deliver this one. */
  readonly computed?: string;
}

/** Rows on their way to be written, column by column. An integer past 2^53 is a string of digits. */
export interface RowBatch {
  readonly count: number;
  readonly columns: { readonly [field: string]: readonly (string | number | boolean | null)[] };
}

/**
 * A step in TypeScript that fills fields of a table from what the source delivers, some thousand rows at a time, before they are written.
 * What one row gets depends on that row, the key and the version alone. Rows that turn out bad pass through it too, with nulls where
 * nothing could be read.
 */
export interface Enrichment {
  /** Delivered for this step alone: checked like other fields, given to `fill`, and never kept. */
  readonly takes: readonly RawField[];
  /** Fields of the table that it is given as well. */
  readonly reads: readonly string[];
  /** Fields of the table that it answers; no source delivers these. */
  readonly fills: readonly string[];
  /** Goes up when its answers change: bytes that landed under another version land again. */
  readonly version: number;
  fill(rows: RowBatch, key: Uint8Array): FilledColumns | Promise<FilledColumns>;
}

export type FilledColumns = { readonly [field: string]: Column };

/** How it shows that rows never came: a steady pace, numbers that go up by one, an audit; or not, which the gate says in these words. */
export type Completeness =
  | { readonly by: 'cadence'; readonly series: readonly string[] }
  | { readonly by: 'sequence'; readonly field: string }
  | { readonly by: 'audit'; readonly audit: string }
  | { readonly by: 'nothing'; readonly because: string };

/** A landing table: what a source must deliver. Bad rows go to quarantine, repeated ones are counted and dropped. */
export interface RawTable {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly RawField[];
  /** Fields that name what a row is about: bad and missing rows are judged by it (decision 60). Its kept rows have them too. */
  readonly subject: readonly string[];
  /** Natural key. Two rows with one key are one fact. */
  readonly key: readonly string[];
  /** Fields that must agree when a key comes again; if they do not, the later row is quarantined as a conflict. */
  readonly content: readonly string[];
  /** BIGINT field that holds the instant of the fact in Unix seconds; rows later than the fetch are quarantined. */
  readonly time: string;
  readonly enrichment?: Enrichment;
  /** What is delivered names people: bad rows wait in quarantine encrypted with the landing's key. */
  readonly isPersonal?: boolean;
  /** Computed BIGINT field of value 1: of a fact that one batch says several times, how often it does. */
  readonly copies?: string;
  /** The `append` model that keeps these rows, and its column with the instant: earlier rows are looked up there. */
  readonly kept: { readonly model: string; readonly time: string };
  readonly completeness: readonly Completeness[];
  /** Seconds for which a row shapes what is published; without it for ever. A refused row is missed no longer than that. */
  readonly reach?: number;
}

/** Where a batch came from; becomes `sources[]` of every dataset that rests on it. */
export type SourceFacts = Pick<Provenance, 'id' | 'kind' | 'name' | 'url' | 'chain' | 'license'>;

/** Unix seconds, milliseconds, ISO 8601, or a strptime pattern. */
export type TimeForm = 'unix_s' | 'unix_ms' | 'iso8601' | (string & {});

/** How one raw field is taken from a file's record. */
export interface FieldMapping {
  /** Column (CSV, Parquet) or dotted path (JSON, NDJSON); of several the first that is not empty. */
  readonly from?: string | readonly string[];
  /** Instead: a dotted path from the root of a JSON document, or a constant. Every row has that value. */
  readonly document?: string;
  readonly value?: string | number | boolean;
  /** How a time is written; of several ways the first that reads it. Read as UTC unless it carries an offset. */
  readonly time?: TimeForm | readonly TimeForm[];
  /** How a number is written: plain digits, `1,234.5`, or `1.5e18`. */
  readonly number?: 'plain' | 'thousands' | 'scientific';
  /** Factor that brings the number to the field's unit. */
  readonly scale?: number;
  /** Replaces whole values: `{"": null, "Crypto": "crypto"}`. */
  readonly replace?: { readonly [from: string]: string | number | boolean | null };
  /** Put before a text that is not empty: `snapshot:` keeps the ids of two sources apart. */
  readonly prefix?: string;
}

type Scalar = string | number | boolean;

/** A value, several, or none of several. An empty cell is ''. */
export type Condition = Scalar | readonly Scalar[] | { readonly not: Scalar | readonly Scalar[] };

/** Column (or dotted path) -> what its text must be. A record is taken when all of them hold; others are counted and left out. */
export interface Where {
  readonly [column: string]: Condition;
}

/** Another file with more about the same records, looked up by key. Its columns are mapped as `<as>.<column>`. */
export interface JoinedFile {
  readonly path: string;
  readonly format: 'csv' | 'ndjson' | 'json' | 'parquet';
  readonly records?: string;
  readonly delimiter?: string;
  readonly as: string;
  /** Column of the file -> column of the joined one. */
  readonly on: { readonly [column: string]: string };
  /** What becomes of a record without its counterpart: quarantine (the default), left out and counted, or kept with empty columns. */
  readonly missing?: 'quarantine' | 'filter' | 'keep';
}

export interface FileDelivery {
  readonly kind: 'file';
  readonly path: string;
  readonly format: 'csv' | 'ndjson' | 'json' | 'parquet';
  /** Dotted path of the array of records inside a JSON document; empty for a top-level array. */
  readonly records?: string;
  readonly delimiter?: string;
  readonly where?: Where;
  readonly join?: JoinedFile;
  readonly fields: { readonly [field: string]: FieldMapping };
}

export interface ColumnsDelivery {
  readonly kind: 'columns';
  readonly count: number;
  /** Raw field -> values; a field may come in any numeric form and is cast to the field's type on landing. */
  readonly columns: { readonly [field: string]: Column };
  /** Values that many rows share, so that a text is handed over once: row i takes place `codes[i]` of every list in `values`. */
  readonly shared?: { readonly codes: Int32Array; readonly values: { readonly [field: string]: Column } };
  /**
   * Raw field -> SQL over the names in `columns` and `shared`. Those names need not be raw fields then; what is no raw field is not landed.
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

export interface Source {
  readonly facts: SourceFacts;
  /** Name of the raw table it delivers to. */
  readonly table: string;
  /** What it is configured to deliver: subjects, values with a space between, each with rows since an instant (Unix seconds). */
  readonly expects?: { readonly subjects?: readonly string[]; readonly since?: number };
  /** The mapping of all of its deliveries, where it is configured. */
  readonly fields?: FileDelivery['fields'];
  /** What is new in the interval. A file source offers its files each time; what landed before is recognised by its bytes. */
  deliveries(interval: Interval): AsyncIterable<Delivery>;
}

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

/** An event type with a detector. Its query is `event.<type>.sql` in the folder of its domain. */
export interface Detector {
  readonly type: string;
  /** Dotted path of the policy value that is its threshold, where one value is. */
  readonly threshold?: string;
  readonly rules?: DetectorRules;
}

/**
 * Names of the policy values that decide about an event type, published as its rules: a value, or a part all of whose values count. `*`
 * stands for any one name.
 */
export interface DetectorRules {
  /** Where it fires, and where it ends. */
  readonly threshold?: readonly string[];
  /** What must hold as well, so that a single odd reading is no event. */
  readonly confirmation?: readonly string[];
  /** Units of values whose names do not end in one. */
  readonly units?: readonly (readonly [name: RegExp, unit: string])[];
}

/** Everything that one folder under `jobs/` brings. Models are the `.sql` files of the folder. */
export interface Domain {
  readonly id: string;
  readonly folder: URL;
  readonly raw: readonly RawTable[];
  /** What of it is configured, and the tables that models read of that. */
  readonly policy: readonly PolicyDefinition[];
  /** Tables that are made from the policies of several domains. */
  readonly policyTables?: readonly PolicyTable[];
  readonly datasets: readonly Dataset[];
  readonly detectors: readonly Detector[];
  /** It is part of the first version of an empty folder, and reads no other domain than these. */
  readonly isFirstLook?: true;
  /** What the demo world delivers to its raw tables. */
  readonly demo?: (settings: DemoSettings) => readonly Source[];
}

const NAME = /^[a-z][a-z0-9_]*$/;

export function defineRawTable(table: RawTable): RawTable {
  const names = new Set(table.fields.map((field) => field.name));
  const copies = table.copies === undefined ? [] : [table.copies];
  const { takes = [], reads = [], fills = [] } = table.enrichment ?? {};
  for (const name of [
    ...table.subject,
    ...table.key,
    ...table.content,
    table.time,
    ...copies,
    ...reads,
    ...fills,
  ]) {
    if (!names.has(name))
      throw new Error(`raw table ${table.name}: "${name}" is named but is not one of its fields`);
  }
  for (const { name } of takes) {
    if (names.has(name))
      throw new Error(`raw table ${table.name}: "${name}" is taken and kept, which is it?`);
    names.add(name);
  }
  for (const name of [table.name, ...names]) {
    if (!NAME.test(name)) throw new Error(`raw table ${table.name}: "${name}" is not a lower-case name`);
  }
  return Object.freeze(table);
}

/** Fields that a source delivers; the others are computed or filled from them. */
export function deliveredFields({ fields, enrichment }: RawTable): readonly RawField[] {
  const isFilled = (field: RawField) => enrichment?.fills.includes(field.name) ?? false;
  const own = fields.filter((field) => field.computed === undefined && !isFilled(field));
  return [...own, ...(enrichment?.takes ?? [])];
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

export const defineDetector = (detector: Detector): Detector => Object.freeze(detector);

export function defineDomain<const D extends Domain>(domain: D): D {
  return Object.freeze(domain);
}

/** Tables that models of any domain read as `policy.<name>`. */
export const policyTablesOf = (
  domains: readonly Pick<Domain, 'policy' | 'policyTables'>[],
): readonly PolicyTable[] =>
  domains.flatMap(({ policy, policyTables = [] }) => [
    ...policy.flatMap(({ tables }) => tables),
    ...policyTables,
  ]);

// Raw tables: what a source must deliver, field by field, and how missing rows are noticed. Definitions are checked at load time, so
// mistakes surface at startup instead of in the middle of a run.
import type { Column } from '../engine/rows.ts';

/** One field of a raw table. Units belong in the name or the description. */
export interface RawField {
  readonly name: string;
  readonly type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN';
  readonly description: string;
  readonly required?: boolean;
  /** Regular expression (RE2, the whole value) that a VARCHAR must match. */
  readonly pattern?: string;
  /** What the pattern admits, in words and with an example in backquotes; completes the refusal `field: must be …`. Every pattern has one. */
  readonly expected?: string;
  /**
   * A VARCHAR that holds an exact number, with at most so many digits before and after the point. It lands as plain digits, in whatever
   * notation it is delivered.
   */
  readonly amount?: { readonly digits: number; readonly decimals: number; readonly isSigned?: boolean };
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  /** Added to the reason of a value above `max`: what it most likely is, and where it belongs. */
  readonly hint?: string;
  /** Stored in lower case (addresses, chain names). Line breaks and tabs are refused in it. */
  readonly lowercase?: boolean;
  /** A list that may be written with line breaks although it is stored in lower case. */
  readonly hasLines?: true;
  /** SQL over the other fields, which cannot fail whatever they hold; the source does not deliver this one. */
  readonly computed?: string;
  /** A field without which there is nothing to compute. A row that has it, but not this one, is refused. */
  readonly computedFrom?: string;
  /** Why a row is refused if this field, required or computed from another one, cannot be computed. */
  readonly otherwise?: string;
}

/** Rows about to be written, column by column. An integer beyond 2^53 is a string of digits. */
export interface RowBatch {
  readonly count: number;
  readonly columns: { readonly [field: string]: readonly (string | number | boolean | null)[] };
}

/**
 * A step in TypeScript that fills fields of a table from what the source delivers, a few thousand rows at a time, before they are
 * written. The result for a row depends only on that row, the key and the version. Rows that later turn out to be bad pass through it too,
 * with nulls where nothing could be read.
 */
export interface Enrichment {
  /** Delivered only for this step: checked like other fields, passed to `fill`, and never kept. */
  readonly takes: readonly RawField[];
  /** Fields of the table that are passed to it as well. */
  readonly reads: readonly string[];
  /** Fields of the table that it fills; no source delivers these. */
  readonly fills: readonly string[];
  /** Incremented when its results change: bytes that landed under another version land again. */
  readonly version: number;
  fill(rows: RowBatch, key: Uint8Array): FilledColumns | Promise<FilledColumns>;
}

export type FilledColumns = { readonly [field: string]: Column };

/** How missing rows are noticed: by cadence, consecutive numbers or an audit. If not at all, the gate states the reason in `because`. */
export type Completeness =
  | { readonly by: 'cadence'; readonly series: readonly string[] }
  | { readonly by: 'sequence'; readonly field: string }
  | { readonly by: 'audit'; readonly audit: string }
  | { readonly by: 'nothing'; readonly because: string };

/** A landing table: what a source must deliver. Bad rows go to quarantine; repeated rows are counted and dropped. */
export interface RawTable {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly RawField[];
  /** Fields that name the subject of a row: bad and missing rows are judged per subject (decision 60). Kept rows contain them too. */
  readonly subject: readonly string[];
  /** Natural key. Two rows with one key are the same fact. */
  readonly key: readonly string[];
  /**
   * Fields that must agree when a key is repeated; if they do not, the later row is quarantined as a conflict. The time is one of them if the
   * key does not say it.
   */
  readonly content: readonly string[];
  /** BIGINT field that holds the instant of the fact in Unix seconds; rows later than the fetch are quarantined. */
  readonly time: string;
  readonly enrichment?: Enrichment;
  /** Describes how sources were read, not the market, so it never counts as an input of a dataset. */
  readonly isAboutSources?: true;
  /** Figures count its rows, so models must know whether 0 means that there were none or that none was delivered. */
  readonly isCounted?: true;
  /** Models name subjects of which one fact was stated twice and differently: only the first statement is kept. */
  readonly isDisputable?: true;
  /** Contains personal data: bad rows wait in quarantine encrypted with the landing's key. */
  readonly isPersonal?: boolean;
  /** Computed BIGINT field of value 1: for a fact that occurs several times in a batch, its number of occurrences. */
  readonly copies?: string;
  /** The `append` model that keeps these rows, and its column with the instant: earlier rows are looked up there. */
  readonly observations: { readonly model: string; readonly time: string };
  /**
   * Maximum age of the newest row, seconds: beyond it, the quality gate of everything computed from the table warns (decision 41). Null for
   * changes and single occurrences, such as registries, votes and logs, which may be silent for any time.
   */
  readonly maxAgeSeconds: number | null;
  readonly completeness: readonly Completeness[];
  /** Tables that can deliver the same facts in another form. A dataset that reads several of them needs a source for only one. */
  readonly alternatives?: readonly string[];
  /** Table of the same family that states these facts too, where a source has them: while it has one, nothing is missing without this one. */
  readonly supplements?: string;
  /** Seconds for which a row affects published data; permanently if omitted. A refused row counts as missing for no longer than that. */
  readonly reach?: number;
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
      throw new Error(`Raw table ${table.name}: "${name}" is named but is not one of its fields.`);
  }
  // When a source was read next depends on what else was known to have been read: the same reading may state another time later.
  if (![...table.key, ...table.content].includes(table.time) && table.isAboutSources !== true)
    throw new Error(
      `Raw table ${table.name}: "${table.time}" is neither part of the key nor of the content.`,
    );
  for (const { name } of takes) {
    if (names.has(name))
      throw new Error(`Raw table ${table.name}: "${name}" is taken and kept; remove it from one of them.`);
    names.add(name);
  }
  for (const { name, pattern, expected } of [...table.fields, ...takes]) {
    if ((pattern === undefined) !== (expected === undefined))
      throw new Error(
        `Raw table ${table.name}: "${name}" has a pattern or what it admits in words, but not both.`,
      );
  }
  for (const name of [table.name, ...names]) {
    if (!NAME.test(name)) throw new Error(`Raw table ${table.name}: "${name}" is not a lower-case name.`);
  }
  return Object.freeze(table);
}

/** Fields that a source delivers; the others are computed or filled from them. */
export function deliveredFields({ fields, enrichment }: RawTable): readonly RawField[] {
  const isFilled = (field: RawField) => enrichment?.fills.includes(field.name) ?? false;
  const own = fields.filter((field) => field.computed === undefined && !isFilled(field));
  return [...own, ...(enrichment?.takes ?? [])];
}

// Fields of a raw table that no source delivers.

export const computedFields = (table: RawTable): RawField[] =>
  table.fields.filter((field) => field.computed !== undefined);

/** Fields that the table's enrichment fills. */
export const filledFields = ({ fields, enrichment }: RawTable): RawField[] =>
  fields.filter((field) => enrichment?.fills.includes(field.name) ?? false);

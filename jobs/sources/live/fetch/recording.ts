// A recording: what one reading of a source received, kept unchanged. It consists of the bodies and the JSON file that describes them,
// which is written last.
import { Nullable, type Static, Strict, Type } from '../../../../schemas/define.ts';

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number();
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** Headers that state when a body was produced and what it is; no others are kept. */
export const KEPT_HEADERS = ['date', 'age', 'etag', 'last-modified', 'content-type', 'link'] as const;

export const RecordedPage = Strict({
  /** Relative to the folder of the recording; compressed with gzip. */
  file: Type.String(),
  file_sha256: Hash,
  /** Hash of the body without compression. */
  sha256: Hash,
  bytes: Count,
  records: Count,
  /** Tables of its rows, if every row names its own: a source that maps another table has nothing to land from it. */
  tables: Type.Optional(Type.Array(Type.String())),
  status: Count,
  /** Without secrets. */
  request: Strict({ method: Type.String(), url: Type.String(), body: Nullable(Type.String()) }),
  headers: Type.Record(Type.String(), Type.String()),
});
export type RecordedPage = Static<typeof RecordedPage>;

/** Whether a page can have rows for a mapping. */
export function hasRowsFor(
  { records, tables }: RecordedPage,
  { where }: { readonly where: { readonly [name: string]: unknown } | null },
): boolean {
  const wanted = where?.['table'];
  return records > 0 && (tables === undefined || typeof wanted !== 'string' || tables.includes(wanted));
}

/** Tables that rows name; omitted unless every row names one. */
export function tablesIn(rows: readonly object[]): Pick<RecordedPage, 'tables'> {
  const names = rows.map((row) => ('table' in row ? row.table : null));
  const texts = names.filter((name) => typeof name === 'string');
  return texts.length === 0 || texts.length < names.length ? {} : { tables: [...new Set(texts)] };
}

/** One of many subjects, named as its raw table names it, and why it could not be read. */
export const MissingSubject = Strict({ subject: Type.String(), reason: Type.String() });
export type MissingSubject = Static<typeof MissingSubject>;

/** `unchanged`: the same bytes as an accepted recording; `suspect`: waits for a second one that agrees; `failed`: nothing was received. */
export const OUTCOMES = ['accepted', 'unchanged', 'suspect', 'failed'] as const;

export const Recording = Strict({
  id: Type.String(),
  source: Type.String(),
  partition: Type.String(),
  params: Type.Record(Type.String(), Type.String()),
  outcome: Type.Enum([...OUTCOMES]),
  /** What went wrong, or why it is suspect. */
  reasons: Type.Array(Type.String()),
  /** Kind of the fault; null unless it failed. */
  fault: Nullable(Type.String()),
  /** Earliest next attempt, if the source asked for a delay. Unix seconds. */
  retry_at: Nullable(Seconds),
  /** Time that it covers, Unix seconds; for a reading of the present, both are the time of the reading. */
  window: Strict({ from: Seconds, to: Seconds }),
  urgency: Type.Enum(['tip', 'history']),
  fetched_at: Seconds,
  /** When the source produced it: the time of the fetch minus the age in its cache, Unix seconds. */
  as_of: Seconds,
  /** The later of our clock and the server's, Unix seconds: no row can be newer. */
  newest_possible: Seconds,
  block: Nullable(Strict({ chain: Type.String(), number: Count, hash: Type.String(), tag: Type.String() })),
  license: Nullable(Type.String()),
  /** Hash over all pages, in order. */
  sha256: Nullable(Hash),
  bytes: Count,
  records: Count,
  /** The rule that ended paging. */
  ended: Nullable(Type.String()),
  /** Paths in the first records, by which drift of the shape is noticed. */
  shape: Type.Array(Type.String()),
  /** How many records have each of the fields that are counted. */
  counts: Type.Optional(Type.Record(Type.String(), Count)),
  /** Short hash of the last record. */
  newest: Nullable(Type.String()),
  /** Suspect recordings that this one agrees with; from now on they count as accepted. */
  confirms: Type.Array(Type.String()),
  pages: Type.Array(RecordedPage),
  /** Subjects that could not be read; the reading does not count for them. */
  missing: Type.Optional(Type.Array(MissingSubject)),
  /** State from which the next reading of the partition continues, as compressed JSON next to the bodies. */
  state: Type.Optional(Strict({ file: Type.String(), file_sha256: Hash })),
});
export type Recording = Static<typeof Recording>;

/** How far ahead of ours the clock of a source may be for its rows to be believed, seconds. */
export const MAX_AHEAD_S = 86_400;
/** The longest wait that a source may ask for, seconds. */
const MAX_RETRY_S = 86_400;

/**
 * The recording with its times in their range. Versions that did not check what sources say wrote waits of millions of years and ages that
 * are no time at all; such a recording must not hide its source.
 */
export function inRange(recording: Recording): Recording {
  const { fetched_at, as_of, newest_possible, retry_at } = recording;
  return {
    ...recording,
    as_of: Math.min(Math.max(0, as_of), fetched_at),
    newest_possible: Math.min(Math.max(newest_possible, fetched_at), fetched_at + MAX_AHEAD_S),
    retry_at: retry_at === null ? null : Math.min(retry_at, fetched_at + MAX_RETRY_S),
  };
}

/** Recordings whose rows land: accepted ones, and suspect ones that a later one has confirmed. In the given order. */
export function landable(recordings: readonly Recording[]): readonly Recording[] {
  const confirmed = new Set(recordings.flatMap(({ confirms }) => confirms));
  return recordings.filter(
    ({ outcome, id }) => outcome === 'accepted' || (outcome === 'suspect' && confirmed.has(id)),
  );
}

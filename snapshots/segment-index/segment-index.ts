// The index of one segment of the event log: the id, position, time, kind and subject of each event, and a hash of each block of the
// segment's bytes. About 28 bytes per event. Who has checked the index can check any part of the segment without reading the rest.
import { hash } from 'node:crypto';
import { foldAddresses } from '../../platform/base/fold-addresses.ts';
import { lowerBound } from '../../platform/base/lower-bound.ts';
import { compareUlids, textOfParts, type UlidParts } from '../../platform/base/ulid.ts';
import type { SegmentEntry } from '../layout.ts';
import { type Column, type ColumnFile, decodeColumns } from './column-file.ts';

export const INDEX_FORMAT = 1;
/** Bytes of a segment that are hashed together. */
export const HASHED_BLOCK = 16_384;
/** Bytes kept of a block's SHA-256: enough that no one finds other bytes with the same ones. */
export const BLOCK_HASH = 16;
/** Events between two that have a position of their own; the others are added up. */
export const POSITION_STEP = 16;

/** What a search compares besides time and subject. Absent facts are null. */
export type EventKind = readonly [
  type: string,
  severity: string | null,
  chain: string | null,
  protocol: string | null,
];

export interface IndexFacts {
  readonly format: number;
  readonly segment_sha256: string;
  readonly segment_bytes: number;
  readonly events: number;
  /** Time of the first id, Unix milliseconds. */
  readonly first_ms: number;
  readonly kinds: readonly EventKind[];
}

export interface IndexColumns {
  /** Ids: milliseconds after the first one, and the 80 other bits. */
  readonly id_ms: Column;
  readonly id_high: Column;
  readonly id_middle: Column;
  readonly id_low: Column;
  /** Start of every sixteenth envelope in the segment. */
  readonly positions: Column;
  /** Bytes between the previous envelope, or the start, and this one. */
  readonly gaps: Column;
  readonly lengths: Column;
  /** Unix seconds. */
  readonly seconds: Column;
  readonly kinds: Column;
  /** Names of the subjects, addresses folded, in the order of their bytes, and where each starts; the last number is the end. */
  readonly subject_names: Column;
  readonly subject_starts: Column;
  /** Ordinals of the events of each subject, ascending, and where those of each subject start. */
  readonly subject_events: Column;
  readonly subject_lists: Column;
  readonly block_hashes: Column;
}

export interface EventSpan {
  readonly start: number;
  readonly length: number;
}

export const hashOfBlock = (block: Uint8Array): Buffer =>
  hash('sha256', block, 'buffer').subarray(0, BLOCK_HASH);

export class SegmentIndex {
  /** Number of events. */
  readonly count: number;
  readonly kinds: readonly EventKind[];
  readonly #columns: IndexColumns;
  readonly #firstMs: number;

  constructor({ facts, columns }: ColumnFile<IndexFacts> & { readonly columns: IndexColumns }) {
    this.count = facts.events;
    this.kinds = facts.kinds;
    this.#firstMs = facts.first_ms;
    this.#columns = columns;
  }

  /** Number of an event's kind in `kinds`. */
  kind(ordinal: number): number {
    return this.#columns.kinds[ordinal] ?? 0;
  }

  /** Event time, Unix seconds. */
  second(ordinal: number): number {
    return this.#columns.seconds[ordinal] ?? Number.NaN;
  }

  id(ordinal: number): UlidParts {
    const { id_ms, id_high, id_middle, id_low } = this.#columns;
    const ms = this.#firstMs + (id_ms[ordinal] ?? 0);
    const word = (ms % 2 ** 16) * 2 ** 16 + (id_high[ordinal] ?? 0);
    return [Math.floor(ms / 2 ** 16), word, id_middle[ordinal] ?? 0, id_low[ordinal] ?? 0];
  }

  /** Number of events before `id`, or up to and including it. */
  rank(id: UlidParts, isInclusive: boolean): number {
    return lowerBound(this.count, (ordinal) => {
      const order = compareUlids(this.id(ordinal), id);
      return isInclusive ? order > 0 : order >= 0;
    });
  }

  /** Where the envelope is in the segment. */
  span(ordinal: number): EventSpan {
    const { positions, gaps, lengths } = this.#columns;
    const step = Math.floor(ordinal / POSITION_STEP);
    let start = positions[step] ?? 0;
    for (let before = step * POSITION_STEP; before < ordinal; before++)
      start += (lengths[before] ?? 0) + (gaps[before + 1] ?? 0);
    return { start, length: lengths[ordinal] ?? 0 };
  }

  /** Ordinals of a subject's events, ascending. The case of addresses does not matter. */
  ofSubject(subject: string): Column {
    const { subject_names, subject_starts, subject_events, subject_lists } = this.#columns;
    const wanted = Buffer.from(foldAddresses(subject));
    const order = (number: number) =>
      wanted.compare(subject_names as Uint8Array, subject_starts[number], subject_starts[number + 1]);
    const count = subject_starts.length - 1;
    const number = lowerBound(count, (candidate) => order(candidate) <= 0);
    if (number === count || order(number) !== 0) return NO_EVENTS;
    return subject_events.subarray(subject_lists[number], subject_lists[number + 1]);
  }

  /** Whether these bytes are those that the segment had, as a block of it. */
  isBlock(number: number, bytes: Uint8Array): boolean {
    const start = number * BLOCK_HASH;
    const hashes = this.#columns.block_hashes as Uint8Array;
    return hashOfBlock(bytes).equals(hashes.subarray(start, start + BLOCK_HASH));
  }
}

const NO_EVENTS: Column = new Uint8Array(0);

const BYTE_COLUMNS: readonly (keyof IndexColumns)[] = ['subject_names', 'block_hashes'];

/** Undefined if the bytes are not the index of this segment in a format that this program reads. */
export function openSegmentIndex(bytes: Buffer, entry: SegmentEntry): SegmentIndex | undefined {
  const file = decodeColumns<IndexFacts>(bytes);
  if (file?.facts.format !== INDEX_FORMAT) return undefined;
  const { segment_sha256, segment_bytes, events } = file.facts;
  const isOfSegment =
    segment_sha256 === entry.sha256 && segment_bytes === entry.bytes && events === entry.count;
  if (!isOfSegment || !hasColumns(file.columns, file.facts)) return undefined;
  if (!areSound(file.columns, file.facts)) return undefined;
  const index = new SegmentIndex({ facts: file.facts, columns: file.columns });
  const ends = [index.id(0), index.id(events - 1)].map(textOfParts);
  return ends[0] === entry.first && ends[1] === entry.last ? index : undefined;
}

function hasColumns(
  columns: Readonly<Record<string, Column>>,
  { events, segment_bytes }: IndexFacts,
): columns is Readonly<Record<string, Column>> & IndexColumns {
  const perEvent = ['id_ms', 'id_high', 'id_middle', 'id_low', 'gaps', 'lengths', 'seconds', 'kinds'];
  const lengths = new Map([
    ...[...perEvent, 'subject_events'].map((name) => [name, events] as const),
    ['positions', Math.ceil(events / POSITION_STEP)],
    ['block_hashes', Math.ceil(segment_bytes / HASHED_BLOCK) * BLOCK_HASH],
    ['subject_lists', columns['subject_starts']?.length ?? 1],
  ]);
  return (
    columns['subject_names'] !== undefined &&
    [...lengths].every(([name, length]) => columns[name]?.length === length) &&
    BYTE_COLUMNS.every((name) => columns[name] instanceof Uint8Array)
  );
}

/** Whether all numbers lead to something: searches rely on it. */
function areSound(columns: IndexColumns, { events, kinds, segment_bytes }: IndexFacts): boolean {
  const { subject_starts, subject_names, subject_lists, subject_events, positions } = columns;
  return (
    Array.isArray(kinds) &&
    areStarts(subject_starts, subject_names.length) &&
    areStarts(subject_lists, events) &&
    areBelow(columns.kinds, kinds.length) &&
    areBelow(subject_events, events) &&
    areBelow(positions, segment_bytes)
  );
}

/** Whether these numbers begin at 0, never fall, and end at `end`. */
function areStarts(starts: Column, end: number): boolean {
  let last = 0;
  for (const start of starts) {
    if (!(start >= last)) return false;
    last = start;
  }
  return starts.length > 0 && starts[0] === 0 && last === end;
}

const areBelow = (numbers: Column, bound: number): boolean => {
  for (const number of numbers) if (!(number >= 0 && number < bound)) return false;
  return true;
};

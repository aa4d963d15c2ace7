// One file of the event log: its name, its lines, its check. A line is `{"key":<natural key>,"value":{"event_id":"…",…}}`; the
// envelope is found by position, so a reader of millions of events parses no JSON.
import { sha256Hex } from '../platform/storage/canonical.ts';
import { DamagedFileError, RefusedInputError } from '../platform/storage/errors.ts';
import { type SegmentEntry, segmentName, segmentPath } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { readPresent, SEGMENT_ADVICE } from './read.ts';
import { isUlid } from '../platform/base/ulid.ts';

export interface LoggedEvent {
  readonly id: string;
  /** Natural key. */
  readonly key: string;
  /** UTF-8 JSON of the envelope; a view of the segment's bytes. */
  readonly envelope: Buffer;
  /** Byte offset of the envelope in the file. */
  readonly offset: number;
  readonly length: number;
}

export interface Segment {
  readonly entry: SegmentEntry;
  readonly bytes: Buffer;
  /** Ordered by id. Throws DamagedFileError for an invalid line. */
  events(): Generator<LoggedEvent>;
}

/** Throws DamagedFileError unless the file has the hash of the entry. */
export async function readSegment(store: ObjectStore, entry: SegmentEntry): Promise<Segment> {
  const path = segmentPath(entry.name);
  const file = store.nameOf(path);
  const bytes = await readPresent(store, { path, sha256: entry.sha256, advice: SEGMENT_ADVICE });
  const actual = sha256Hex(bytes);
  if (actual !== entry.sha256)
    throw new DamagedFileError({
      file,
      expected: `sha256 ${entry.sha256} (${entry.bytes} bytes)`,
      actual: `sha256 ${actual} (${bytes.length} bytes)`,
      advice: SEGMENT_ADVICE,
    });
  return { entry, bytes, events: () => segmentEvents(bytes, file) };
}

/** Every event after `afterId` (all of them after null), in order, reading only the segments that have one. */
export async function* eventsAfter(
  store: ObjectStore,
  segments: readonly SegmentEntry[],
  afterId: string | null,
): AsyncGenerator<LoggedEvent> {
  for (const entry of segments) {
    if (afterId !== null && entry.last <= afterId) continue;
    const segment = await readSegment(store, entry);
    for (const event of segment.events()) if (afterId === null || event.id > afterId) yield event;
  }
}

export const eventLine = (key: string, envelope: string): string =>
  `{"key":${JSON.stringify(key)},"value":${envelope}}\n`;

const KEY_START = Buffer.from('{"key":"');
const VALUE_START = Buffer.from('","value":');
const ID_START = Buffer.from('{"event_id":"');
const ID_LENGTH = 26;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_END = 0x0a;

export function* segmentEvents(bytes: Buffer, file: string, advice = SEGMENT_ADVICE): Generator<LoggedEvent> {
  let start = 0;
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(LINE_END, start);
    const event = end === -1 ? null : parseLine(bytes, start, end);
    if (event === null)
      throw new DamagedFileError({
        file,
        expected: 'an event',
        actual: `other text in line ${line}`,
        advice,
      });
    yield event;
    start = end + 1;
  }
}

function parseLine(bytes: Buffer, start: number, end: number): LoggedEvent | null {
  if (!holds(bytes, start, KEY_START)) return null;
  const keyStart = start + KEY_START.length;
  const keyEnd = closingQuote(bytes, keyStart, end);
  if (!holds(bytes, keyEnd, VALUE_START)) return null;
  const offset = keyEnd + VALUE_START.length;
  if (!holds(bytes, offset, ID_START) || bytes[end - 1] !== 0x7d) return null;
  const idStart = offset + ID_START.length;
  const id = bytes.toString('latin1', idStart, idStart + ID_LENGTH);
  const envelope = bytes.subarray(offset, end - 1);
  const key = keyText(bytes, keyStart, keyEnd);
  if (key === null || !isUlid(id) || envelope.at(-1) !== 0x7d) return null;
  return { id, key, envelope, offset, length: envelope.length };
}

const holds = (bytes: Buffer, at: number, expected: Buffer): boolean =>
  at + expected.length <= bytes.length && expected.compare(bytes, at, at + expected.length) === 0;

function closingQuote(bytes: Buffer, from: number, end: number): number {
  let index = bytes.indexOf(QUOTE, from);
  while (index !== -1 && index < end && isEscaped(bytes, index, from))
    index = bytes.indexOf(QUOTE, index + 1);
  return index === -1 ? end : index;
}

function isEscaped(bytes: Buffer, quote: number, from: number): boolean {
  let backslashes = 0;
  while (quote - 1 - backslashes >= from && bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** Null for escapes that JSON does not have. */
function keyText(bytes: Buffer, start: number, end: number): string | null {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return null;
  }
}

/** First and last id in a segment's file name; null for other files. */
export function segmentRange(name: string): { first: string; last: string } | null {
  const [first, last, ...rest] = name.replace(/\.ndjson$/, '').split('_');
  if (first === undefined || last === undefined || rest.length > 0 || !name.endsWith('.ndjson')) return null;
  return isUlid(first) && isUlid(last) && first <= last ? { first, last } : null;
}

/** Throws RefusedInputError unless the segments follow one another without overlap. */
export function checkSegmentChain(segments: readonly SegmentEntry[]): void {
  let last = '';
  for (const segment of segments) {
    const range = segmentRange(segment.name);
    const isNamedWell = range?.first === segment.first && range.last === segment.last;
    if (!isNamedWell || segment.name !== segmentName(segment.first, segment.last) || segment.first <= last)
      throw new RefusedInputError(
        `Segment ${segment.name} (${segment.first} to ${segment.last}) does not follow ${last || 'the start'}.`,
      );
    last = segment.last;
  }
}

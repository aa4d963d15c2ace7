// Extracts what the replay index needs from one line of a segment, by position: an envelope begins with its `event_id`, and its
// other members are sorted, so `subject_id`, `ts` and `type` are the last ones.
import { holds, lineSpan } from '../data/ndjson-line.ts';

export interface ScannedEvent {
  /** Start of the envelope in the given bytes. */
  readonly start: number;
  readonly end: number;
  /** Start of the 26 digits of its id. */
  readonly idStart: number;
  readonly type: string;
  readonly subject: string;
}

const ID_MARK = Buffer.from('{"event_id":"');
const SUBJECT_MARK = Buffer.from('"subject_id":"');
const QUOTE = 0x22;
const TIME_MARK = '","ts":"';
const TYPE_MARK = '","type":"';

/** Undefined when the line is not an event. */
export function scanLine(bytes: Buffer, start: number, end: number): ScannedEvent | undefined {
  const span = lineSpan(bytes, start, end);
  if (span === undefined) return undefined;
  const { valueStart, valueEnd } = span;
  const idStart = valueStart + ID_MARK.length;
  if (idStart >= valueEnd || !holds(bytes, valueStart, ID_MARK)) return undefined;
  const names = namesAtEnd(bytes, valueStart, valueEnd) ?? namesByParsing(bytes, valueStart, valueEnd);
  return names === undefined ? undefined : { start: valueStart, end: valueEnd, idStart, ...names };
}

interface Names {
  readonly type: string;
  readonly subject: string;
}

/** Reads `…"subject_id":"a","ts":"b","type":"c"}`. A quote inside a string is escaped, so the marks occur nowhere else. */
function namesAtEnd(bytes: Buffer, start: number, end: number): Names | undefined {
  const mark = bytes.lastIndexOf(SUBJECT_MARK, end);
  if (mark <= start || bytes[end - 2] !== QUOTE) return undefined;
  const tail = bytes.toString('utf8', mark + SUBJECT_MARK.length, end - 2);
  const time = tail.indexOf(TIME_MARK);
  const type = tail.indexOf(TYPE_MARK, time);
  if (time === -1 || type === -1) return undefined;
  const names = { type: tail.slice(type + TYPE_MARK.length), subject: tail.slice(0, time) };
  return isPlain(names.type) && isPlain(names.subject) ? names : undefined;
}

const isPlain = (text: string) => !text.includes('"') && !text.includes('\\');

/** For members in another order, additional members, and escapes. */
function namesByParsing(bytes: Buffer, start: number, end: number): Names | undefined {
  try {
    const { type, subject_id } = JSON.parse(bytes.toString('utf8', start, end)) as Record<string, unknown>;
    return typeof type === 'string' && typeof subject_id === 'string'
      ? { type, subject: subject_id }
      : undefined;
  } catch {
    return undefined;
  }
}

// What the replay index needs to know of one line of a segment, found by position: an envelope begins with its `event_id`, and its
// other members are sorted, so `subject_id`, `ts` and `type` are the last ones.
import { lineSpan } from '../ndjson-line.ts';

export interface ScannedEvent {
  /** Where the envelope lies in the given bytes. */
  readonly start: number;
  readonly end: number;
  /** Where the 26 digits of its id are. */
  readonly idStart: number;
  readonly type: string;
  readonly subject: string;
}

const ID_MARK = Buffer.from('{"event_id":"');
const TAIL_BYTES = 384;
const TAIL = /"subject_id":"((?:[^"\\]|\\.)*)","ts":"[^"\\]*","type":"([^"\\]*)"\}$/;

/** Undefined when the line is not an event. */
export function scanLine(bytes: Buffer, start: number, end: number): ScannedEvent | undefined {
  const span = lineSpan(bytes, start, end);
  if (span === undefined) return undefined;
  const { valueStart, valueEnd } = span;
  const idStart = valueStart + ID_MARK.length;
  if (idStart >= valueEnd || ID_MARK.compare(bytes, valueStart, idStart) !== 0) return undefined;
  const tail = TAIL.exec(bytes.toString('utf8', Math.max(valueStart, valueEnd - TAIL_BYTES), valueEnd));
  const names = tail === null ? namesByParsing(bytes, valueStart, valueEnd) : namesOf(tail);
  return names === undefined ? undefined : { start: valueStart, end: valueEnd, idStart, ...names };
}

function namesOf(tail: RegExpExecArray): { type: string; subject: string } {
  const [, subject = '', type = ''] = tail;
  return { type, subject: subject.includes('\\') ? JSON.parse(`"${subject}"`) : subject };
}

/** For members in another order, and for subjects longer than the tail that is looked at. */
function namesByParsing(
  bytes: Buffer,
  start: number,
  end: number,
): { type: string; subject: string } | undefined {
  try {
    const { type, subject_id } = JSON.parse(bytes.toString('utf8', start, end)) as Record<string, unknown>;
    return typeof type === 'string' && typeof subject_id === 'string'
      ? { type, subject: subject_id }
      : undefined;
  } catch {
    return undefined;
  }
}

// Extracts what the replay index needs from one line of a segment, by position. An envelope starts with its `event_id`, and its other
// members are sorted, so `chain` is the next one, and `protocol`, `severity`, `subject_id`, `ts` and `type` are the last ones.
import { holds, lineSpan } from '../ndjson-line.ts';

export interface ScannedEvent {
  /** Start of the envelope in the given bytes. */
  readonly start: number;
  readonly end: number;
  /** Start of the 26 digits of its id. */
  readonly idStart: number;
  readonly type: string;
  readonly subject: string;
  /** Event time, Unix seconds. */
  readonly second: number;
  readonly severity: string | undefined;
  readonly chain: string | undefined;
  readonly protocol: string | undefined;
}

const ID_MARK = Buffer.from('{"event_id":"');
const SUBJECT_MARK = Buffer.from('"subject_id":"');
const QUOTE = 0x22;
const TIME_MARK = '","ts":"';
const TYPE_MARK = '","type":"';
const ID_LENGTH = 26;
/** Bytes searched for the member after the id, and for those before the subject. A longer event is parsed. */
const MAX_HEAD = 400;
const MAX_BEFORE = 400;
const CHAIN_MARK = '","chain":';
const CHAIN = /^","chain":"([^"\\]*)",/;
/** The end of `meta`, then optional members. */
const BEFORE_SUBJECT =
  /\}\},(?:"protocol":"([^"\\]*)",)?(?:"retracts_event_id":"[^"\\]*",)?(?:"severity":"([a-z]*)",)?$/;

/** Undefined if the line is not an event. */
export function scanEvent(bytes: Buffer, start: number, end: number): ScannedEvent | undefined {
  const span = lineSpan(bytes, start, end);
  if (span === undefined) return undefined;
  const { valueStart, valueEnd } = span;
  const idStart = valueStart + ID_MARK.length;
  if (idStart >= valueEnd || !holds(bytes, valueStart, ID_MARK)) return undefined;
  const names = namesAtEnd(bytes, valueStart, valueEnd) ?? namesByParsing(bytes, valueStart, valueEnd);
  return names === undefined ? undefined : { start: valueStart, end: valueEnd, idStart, ...names };
}

type Names = Pick<ScannedEvent, 'type' | 'subject' | 'second' | 'severity' | 'chain' | 'protocol'>;

/** Reads `…"subject_id":"a","ts":"b","type":"c"}`. Quotes inside strings are escaped, so the marks occur nowhere else. */
function namesAtEnd(bytes: Buffer, start: number, end: number): Names | undefined {
  const mark = bytes.lastIndexOf(SUBJECT_MARK, end);
  if (mark <= start || bytes[end - 2] !== QUOTE) return undefined;
  const tail = bytes.toString('utf8', mark + SUBJECT_MARK.length, end - 2);
  const time = tail.indexOf(TIME_MARK);
  const type = tail.indexOf(TYPE_MARK, time);
  if (time === -1 || type === -1) return undefined;
  const head = bytes.toString('utf8', start + ID_MARK.length + ID_LENGTH, Math.min(mark, start + MAX_HEAD));
  const before = BEFORE_SUBJECT.exec(bytes.toString('utf8', Math.max(start, mark - MAX_BEFORE), mark));
  if (before === null) return undefined;
  const chain = CHAIN.exec(head)?.[1];
  if (chain === undefined && head.startsWith(CHAIN_MARK)) return undefined;
  const names = {
    type: tail.slice(type + TYPE_MARK.length),
    subject: tail.slice(0, time),
    second: Date.parse(tail.slice(time + TIME_MARK.length, type)) / 1000,
    chain,
    protocol: before[1],
    severity: before[2],
  };
  return [names.type, names.subject].every(isPlain) && !Number.isNaN(names.second) ? names : undefined;
}

const isPlain = (text: string) => !text.includes('"') && !text.includes('\\');

/** Handles members in another order, additional members, and escapes. */
function namesByParsing(bytes: Buffer, start: number, end: number): Names | undefined {
  try {
    const event = JSON.parse(bytes.toString('utf8', start, end)) as Record<string, unknown>;
    const text = (member: string) => (typeof event[member] === 'string' ? event[member] : undefined);
    const [type, subject] = [text('type'), text('subject_id')];
    if (type === undefined || subject === undefined) return undefined;
    const second = Date.parse(text('ts') ?? '') / 1000;
    return {
      type,
      subject,
      second,
      severity: text('severity'),
      chain: text('chain'),
      protocol: text('protocol'),
    };
  } catch {
    return undefined;
  }
}

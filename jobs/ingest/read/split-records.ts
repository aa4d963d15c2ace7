// Splits a byte stream into records with their byte offsets, which CSV and JSON-lines parsers do not provide. Used where the SQL engine's
// bulk reader cannot be used: to find the raw bytes of bad rows, to read files with broken records, and to find the end of the last
// complete record of a growing file.

export interface RawRecord {
  /** 1-based, not counting the header. */
  readonly record: number;
  /** 1-based line on which it starts. */
  readonly line: number;
  readonly byteOffset: number;
  /** Without the line ending. */
  readonly bytes: Buffer;
  /** Why it is not a valid record. */
  readonly broken: string | null;
  /** False for a last record without a line ending. */
  readonly isEnded: boolean;
}

/** Longer records are cut at the next line ending and marked broken: usually they result from a stray quote. */
export const MAX_RECORD_BYTES = 1 << 20;

/** A line without an end in so many bytes is none: what follows up to its end is not read. */
export const MAX_LINE_BYTES = 1 << 26;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Where a record that starts at `from` ends; null when more bytes are needed to tell. */
interface End {
  readonly end: number;
  readonly next: number;
  readonly broken: string | null;
  readonly isEnded: boolean;
}

type FindEnd = (bytes: Buffer, from: number, isLast: boolean) => End | null;

/** One record per line; blank lines are skipped. */
export const splitLines = (chunks: AsyncIterable<Buffer>): AsyncIterable<RawRecord[]> =>
  split(chunks, { findEnd: lineEnd, isBlank: isSpace, nextLineEnd: nextLf, first: 1 });

/** Records of RFC 4180, quoted line ends included; the header is record 0. */
export function splitCsv(chunks: AsyncIterable<Buffer>, delimiter: string): AsyncIterable<RawRecord[]> {
  const separator = Buffer.from(delimiter);
  const findEnd: FindEnd = (bytes, from, isLast) => csvEnd(bytes, { from, isLast, separator });
  return split(chunks, { findEnd, isBlank: ({ length }) => length === 0, nextLineEnd: nextCrOrLf, first: 0 });
}

const nextLf = (bytes: Buffer, from: number): number => bytes.indexOf(LF, from);

function nextCrOrLf(bytes: Buffer, from: number): number {
  const [cr, lf] = [bytes.indexOf(CR, from), bytes.indexOf(LF, from)];
  return cr === -1 || lf === -1 ? Math.max(cr, lf) : Math.min(cr, lf);
}

interface Rules {
  readonly findEnd: FindEnd;
  readonly isBlank: (bytes: Buffer) => boolean;
  /** Index of the next end of a line, also inside quotes; -1 if there is none. */
  readonly nextLineEnd: (bytes: Buffer, from: number) => number;
  /** Number of the first record. */
  readonly first: number;
}

async function* split(chunks: AsyncIterable<Buffer>, rules: Rules): AsyncIterable<RawRecord[]> {
  const cutter = new Cutter(rules);
  for await (const chunk of chunks) yield cutter.feed(chunk, false);
  yield cutter.feed(Buffer.alloc(0), true);
}

class Cutter {
  readonly #rules: Rules;
  #rest: Buffer = Buffer.alloc(0);
  /** What has arrived since the rest was searched. It is searched again once it is twice as long: a long record costs no square. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #record: number;
  #line = 1;
  #offset = 0;
  #isStart = true;
  /** The start of a line without an end has been taken; what follows up to its end is dropped. */
  #isSkipping = false;

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#record = rules.first;
  }

  feed(chunk: Buffer, isLast: boolean): RawRecord[] {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    const records: RawRecord[] = [];
    if (!isLast && this.#waitingBytes < Math.max(BOM.length, this.#rest.length)) return records;
    const bytes = this.#rest.length === 0 && this.#waiting.length === 1 ? chunk : this.#joined();
    this.#waiting = [];
    this.#waitingBytes = 0;
    let at = this.#isSkipping ? this.#skipLine(bytes) : this.#skipMark(bytes);
    while (at < bytes.length) {
      const found = this.#rules.findEnd(bytes, at, isLast) ?? this.#cut(bytes, at);
      if (found === null) break;
      this.#take(records, bytes, { from: at, found });
      at = this.#isSkipping ? this.#skipLine(bytes, found.next) : found.next;
    }
    this.#offset += at;
    this.#rest = bytes.subarray(at);
    return records;
  }

  #joined(): Buffer {
    return Buffer.concat([this.#rest, ...this.#waiting]);
  }

  /** Gives up on a line that does not end: its start is a broken record. */
  #cut(bytes: Buffer, from: number): End | null {
    if (bytes.length - from < MAX_LINE_BYTES) return null;
    this.#isSkipping = true;
    const end = from + MAX_RECORD_BYTES;
    return { end, next: end, broken: 'a line that does not end', isEnded: false };
  }

  /** The start of the next line; the end of the bytes if it is not in them. */
  #skipLine(bytes: Buffer, from = 0): number {
    const index = this.#rules.nextLineEnd(bytes, from);
    if (index === -1) return bytes.length;
    this.#isSkipping = false;
    this.#line += 1;
    return index + 1;
  }

  #take(records: RawRecord[], bytes: Buffer, { from, found }: { from: number; found: End }): void {
    const own = bytes.subarray(from, found.end);
    if (!this.#rules.isBlank(own)) {
      const { broken, isEnded } = found;
      const byteOffset = this.#offset + from;
      records.push({ record: this.#record, line: this.#line, byteOffset, bytes: own, broken, isEnded });
      this.#record += 1;
    }
    this.#line += countLines(bytes, from, found.next);
  }

  #skipMark(bytes: Buffer): number {
    const skip = this.#isStart && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    if (bytes.length > 0) this.#isStart = false;
    return skip;
  }
}

const isSpace = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === CR);

/** Line ends in a range: `\n`, `\r\n` and a lone `\r` count once. */
function countLines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) {
    const byte = bytes[index];
    if (byte === LF || (byte === CR && bytes[index + 1] !== LF)) count += 1;
  }
  return count;
}

function lineEnd(bytes: Buffer, from: number, isLast: boolean): End | null {
  const index = bytes.indexOf(LF, from);
  if (index === -1 && !isLast) return null;
  if (index === -1) return { end: bytes.length, next: bytes.length, broken: null, isEnded: false };
  const end = index > from && bytes[index - 1] === CR ? index - 1 : index;
  return { end, next: index + 1, broken: null, isEnded: true };
}

interface CsvPosition {
  readonly from: number;
  readonly isLast: boolean;
  readonly separator: Buffer;
}

/** Walks cell by cell: a quote opens a cell only at its start, and only a separator or a line end may follow the closing one. */
function csvEnd(bytes: Buffer, position: CsvPosition): End | null {
  const { from, isLast, separator } = position;
  let at = from;
  for (;;) {
    if (bytes[at] === QUOTE) {
      const closed = closingQuote(bytes, at + 1);
      if (closed === -1) return openQuote(bytes, position);
      at = closed + 1;
      if (at === bytes.length && !isLast) return null;
      const isCellEnd = at === bytes.length || isLineEnd(bytes[at]) || startsWith(bytes, at, separator);
      if (!isCellEnd) return brokenLine(bytes, from, isLast, 'broken quotes');
    } else {
      at = cellEnd(bytes, at, separator);
    }
    if (at >= bytes.length) return isLast ? { end: at, next: at, broken: null, isEnded: false } : null;
    if (isLineEnd(bytes[at])) return ended(bytes, at, isLast);
    at += separator.length;
  }
}

const isLineEnd = (byte: number | undefined) => byte === LF || byte === CR;

const startsWith = (bytes: Buffer, at: number, prefix: Buffer): boolean =>
  bytes[at] === prefix[0] && (prefix.length === 1 || bytes.subarray(at, at + prefix.length).equals(prefix));

function cellEnd(bytes: Buffer, from: number, separator: Buffer): number {
  let at = from;
  while (at < bytes.length && !isLineEnd(bytes[at]) && !startsWith(bytes, at, separator)) at += 1;
  return at;
}

/** Index of the quote that closes a cell; a doubled quote does not. -1 if `bytes` does not contain it. */
function closingQuote(bytes: Buffer, from: number): number {
  let index = bytes.indexOf(QUOTE, from);
  while (index !== -1 && bytes[index + 1] === QUOTE) index = bytes.indexOf(QUOTE, index + 2);
  return index;
}

function ended(bytes: Buffer, at: number, isLast: boolean): End | null {
  if (bytes[at] !== CR) return { end: at, next: at + 1, broken: null, isEnded: true };
  if (at + 1 === bytes.length && !isLast) return null;
  return { end: at, next: bytes[at + 1] === LF ? at + 2 : at + 1, broken: null, isEnded: true };
}

function openQuote(bytes: Buffer, { from, isLast }: CsvPosition): End | null {
  if (!isLast && bytes.length - from < MAX_RECORD_BYTES) return null;
  return brokenLine(bytes, from, isLast, 'a quote that is not closed');
}

/** Gives up only the physical line, so that a stray quote costs one row and not the rest of the file. */
function brokenLine(bytes: Buffer, from: number, isLast: boolean, broken: string): End | null {
  const line = lineEnd(bytes, from, isLast);
  return line === null ? null : { ...line, broken };
}

/** Cells of a record from `splitCsv` that is not marked broken; `text` is the record's text. */
export function csvCells(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, delimiter);
    cells.push(cell);
    if (end >= text.length) return cells;
    at = end + delimiter.length;
  }
}

function quotedCell(text: string, from: number): [cell: string, end: number] {
  let index = text.indexOf('"', from + 1);
  while (index !== -1 && text[index + 1] === '"') index = text.indexOf('"', index + 2);
  const end = index === -1 ? text.length : index;
  return [text.slice(from + 1, end).replaceAll('""', '"'), end + 1];
}

function plainCell(text: string, from: number, delimiter: string): [cell: string, end: number] {
  const index = text.indexOf(delimiter, from);
  const end = index === -1 ? text.length : index;
  return [text.slice(from, end), end];
}

// Finds the records of a JSON document: the elements of the array at a dotted path, each with its raw bytes, without parsing their values
// (a 30-digit integer stays 30 digits). An object at the path is one record. Also distinguishes a truncated document from a
// complete one. Written by hand, because JSON parsers provide neither raw bytes nor offsets.
import { IngestError } from '../errors.ts';
import type { RawRecord } from './split-records.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const LF = 0x0a;

const isSpace = (byte: number) => byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09;

export interface DocumentRequest {
  readonly file: string;
  /** Dotted path of the array, or of the object that is the one record; empty for a document that is an array. */
  readonly records: string;
  /** The records are the members of the object at the path, each with its name as `@key`. */
  readonly entries?: boolean;
}

/** Throws IngestError when the document is truncated, badly nested, or has neither an array nor an object at the path. */
export async function* splitJson(
  chunks: AsyncIterable<Buffer>,
  request: DocumentRequest,
): AsyncIterable<RawRecord[]> {
  const scanner = new Scanner(request);
  for await (const chunk of chunks) yield scanner.feed(chunk);
  scanner.finish();
}

class Scanner {
  readonly #request: DocumentRequest;
  /** Maximum number of levels above the records. */
  readonly #pathLevels: number;
  readonly #levels: { readonly isArray: boolean; key: string | null }[] = [];
  readonly #topKeys: string[] = [];
  #line = 1;
  #offset = 0;
  #isInString = false;
  #isEscaped = false;
  #text: number[] | null = null;
  #lastString: string | null = null;
  #arrayDepth = 0;
  #isFound = false;
  /** The path leads to an object: the level above it is treated as the array until the object ends. */
  #isSingle = false;
  #isDone = false;
  /** If members are the records: a name comes next, not a value. */
  #isNameNext = false;
  #record = 0;
  #start: { line: number; byteOffset: number; at: number; parts: Buffer[] } | null = null;

  constructor(request: DocumentRequest) {
    this.#request = request;
    this.#pathLevels = request.records === '' ? 0 : request.records.split('.').length;
  }

  feed(chunk: Buffer): RawRecord[] {
    const records: RawRecord[] = [];
    if (this.#start !== null) this.#start.at = 0;
    for (let index = 0; index < chunk.length; index++)
      this.#byte(chunk[index] ?? 0, { chunk, at: index, records });
    if (this.#start !== null) this.#start.parts.push(chunk.subarray(this.#start.at));
    this.#offset += chunk.length;
    return records;
  }

  finish(): void {
    if (this.#levels.length > 0 || this.#isInString || !this.#isDone) {
      throw this.#bad(
        this.#isDone || this.#levels.length > 0
          ? 'the JSON document ends before it is complete'
          : 'there is no JSON array or object in it',
      );
    }
    if (this.#isFound) return;
    const where =
      this.#request.records === ''
        ? 'the document is not an array'
        : `there is no array or object at "${this.#request.records}"`;
    const keys =
      this.#topKeys.length === 0 ? '' : ` Its top-level keys are ${this.#topKeys.slice(0, 20).join(', ')}`;
    throw new IngestError('bad_document', where, {
      file: this.#request.file,
      todo: `Set "records" to the dotted path of the array of records, or of the one record.${keys}`,
    });
  }

  #byte(byte: number, position: { chunk: Buffer; at: number; records: RawRecord[] }): void {
    if (byte === LF) this.#line += 1;
    if (this.#isInString) {
      this.#stringByte(byte);
      return;
    }
    if (isSpace(byte) || (byte === 0xef && this.#offset + position.at === 0)) return;
    if (this.#offset + position.at < 3 && (byte === 0xbb || byte === 0xbf)) return;
    if (this.#isDone) throw this.#bad('there is data after the end of the JSON document');
    const isAtElement = this.#isFound && this.#levels.length === this.#arrayDepth && this.#arrayDepth > 0;
    const isEnd = byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE;
    if (isAtElement && isEnd) this.#closeRecord(position);
    else if (isAtElement && this.#isNameNext) this.#isNameNext = byte !== COLON;
    else if (isAtElement && this.#start === null) this.#openRecord(position.at);
    const wasFound = this.#isFound;
    this.#structure(byte);
    if (this.#isSingle && !wasFound) this.#openRecord(position.at);
  }

  #stringByte(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      if (this.#text !== null) this.#lastString = Buffer.from(this.#text).toString('utf8');
      return;
    }
    this.#text?.push(byte);
  }

  #structure(byte: number): void {
    const level = this.#levels.at(-1);
    if (byte === QUOTE) {
      this.#isInString = true;
      const isName = this.#isFound
        ? this.#isNameNext && this.#levels.length === this.#arrayDepth
        : level?.isArray === false;
      this.#text = isName ? [] : null;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#openLevel(byte === OPEN_BRACKET);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      this.#closeLevel(byte === CLOSE_BRACKET);
    } else if (byte === COLON && level !== undefined && !level.isArray && !this.#isFound) {
      level.key = this.#lastString;
      if (this.#levels.length === 1 && level.key !== null) this.#topKeys.push(level.key);
    }
  }

  #openLevel(isArray: boolean): void {
    this.#levels.push({ isArray, key: null });
    const { entries = false, records } = this.#request;
    if (this.#isFound || (!isArray && records === '' && !entries)) return;
    // A name may contain dots, so the path has at most as many levels as names. Deeper ones need not be compared.
    const depth = this.#levels.length - 1;
    if (depth > this.#pathLevels) return;
    const above = this.#levels.slice(0, depth);
    const path = above.map((level) => level.key ?? '');
    if (above.some((level) => level.isArray) || path.join('.') !== records) return;
    this.#isFound = true;
    this.#isNameNext = entries && !isArray;
    this.#isSingle = !isArray && !entries;
    this.#arrayDepth = this.#levels.length - (this.#isSingle ? 1 : 0);
  }

  #closeLevel(isArray: boolean): void {
    const level = this.#levels.pop();
    if (level?.isArray !== isArray) throw this.#bad('brackets and braces do not match');
    if (this.#isFound && this.#levels.length < this.#arrayDepth) this.#arrayDepth = 0;
    if (this.#levels.length === 0) this.#isDone = true;
  }

  #openRecord(at: number): void {
    this.#start = { line: this.#line, byteOffset: this.#offset + at, at, parts: [] };
  }

  #closeRecord({ chunk, at, records }: { chunk: Buffer; at: number; records: RawRecord[] }): void {
    const start = this.#start;
    if (start === null) return;
    this.#start = null;
    if (this.#isSingle) this.#arrayDepth = 0;
    this.#record += 1;
    const own = trimEnd(Buffer.concat([...start.parts, chunk.subarray(start.at, at)]));
    const bytes =
      this.#request.entries === true && !this.#levels.at(-1)?.isArray
        ? named(own, this.#lastString ?? '')
        : own;
    this.#isNameNext = bytes !== own;
    records.push({
      record: this.#record,
      line: start.line,
      byteOffset: start.byteOffset,
      bytes,
      broken: null,
      isEnded: true,
    });
  }

  #bad(what: string): IngestError {
    const todo = 'Fetch the file again, or repair it';
    return new IngestError('bad_document', what, { file: this.#request.file, line: this.#line, todo });
  }
}

/** The name is still escaped as in the document. */
function named(value: Buffer, name: string): Buffer {
  const start = `{"@key":"${name}"`;
  if (value[0] !== OPEN_BRACE)
    return Buffer.concat([Buffer.from(`${start},"@value":`), value, Buffer.from('}')]);
  const isEmpty = value.subarray(1).toString('utf8').trim() === '}';
  return Buffer.concat([Buffer.from(isEmpty ? start : `${start},`), value.subarray(1)]);
}

function trimEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && isSpace(bytes[end - 1] ?? 0)) end -= 1;
  return bytes.subarray(0, end);
}

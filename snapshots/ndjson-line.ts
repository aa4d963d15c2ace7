// Finds key and value of a published line `{"key":"…","value":…}` without parsing the value, because published data is sent byte for byte.

const KEY_START = '{"key":"'.length;
const VALUE_MARK = Buffer.from(',"value":');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE_BRACE = 0x7d;

export interface LineSpan {
  /** Offsets of the key's JSON string, quotes included. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** Offsets inside one line without its newline; undefined if the line is not in the published form. */
export function lineSpan(bytes: Buffer, start: number, end: number): LineSpan | undefined {
  const keyStart = start + KEY_START - 1;
  if (end - start < KEY_START || bytes[keyStart] !== QUOTE || bytes[end - 1] !== CLOSE_BRACE)
    return undefined;
  let at = keyStart + 1;
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  const keyEnd = at + 1;
  const valueStart = keyEnd + VALUE_MARK.length;
  if (valueStart >= end || !holds(bytes, keyEnd, VALUE_MARK)) return undefined;
  return { keyStart, keyEnd, valueStart, valueEnd: end - 1 };
}

export const keyText = (bytes: Buffer, span: LineSpan): string =>
  JSON.parse(bytes.toString('utf8', span.keyStart, span.keyEnd));

/** Whether `mark` is at offset `at`. For a dozen bytes, a loop is faster than a call into native code. */
export function holds(bytes: Buffer, at: number, mark: Buffer): boolean {
  for (let i = 0; i < mark.length; i++) if (bytes[at + i] !== mark[i]) return false;
  return true;
}

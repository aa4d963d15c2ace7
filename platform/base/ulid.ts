// ULIDs: the time is an argument; the entropy is a hash of the content, and every id is greater than the one before, or it is random. As
// texts, and as numbers for indexes.
import { hash } from 'node:crypto';
import { decodeTime, encodeTime, incrementBase32 } from 'ulid';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_DIGITS = 16;
const PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const isUlid = (text: string): boolean => PATTERN.test(text);

export const ulidMs = (id: string): number => decodeTime(id);

/** First 80 bits of the text's sha256 as 16 digits of Crockford's base 32. */
export function entropyOf(text: string): string {
  const bytes = hash('sha256', text, 'buffer');
  let digits = '';
  for (let start = 0; start < 10; start += 5) {
    const forty = bytes.readUIntBE(start, 5);
    for (let exponent = 35; exponent >= 0; exponent -= 5)
      digits += DIGITS.charAt(Math.floor(forty / 2 ** exponent) % 32);
  }
  return digits;
}

/** A ULID whose random part comes from the given bytes, for ids that need not be reproduced. */
export function randomUlid(nowMs: number, randomBytes: (count: number) => Uint8Array): string {
  const random = [...randomBytes(RANDOM_DIGITS)].map((byte) => DIGITS.charAt(byte % DIGITS.length));
  return ulidAt(nowMs, random.join(''));
}

export const ulidAt = (ms: number, entropy: string): string => encodeTime(ms) + entropy;

/** The id after `last` at `nowMs`: when the clock does not advance or goes back, the number after `last`. */
export function nextUlid(last: string | null, nowMs: number, text: string): string {
  if (last !== null && nowMs <= ulidMs(last)) return incrementBase32(last);
  return ulidAt(nowMs, entropyOf(text));
}

/** The 128 bits of a ULID as 32 hexadecimal digits: the trace id of what happens to an event, from the log of its run to its deliveries. */
export function traceIdOf(id: string): string {
  // Two digits of base 32 are 10 bits, of which the first two are 0; four are 20 bits, five hexadecimal digits.
  let hex = hexOf(id.slice(0, 2), 2);
  for (let start = 2; start < id.length; start += 4) hex += hexOf(id.slice(start, start + 4), 5);
  return hex;
}

/** In numbers of at most 20 bits, because every delivery needs its trace id, and big integers take three times as long. */
function hexOf(digits: string, length: number): string {
  let value = 0;
  for (const digit of digits) value = value * 32 + DIGITS.indexOf(digit);
  return value.toString(16).padStart(length, '0');
}

/** The span of the appending of an event, the root of its trace: the last 16 digits of its trace id. */
export const eventSpanId = (traceId: string): string => {
  const digits = traceId.slice(-16);
  return /^0+$/.test(digits) ? digits.replace(/0$/, '1') : digits;
};

/** The span of one attempt at a delivery. `delivery`: its number, from 1. */
export const attemptSpanId = (delivery: number, attempt: number): string =>
  delivery.toString(16).padStart(14, '0') + attempt.toString(16).padStart(2, '0');

/** `traceparent` of W3C Trace Context, by which who is called joins a trace. The flag `sampled` is set: what happens to an event is recorded. */
export const traceparentOf = (span: { readonly traceId: string; readonly spanId: string }): string =>
  `00-${span.traceId}-${span.spanId}-01`;

const TWO_32 = 2 ** 32;

/** Values of the digits, by character code. */
const VALUES = new Uint8Array(128);
for (const [value, digit] of [...DIGITS].entries()) {
  VALUES[digit.charCodeAt(0)] = value;
  VALUES[digit.toLowerCase().charCodeAt(0)] = value;
}

/** A ULID as four unsigned 32-bit words, most significant first. Millions of ids are stored and compared in this form. */
export type UlidParts = readonly [number, number, number, number];

export function partsOf(ulid: string): UlidParts {
  const parts = new Uint32Array(4);
  writeParts(Buffer.from(ulid, 'latin1'), 0, parts, 0);
  return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0, parts[3] ?? 0];
}

/** Below 0 if `a` comes first. */
export function compareUlids(a: UlidParts, b: UlidParts): number {
  for (let word = 0; word < 4; word++) {
    const difference = (a[word] ?? 0) - (b[word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The smallest ULID of a millisecond. */
export function firstPartsOfMs(ms: number): UlidParts {
  const bounded = Math.max(0, ms);
  return [Math.floor(bounded / 2 ** 16), (bounded % 2 ** 16) * 2 ** 16, 0, 0];
}

/** The timestamp of a ULID in Unix milliseconds. */
export const msOfParts = ([high, low]: UlidParts): number => high * 2 ** 16 + Math.floor(low / 2 ** 16);

/** Reads 26 digits at `at` into four words at `index`. */
export function writeParts(digits: Uint8Array, at: number, into: Uint32Array, index: number): void {
  const time = base32(digits, at, 10);
  const high = base32(digits, at + 10, 8);
  const low = base32(digits, at + 18, 8);
  into[index] = Math.floor(time / 2 ** 16);
  into[index + 1] = (time % 2 ** 16) * 2 ** 16 + Math.floor(high / 2 ** 24);
  into[index + 2] = (high % 2 ** 24) * 2 ** 8 + Math.floor(low / TWO_32);
  into[index + 3] = low % TWO_32;
}

function base32(digits: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i++) value = value * 32 + (VALUES[digits[i] ?? 0] ?? 0);
  return value;
}

export function textOfParts(parts: UlidParts): string {
  const time = parts[0] * 2 ** 16 + Math.floor(parts[1] / 2 ** 16);
  const high = (parts[1] % 2 ** 16) * 2 ** 24 + Math.floor(parts[2] / 2 ** 8);
  const low = (parts[2] % 2 ** 8) * TWO_32 + parts[3];
  return base32Text(time, 10) + base32Text(high, 8) + base32Text(low, 8);
}

function base32Text(value: number, count: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < count; i++) {
    text = DIGITS.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

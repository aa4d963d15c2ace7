// A ULID as four unsigned 32-bit words, most significant first. Millions of ids are stored and compared in this form.

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TWO_32 = 2 ** 32;

const VALUES = new Uint8Array(128);
for (const [value, digit] of [...DIGITS].entries()) {
  VALUES[digit.charCodeAt(0)] = value;
  VALUES[digit.toLowerCase().charCodeAt(0)] = value;
}

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

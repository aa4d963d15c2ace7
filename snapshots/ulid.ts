// Deterministic ULIDs: the time is an argument, the entropy is a hash of the content, and every id is greater than the one before.
import { hash } from 'node:crypto';
import { decodeTime, encodeTime, incrementBase32 } from 'ulid';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
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

export const ulidAt = (ms: number, entropy: string): string => encodeTime(ms) + entropy;

/** The id after `last` at `nowMs`: when the clock does not advance or goes back, the number after `last`. */
export function nextUlid(last: string | null, nowMs: number, text: string): string {
  if (last !== null && nowMs <= ulidMs(last)) return incrementBase32(last);
  return ulidAt(nowMs, entropyOf(text));
}

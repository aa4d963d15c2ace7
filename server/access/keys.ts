// The text of an API key: `rk_live_`, 32 random base-62 digits, and 6 digits of their CRC-32, so that a mistyped key is distinguished from
// an unknown one without a lookup. Only the SHA-256 of the whole text is ever stored.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const KEY_PREFIX = 'rk_live_';
const SECRET_DIGITS = 32;
/** 62^6 is more than 2^32. */
const CHECKSUM_DIGITS = 6;
const KEY_CHARACTERS = KEY_PREFIX.length + SECRET_DIGITS + CHECKSUM_DIGITS;
/** The part of a key that is stored in plain text: the prefix and the first four of its 32 digits. */
const SHOWN_CHARACTERS = KEY_PREFIX.length + 4;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);
/** The largest multiple of 62 in a byte. Larger bytes would make some digits more likely than others. */
const FAIR_BYTES = 248;

/** `randomBytes` returns that many unpredictable bytes. */
export function makeKey(randomBytes: (count: number) => Uint8Array): string {
  let digits = '';
  while (digits.length < SECRET_DIGITS) {
    for (const byte of randomBytes(SECRET_DIGITS - digits.length))
      if (byte < FAIR_BYTES) digits += DIGITS.charAt(byte % 62);
  }
  return `${KEY_PREFIX}${digits}${checksumOf(KEY_PREFIX + digits)}`;
}

/** Whether the text has the form of a key and a correct checksum. Such a key need not have been issued. */
export function isWellFormedKey(text: string): boolean {
  if (text.length !== KEY_CHARACTERS || !FORM.test(text)) return false;
  return checksumOf(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
}

/** SHA-256 of the whole key, hex. A key has 190 bits of entropy, so a slow hash would add no protection. */
export const hashKey = (key: string): string => hash('sha256', key, 'hex');

/** The first characters, enough to identify a key in a list and too few to help an attacker. */
export const shownPrefix = (key: string): string => key.slice(0, SHOWN_CHARACTERS);

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_DIGITS; index++) {
    digits = DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

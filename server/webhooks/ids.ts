// Ids of the service's own making.
import { encodeTime } from 'ulid';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_DIGITS = 16;

/** A ULID whose random part comes from the given bytes. */
export function randomUlid(nowMs: number, randomBytes: (count: number) => Uint8Array): string {
  const random = [...randomBytes(RANDOM_DIGITS)].map((byte) => DIGITS.charAt(byte % DIGITS.length));
  return encodeTime(nowMs) + random.join('');
}

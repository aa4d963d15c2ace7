// Ids that the service generates.
import { encodeTime } from 'ulid';
import { ulidMs } from '../../snapshots/ulid.ts';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_DIGITS = 16;

/** A ULID whose random part comes from the given bytes. */
export function randomUlid(nowMs: number, randomBytes: (count: number) => Uint8Array): string {
  const random = [...randomBytes(RANDOM_DIGITS)].map((byte) => DIGITS.charAt(byte % DIGITS.length));
  return encodeTime(nowMs) + random.join('');
}

/** The end of the event log: its newest id, and its logical time in Unix milliseconds. */
export interface LogEnd {
  readonly lastId: string | undefined;
  readonly asOfMs: number | undefined;
}

/**
 * Unix milliseconds for an id that is in no log but may still be used as a cursor: before the newest event, so that all later ones sort
 * after it. The log's own next id may directly follow its newest, whatever any clock says.
 */
export function msBeforeNext({ lastId, asOfMs }: LogEnd, nowMs: number): number {
  const ms = lastId === undefined ? (asOfMs ?? nowMs) : ulidMs(lastId);
  return Math.max(0, ms - 1);
}

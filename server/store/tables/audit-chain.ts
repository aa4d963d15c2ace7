// The hash chain of the audit log: each entry carries its own hash and that of the previous entry. From the store's mark on, hashes can be
// computed only with the seal key.
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import type { AuditHead } from '../audit-anchor.ts';
import type { Connection, Row } from './session.ts';
import { integerOf, jsonOf, textOf, textOrNull } from './row.ts';
import { type AuditEntry, StoreUnavailableError } from '../store.ts';

export type EntryBody = Omit<AuditEntry, 'hash'>;

export const keyedHash = (db: Connection, body: EntryBody): string => db.guard.entryMac(canonicalJson(body));

/** The hash of an entry from before the log was keyed. */
const plainHash = (body: EntryBody): string => sha256Hex(canonicalJson(body));

/** Whether an entry is unchanged. `keyedFrom`: the first keyed entry. */
export function isGenuine(db: Connection, entry: AuditEntry, keyedFrom: number): boolean {
  const { hash, ...body } = entry;
  return hash === (entry.seq >= keyedFrom ? keyedHash(db, body) : plainHash(body));
}

/** Whether an entry is genuine and directly follows `last`. */
export const follows = (db: Connection, entry: AuditEntry, { last, keyedFrom }: ChainPosition): boolean =>
  entry.seq === last.seq + 1 && entry.previous_hash === last.hash && isGenuine(db, entry, keyedFrom);

export interface ChainPosition {
  readonly last: AuditHead;
  readonly keyedFrom: number;
}

export const START: AuditHead = { seq: 0, hash: '' };

/** Sequence number of the first entry that breaks the chain of an unkeyed log; undefined if none does. */
export async function firstBrokenPlain(db: Connection): Promise<number | undefined> {
  let last = START;
  for (const entry of await entriesAfter(db, 0, Number.MAX_SAFE_INTEGER)) {
    if (!follows(db, entry, { last, keyedFrom: Number.POSITIVE_INFINITY })) return entry.seq;
    last = entry;
  }
  const head = await headOf(db);
  return head.seq === last.seq && head.hash === last.hash ? undefined : last.seq + 1;
}

export async function headOf(db: Connection): Promise<AuditHead> {
  const row = await db.get('select seq, hash from audit_head');
  if (row === undefined) throw new StoreUnavailableError('The store is damaged: the audit log has no head.');
  return { seq: integerOf(row, 'seq'), hash: textOf(row, 'hash') };
}

export async function entriesAfter(db: Connection, after: number, limit: number): Promise<AuditEntry[]> {
  const rows = await db.all('select * from audit_entry where seq > ? order by seq limit ?', after, limit);
  return rows.map(entryOf);
}

export const entryOf = (row: Row): AuditEntry => ({
  seq: integerOf(row, 'seq'),
  at_ms: integerOf(row, 'at_ms'),
  who: textOf(row, 'who'),
  action: textOf(row, 'action'),
  subject: textOf(row, 'subject'),
  request_id: textOrNull(row, 'request_id'),
  details: jsonOf(row, 'details'),
  previous_hash: textOf(row, 'previous_hash'),
  hash: textOf(row, 'hash'),
});

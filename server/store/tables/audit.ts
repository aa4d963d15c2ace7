// The log of every change. Each entry carries the hash of the previous one, so a changed, removed or inserted entry breaks the chain. The
// hash of the last entry is stored separately, so a truncated log is detected too. The hashes are keyed with the seal key, so write access
// to the file is not enough to forge a valid log.
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import type { Actor } from '../actor.ts';
import type { AuditHead } from '../audit-anchor.ts';
import { type AuditEntry, type AuditLog, StoreUnavailableError } from '../store.ts';
import { type Connection, integerOf, jsonOf, type Row, type Session, textOf, textOrNull } from './session.ts';

export interface Change {
  /** `<thing>.<verb>`: `key.create`. */
  readonly action: string;
  /** Id of the changed object. */
  readonly subject: string;
  /** What changed, without any secret. */
  readonly details: AuditEntry['details'];
}

const PAGE = 500;

/** Every method that changes something calls this in the transaction of the change. */
export async function appendAudit(db: Connection, actor: Actor, change: Change): Promise<void> {
  const head = await headOf(db);
  const body = {
    seq: head.seq + 1,
    at_ms: actor.atMs,
    who: actor.who,
    action: change.action,
    subject: change.subject,
    request_id: actor.requestId,
    details: change.details,
    previous_hash: head.hash,
  };
  const hash = keyedHash(db, body);
  await db.run(
    'insert into audit_entry values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    body.seq,
    body.at_ms,
    body.who,
    body.action,
    body.subject,
    body.request_id,
    canonicalJson(body.details),
    body.previous_hash,
    hash,
  );
  await db.run('update audit_head set seq = ?, hash = ?', body.seq, hash);
  db.isAuditAhead = true;
}

export class AuditTable implements AuditLog {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  list(after: number, limit: number): Promise<readonly AuditEntry[]> {
    return this.#session.read(async (db) => await entriesAfter(db, after, limit));
  }

  headFault(): Promise<unknown> {
    return this.#session.read(async (db) => db.guard.headFault);
  }

  /** Verifies page by page, so that other work gets its turn. Entries appended meanwhile are checked too. */
  async verify(): Promise<number | undefined> {
    let last = START;
    for (;;) {
      const page = await this.#session.read(async (db) => {
        const keyedFrom = await db.guard.keyedFrom(db);
        const entries = await entriesAfter(db, last.seq, PAGE);
        for (const entry of entries) {
          if (!follows(db, entry, { last, keyedFrom })) return { broken: entry.seq };
          last = entry;
        }
        return { isFull: entries.length === PAGE, head: await headOf(db) };
      });
      if ('broken' in page) return page.broken;
      if (page.isFull) continue;
      return page.head.seq === last.seq && page.head.hash === last.hash ? undefined : last.seq + 1;
    }
  }
}

type EntryBody = Omit<AuditEntry, 'hash'>;

/** The hash of an entry. From the store's mark on, it can be computed only with the seal key. */
const keyedHash = (db: Connection, body: EntryBody): string => db.guard.entryMac(canonicalJson(body));

/** The hash of an entry from before the log was keyed. */
const plainHash = (body: EntryBody): string => sha256Hex(canonicalJson(body));

/** Whether an entry is unchanged. `keyedFrom`: the first keyed entry. */
export function isGenuine(db: Connection, entry: AuditEntry, keyedFrom: number): boolean {
  const { hash, ...body } = entry;
  return hash === (entry.seq >= keyedFrom ? keyedHash(db, body) : plainHash(body));
}

/** Whether an entry is genuine and directly follows `last`. */
const follows = (
  db: Connection,
  entry: AuditEntry,
  { last, keyedFrom }: { readonly last: AuditHead; readonly keyedFrom: number },
): boolean =>
  entry.seq === last.seq + 1 && entry.previous_hash === last.hash && isGenuine(db, entry, keyedFrom);

const START: AuditHead = { seq: 0, hash: '' };

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

async function entriesAfter(db: Connection, after: number, limit: number): Promise<AuditEntry[]> {
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

// The log of every change. Each entry carries the hash of the one before, so that an entry that was changed, left out or put in
// between does not fit; the hash of the last one is kept apart, so that a log that was cut off does not fit either.
import { canonicalJson, sha256Hex } from '../../snapshots/canonical.ts';
import type { Connection, Row } from './sqlite-file.ts';
import { integerOf, jsonOf, textOf, textOrNull } from './sqlite-row.ts';
import type { Session } from './sqlite-session.ts';
import { type Actor, type AuditEntry, type AuditLog, StoreUnavailableError } from './store.ts';

export interface Change {
  /** `<thing>.<verb>`: `key.create`. */
  readonly action: string;
  /** Id of what was changed. */
  readonly subject: string;
  /** What changed, without any secret. */
  readonly details: AuditEntry['details'];
}

const PAGE = 500;

/** Called by every method that changes something, in the transaction of the change. */
export function appendAudit(db: Connection, actor: Actor, change: Change): void {
  const head = headOf(db);
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
  const hash = hashOf(body);
  db.run(
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
  db.run('update audit_head set seq = ?, hash = ?', body.seq, hash);
}

export class SqliteAudit implements AuditLog {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  list(after: number, limit: number): Promise<readonly AuditEntry[]> {
    return this.#session.read((db) => entriesAfter(db, after, limit));
  }

  /** A page at a time, so that others get their turn; entries appended meanwhile are checked too. */
  async verify(): Promise<number | undefined> {
    let last = { seq: 0, hash: '' };
    for (;;) {
      const { entries, head } = await this.#session.read((db) => ({
        entries: entriesAfter(db, last.seq, PAGE),
        head: headOf(db),
      }));
      for (const entry of entries) {
        const { hash, ...body } = entry;
        const fits = entry.seq === last.seq + 1 && entry.previous_hash === last.hash && hash === hashOf(body);
        if (!fits) return entry.seq;
        last = { seq: entry.seq, hash };
      }
      if (entries.length === PAGE) continue;
      return head.seq === last.seq && head.hash === last.hash ? undefined : last.seq + 1;
    }
  }
}

const hashOf = (body: Omit<AuditEntry, 'hash'>): string => sha256Hex(canonicalJson(body));

function headOf(db: Connection): { readonly seq: number; readonly hash: string } {
  const row = db.get('select seq, hash from audit_head');
  if (row === undefined) throw new StoreUnavailableError('The store is damaged: the audit log has no head.');
  return { seq: integerOf(row, 'seq'), hash: textOf(row, 'hash') };
}

const entriesAfter = (db: Connection, after: number, limit: number): AuditEntry[] =>
  db.all('select * from audit_entry where seq > ? order by seq limit ?', after, limit).map(entryOf);

const entryOf = (row: Row): AuditEntry => ({
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

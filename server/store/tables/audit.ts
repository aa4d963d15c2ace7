// The log of every change. Each entry carries the hash of the previous one, so a changed, removed or inserted entry breaks the chain. The
// hash of the last entry is stored separately, so a truncated log is detected too. The hashes are keyed with the seal key, so write access
// to the file is not enough to forge a valid log.
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import type { Actor } from '../actor.ts';
import { entriesAfter, follows, headOf, keyedHash, START } from './audit-chain.ts';
import type { Connection, Session } from './session.ts';
import type { AuditEntry, AuditLog } from '../store.ts';

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

// Adds the keys of a store whose audit log was not yet keyed to the log, once.
import type { AuditHead } from '../audit-anchor.ts';
import { factsOf, wasLogged } from './logged-keys.ts';
import { appendAudit } from './audit.ts';
import type { Connection } from './session.ts';
import { keyOf } from './key-row.ts';
import { integerOf } from './row.ts';

/** Keys that the log does not confirm are left out and remain invalid. */
export async function adoptKeys(db: Connection, head: AuditHead): Promise<void> {
  const newest = await db.get('select at_ms from audit_entry where seq = ?', head.seq);
  // The store has no clock, so this takes the earliest possible time.
  const actor = {
    who: 'store',
    requestId: null,
    atMs: newest === undefined ? 0 : integerOf(newest, 'at_ms'),
  };
  await appendAudit(db, actor, { action: 'store.keyed', subject: 'store', details: { head: { ...head } } });
  for (const key of (await db.all('select * from api_key order by id')).map(keyOf)) {
    if (await wasLogged(db, key))
      await appendAudit(db, actor, { action: 'key.adopt', subject: key.id, details: factsOf(db, key) });
  }
}

// What the audit log says about API keys. A row of the table counts only while it is what the log says: a plan that was changed in the
// file does not.
import { canonicalJson } from '../../snapshots/canonical.ts';
import { entryOf, isGenuine } from './audit-chain.ts';
import type { Connection } from './sqlite-file.ts';
import { textOf } from './sqlite-row.ts';
import { type AuditEntry, type KeyRecord, StoreUnavailableError } from './store.ts';

/** What the log says about a key: its hash by a code that shows nothing of it. Entries from before the log was keyed lack the last three. */
export interface KeyFacts
  extends Pick<KeyRecord, 'org' | 'plan' | 'scopes' | 'limits' | 'expires_ms' | 'prefix'> {
  readonly created_ms: number;
  readonly revoked_ms: number | null;
  readonly hash_mac: string;
}

const NAMES = [
  ...(['org', 'plan', 'scopes', 'limits', 'expires_ms', 'prefix'] as const),
  ...(['created_ms', 'revoked_ms', 'hash_mac'] as const),
];

export function factsOf(db: Connection, key: KeyRecord): KeyFacts & AuditEntry['details'] {
  const { org, plan, scopes, limits, expires_ms, prefix, created_ms, revoked_ms } = key;
  return {
    org,
    plan,
    scopes,
    limits,
    expires_ms,
    prefix,
    created_ms,
    revoked_ms,
    hash_mac: db.guard.keyMac(key.hash),
  };
}

const ABOUT_ONE = `select * from audit_entry where action glob 'key.*' and subject = ?1
  union select * from audit_entry where action = 'key.rotate' and json_extract(details, '$.replaces') = ?1
  order by seq`;

/** Undefined when the log does not know the key, or an entry about it is not genuine. */
export function loggedFacts(db: Connection, id: string): Partial<KeyFacts> | undefined {
  let facts: Partial<KeyFacts> | undefined;
  for (const entry of db.all(ABOUT_ONE, id).map(entryOf)) {
    if (!isGenuine(db, entry)) return undefined;
    facts = { ...facts, ...factsIn(entry, id) };
  }
  return facts;
}

function factsIn({ action, subject, details, at_ms }: AuditEntry, id: string): Partial<KeyFacts> {
  if (subject !== id) return { expires_ms: details['old_ends_ms'] as number };
  const given = NAMES.flatMap((name) => (name in details ? [[name, details[name]]] : []));
  return { ...Object.fromEntries(given), ...(action === 'key.revoke' && { revoked_ms: at_ms }) };
}

/** Whether a row is what the log says, in all that it says; false of a row that the log does not know. */
export function isLogged(db: Connection, key: KeyRecord): boolean {
  const logged = readable(() => loggedFacts(db, key.id));
  return logged?.hash_mac !== undefined && isSame(db, key, logged);
}

/** The same of a log that was not keyed, and says less. */
export function wasLogged(db: Connection, key: KeyRecord): boolean {
  const logged = readable(() => loggedFacts(db, key.id));
  return logged !== undefined && isSame(db, key, { revoked_ms: null, ...logged });
}

/** Keys that the log knows and the table has lost. */
export const lostKeys = (db: Connection): string[] =>
  db
    .all(`select distinct subject from audit_entry where action glob 'key.*'
      and not exists (select 1 from api_key where id = subject) order by subject`)
    .map((row) => textOf(row, 'subject'));

function isSame(db: Connection, key: KeyRecord, logged: Partial<KeyFacts>): boolean {
  const now = factsOf(db, key);
  return NAMES.every((name) => !(name in logged) || canonicalJson(now[name]) === canonicalJson(logged[name]));
}

/** An entry that cannot be read says nothing. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

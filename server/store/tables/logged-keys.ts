// API keys according to the audit log. A row of the table is valid only while it matches the log, so a plan changed directly in the
// file has no effect.
import { canonicalJson } from '../../snapshots/canonical.ts';
import { entryOf, isGenuine } from './audit-chain.ts';
import type { Connection } from './sqlite-file.ts';
import { textOf } from './sqlite-row.ts';
import { type AuditEntry, type KeyRecord, StoreUnavailableError } from './store.ts';

/** The logged facts of a key; its hash is replaced by a keyed MAC. Entries from before the log was keyed lack the last three. */
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

/** Undefined when the key is not in the log, or an entry about it is not genuine. */
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

/** Whether a row matches the log in every logged fact; false for a row that is not in the log. */
export function isLogged(db: Connection, key: KeyRecord): boolean {
  const logged = readable(() => loggedFacts(db, key.id));
  return logged?.hash_mac !== undefined && isSame(db, key, logged);
}

/** The same for an unkeyed log, which has fewer facts. */
export function wasLogged(db: Connection, key: KeyRecord): boolean {
  const logged = readable(() => loggedFacts(db, key.id));
  return logged !== undefined && isSame(db, key, { revoked_ms: null, ...logged });
}

/** Keys that are in the log but missing from the table. */
export const lostKeys = (db: Connection): string[] =>
  db
    .all(`select distinct subject from audit_entry where action glob 'key.*'
      and not exists (select 1 from api_key where id = subject) order by subject`)
    .map((row) => textOf(row, 'subject'));

function isSame(db: Connection, key: KeyRecord, logged: Partial<KeyFacts>): boolean {
  const now = factsOf(db, key);
  return NAMES.every((name) => !(name in logged) || canonicalJson(now[name]) === canonicalJson(logged[name]));
}

/** An unreadable entry is ignored. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

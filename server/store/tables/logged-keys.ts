// API keys according to the audit log. A row of the table is valid only while it matches the log, so changing a plan directly in the file
// has no effect.
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import { type AuditEntry, type KeyRecord, StoreUnavailableError } from '../store.ts';
import { entryOf, isGenuine } from './audit.ts';
import { type Connection, integerOf, integerOrNull, jsonOf, type Row, textOf } from './session.ts';

/** The logged facts of a key, with its hash replaced by a keyed MAC. Entries from before the log was keyed lack the last three facts. */
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

const ABOUT_ONE = `select * from audit_entry where action like 'key.%' and subject = ?
  union all select * from audit_entry where action = 'key.rotate' and details ->> 'replaces' = ? and subject <> ?
  order by seq`;

/** Undefined if the key is not in the log, or an entry about it is not genuine. */
export async function loggedFacts(db: Connection, id: string): Promise<Partial<KeyFacts> | undefined> {
  let facts: Partial<KeyFacts> | undefined;
  const keyedFrom = await db.guard.keyedFrom(db);
  for (const entry of (await db.all(ABOUT_ONE, id, id, id)).map(entryOf)) {
    if (!isGenuine(db, entry, keyedFrom)) return undefined;
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
export async function isLogged(db: Connection, key: KeyRecord): Promise<boolean> {
  const logged = await readable(loggedFacts(db, key.id));
  return logged?.hash_mac !== undefined && isSame(db, key, logged);
}

/** Like `isLogged`, for an unkeyed log, which has fewer facts. */
export async function wasLogged(db: Connection, key: KeyRecord): Promise<boolean> {
  const logged = await readable(loggedFacts(db, key.id));
  return logged !== undefined && isSame(db, key, { revoked_ms: null, ...logged });
}

/** Keys that are in the log but missing from the table. */
export async function lostKeys(db: Connection): Promise<string[]> {
  const rows = await db.all(`select distinct subject from audit_entry where action like 'key.%'
    and not exists (select 1 from api_key where id = subject) order by subject`);
  return rows.map((row) => textOf(row, 'subject'));
}

function isSame(db: Connection, key: KeyRecord, logged: Partial<KeyFacts>): boolean {
  const now = factsOf(db, key);
  return NAMES.every((name) => !(name in logged) || canonicalJson(now[name]) === canonicalJson(logged[name]));
}

/** Ignores an unreadable entry. */
async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

/** Converts a row of the API key table to a record. */
export const keyOf = (row: Row): KeyRecord => ({
  id: textOf(row, 'id'),
  org: textOf(row, 'org'),
  plan: textOf(row, 'plan') as KeyRecord['plan'],
  scopes: jsonOf(row, 'scopes'),
  hash: textOf(row, 'hash'),
  prefix: textOf(row, 'prefix'),
  limits: jsonOf(row, 'limits'),
  created_ms: integerOf(row, 'created_ms'),
  expires_ms: integerOrNull(row, 'expires_ms'),
  revoked_ms: integerOrNull(row, 'revoked_ms'),
});

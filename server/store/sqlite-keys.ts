// API keys as the store keeps them: by hash, with the organisation, plan and scopes they stand for. No key is ever deleted.
import { canonicalJson } from '../../snapshots/canonical.ts';
import { appendAudit } from './sqlite-audit.ts';
import type { Connection, Row } from './sqlite-file.ts';
import { integerOf, integerOrNull, jsonOf, textOf } from './sqlite-row.ts';
import type { Session } from './sqlite-session.ts';
import {
  type Actor,
  type KeyChanges,
  type KeyRecord,
  type KeyStore,
  StoreConflictError,
  StoreUnavailableError,
} from './store.ts';

type Rotation = Parameters<KeyStore['rotate']>[0];

export class SqliteKeys implements KeyStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  create(key: KeyRecord, actor: Actor): Promise<void> {
    return this.#session.write((db) => {
      insert(db, key);
      appendAudit(db, actor, { action: 'key.create', subject: key.id, details: factsOf(key) });
    });
  }

  get(id: string): Promise<KeyRecord | undefined> {
    return this.#session.read((db) => keyById(db, id));
  }

  list(org?: string): Promise<readonly KeyRecord[]> {
    return this.#session.read((db) =>
      (org === undefined
        ? db.all('select * from api_key order by id')
        : db.all('select * from api_key where org = ? order by id', org)
      ).map(keyOf),
    );
  }

  rotate(change: Rotation, actor: Actor): Promise<void> {
    return this.#session.write((db) => {
      const old = keyById(db, change.oldId);
      if (old === undefined) throw new StoreConflictError(`There is no key ${change.oldId}.`);
      if (hasEnded(old, actor.atMs)) throw new StoreConflictError(`The key ${old.id} has ended.`);
      const endsMs = Math.min(change.oldEndsMs, old.expires_ms ?? Number.POSITIVE_INFINITY);
      insert(db, change.next);
      db.run(
        'update api_key set expires_ms = ?, revision = ? where id = ?',
        endsMs,
        nextRevision(db),
        old.id,
      );
      const details = { ...factsOf(change.next), replaces: old.id, old_ends_ms: endsMs };
      appendAudit(db, actor, { action: 'key.rotate', subject: change.next.id, details });
    });
  }

  revoke(id: string, actor: Actor): Promise<boolean> {
    return this.#session.write((db) => {
      const key = keyById(db, id);
      if (key === undefined) throw new StoreConflictError(`There is no key ${id}.`);
      if (key.revoked_ms !== null) return false;
      db.run(
        'update api_key set revoked_ms = ?, revision = ? where id = ?',
        actor.atMs,
        nextRevision(db),
        id,
      );
      appendAudit(db, actor, { action: 'key.revoke', subject: id, details: { org: key.org } });
      return true;
    });
  }

  revision(): Promise<number> {
    return this.#session.read((db) => revisions(db).last);
  }

  changedSince(revision: number | null): Promise<KeyChanges> {
    return this.#session.read((db) => {
      const { first, last } = revisions(db);
      const isWhole = revision === null || revision < first || revision > last;
      const rows = db.all('select * from api_key where revision > ? order by id', isWhole ? -1 : revision);
      return { revision: last, keys: rows.map(keyOf), isWhole };
    });
  }
}

function insert(db: Connection, key: KeyRecord): void {
  db.run(
    'insert into api_key values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    key.id,
    key.org,
    key.plan,
    canonicalJson(key.scopes),
    key.hash,
    key.prefix,
    canonicalJson(key.limits),
    key.created_ms,
    key.expires_ms,
    key.revoked_ms,
    nextRevision(db),
  );
}

/** What the audit log says about a key. Its hash is no secret, but nobody needs it there. */
const factsOf = ({ org, plan, scopes, limits, expires_ms, prefix }: KeyRecord) => ({
  org,
  plan,
  scopes,
  limits,
  expires_ms,
  prefix,
});

const hasEnded = ({ revoked_ms, expires_ms }: KeyRecord, atMs: number) =>
  revoked_ms !== null || (expires_ms !== null && expires_ms <= atMs);

function keyById(db: Connection, id: string): KeyRecord | undefined {
  const row = db.get('select * from api_key where id = ?', id);
  return row === undefined ? undefined : keyOf(row);
}

function revisions(db: Connection): { readonly first: number; readonly last: number } {
  const row = db.get('select first, last from key_revision');
  if (row === undefined) throw new StoreUnavailableError('The store is damaged: it has no revision.');
  return { first: integerOf(row, 'first'), last: integerOf(row, 'last') };
}

function nextRevision(db: Connection): number {
  db.run('update key_revision set last = last + 1');
  return revisions(db).last;
}

const keyOf = (row: Row): KeyRecord => ({
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

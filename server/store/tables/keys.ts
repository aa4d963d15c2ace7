// The table of API keys: by hash, with organisation, plan and scopes. Keys are never deleted.
import { canonicalJson } from '../../snapshots/canonical.ts';
import type { Actor } from './actor.ts';
import { factsOf, isLogged, lostKeys } from './logged-keys.ts';
import { appendAudit } from './sqlite-audit.ts';
import type { Connection } from './sqlite-file.ts';
import { keyOf } from './sqlite-key-row.ts';
import { integerOf } from './sqlite-row.ts';
import type { Session } from './sqlite-session.ts';
import {
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
      appendAudit(db, actor, { action: 'key.create', subject: key.id, details: factsOf(db, key) });
    });
  }

  get(id: string): Promise<KeyRecord | undefined> {
    return this.#session.read((db) => keyById(db, id));
  }

  list(org?: string): Promise<readonly KeyRecord[]> {
    return this.#session.read((db) => keysOf(db, org));
  }

  logged(org: string): Promise<readonly KeyRecord[]> {
    return this.#session.read((db) => keysOf(db, org).filter((key) => isLogged(db, key)));
  }

  rotate(change: Rotation, actor: Actor): Promise<void> {
    return this.#session.write((db) => {
      const old = keyById(db, change.oldId);
      if (old === undefined) throw new StoreConflictError(`There is no key ${change.oldId}.`);
      if (hasEnded(old, actor.atMs)) throw new StoreConflictError(`The key ${old.id} has ended.`);
      if (!isLogged(db, old))
        throw new StoreConflictError(
          `The key ${old.id} is not what the audit log says. Revoke it and make another.`,
        );
      const endsMs = Math.min(change.oldEndsMs, old.expires_ms ?? Number.POSITIVE_INFINITY);
      insert(db, change.next);
      db.run(
        'update api_key set expires_ms = ?, revision = ? where id = ?',
        endsMs,
        nextRevision(db),
        old.id,
      );
      const details = { ...factsOf(db, change.next), replaces: old.id, old_ends_ms: endsMs };
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
      // All that the row says: once revoked it grants nothing, and may be what it has become.
      const details = factsOf(db, { ...key, revoked_ms: actor.atMs });
      appendAudit(db, actor, { action: 'key.revoke', subject: id, details });
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
      db.guard.check(db);
      const { good = [], forged = [] } = Object.groupBy(rows.map(keyOf), (key) =>
        isLogged(db, key) ? 'good' : 'forged',
      );
      return { revision: last, keys: good, forged: forged.map(({ id }) => id), isWhole };
    });
  }

  unlogged(): Promise<readonly string[]> {
    return this.#session.read((db) => {
      const keys = keysOf(db, undefined);
      return [...keys.filter((key) => !isLogged(db, key)).map(({ id }) => id), ...lostKeys(db)];
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

const hasEnded = ({ revoked_ms, expires_ms }: KeyRecord, atMs: number) =>
  revoked_ms !== null || (expires_ms !== null && expires_ms <= atMs);

const keysOf = (db: Connection, org: string | undefined): KeyRecord[] =>
  (org === undefined
    ? db.all('select * from api_key order by id')
    : db.all('select * from api_key where org = ? order by id', org)
  ).map(keyOf);

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

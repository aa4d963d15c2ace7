// The table of API keys: by hash, with organisation, plan and scopes. Keys are never deleted.
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import type { Actor } from '../actor.ts';
import {
  type KeyChanges,
  type KeyRecord,
  type KeyStore,
  StoreConflictError,
  StoreUnavailableError,
} from '../store.ts';
import { appendAudit } from './audit.ts';
import { factsOf, isLogged, keyOf, lostKeys } from './logged-keys.ts';
import { type Connection, integerOf, type Session } from './session.ts';

type Rotation = Parameters<KeyStore['rotate']>[0];

export class KeyTable implements KeyStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  create(key: KeyRecord, actor: Actor): Promise<void> {
    return this.#session.write(async (db) => {
      await insert(db, key);
      await appendAudit(db, actor, { action: 'key.create', subject: key.id, details: factsOf(db, key) });
    });
  }

  get(id: string): Promise<KeyRecord | undefined> {
    return this.#session.read((db) => keyById(db, id));
  }

  list(org?: string): Promise<readonly KeyRecord[]> {
    return this.#session.read((db) => keysOf(db, org));
  }

  logged(org: string): Promise<readonly KeyRecord[]> {
    return this.#session.read(async (db) => (await sortedByLog(db, await keysOf(db, org))).good);
  }

  rotate(change: Rotation, actor: Actor): Promise<void> {
    return this.#session.write(async (db) => {
      const old = await keyById(db, change.oldId);
      if (old === undefined) throw new StoreConflictError(`There is no key ${change.oldId}.`);
      if (hasEnded(old, actor.atMs)) throw new StoreConflictError(`The key ${old.id} has ended.`);
      if (!(await isLogged(db, old)))
        throw new StoreConflictError(
          `The key ${old.id} does not match the audit log. Revoke it and create another.`,
        );
      const endsMs = Math.min(change.oldEndsMs, old.expires_ms ?? Number.POSITIVE_INFINITY);
      await insert(db, change.next);
      await db.run(
        'update api_key set expires_ms = ?, revision = ? where id = ?',
        endsMs,
        await nextRevision(db),
        old.id,
      );
      const details = { ...factsOf(db, change.next), replaces: old.id, old_ends_ms: endsMs };
      await appendAudit(db, actor, { action: 'key.rotate', subject: change.next.id, details });
    });
  }

  revoke(id: string, actor: Actor): Promise<boolean> {
    return this.#session.write(async (db) => {
      const key = await keyById(db, id);
      if (key === undefined) throw new StoreConflictError(`There is no key ${id}.`);
      if (key.revoked_ms !== null) return false;
      await db.run(
        'update api_key set revoked_ms = ?, revision = ? where id = ?',
        actor.atMs,
        await nextRevision(db),
        id,
      );
      // Logs everything the row states, tampered or not: a revoked key grants nothing.
      const details = factsOf(db, { ...key, revoked_ms: actor.atMs });
      await appendAudit(db, actor, { action: 'key.revoke', subject: id, details });
      return true;
    });
  }

  revision(): Promise<number> {
    return this.#session.read(async (db) => (await revisions(db)).last);
  }

  changedSince(revision: number | null): Promise<KeyChanges> {
    return this.#session.read(async (db) => {
      const { first, last } = await revisions(db);
      const isWhole = revision === null || revision < first || revision > last;
      const after = isWhole ? -1 : revision;
      const rows = await db.all('select * from api_key where revision > ? order by id', after);
      await db.guard.check(db);
      const { good, forged } = await sortedByLog(db, rows.map(keyOf));
      return { revision: last, keys: good, forged: forged.map(({ id }) => id), isWhole };
    });
  }

  unlogged(): Promise<readonly string[]> {
    return this.#session.read(async (db) => {
      const { forged } = await sortedByLog(db, await keysOf(db, undefined));
      return [...forged.map(({ id }) => id), ...(await lostKeys(db))];
    });
  }
}

async function insert(db: Connection, key: KeyRecord): Promise<void> {
  await db.run(
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
    await nextRevision(db),
  );
}

const hasEnded = ({ revoked_ms, expires_ms }: KeyRecord, atMs: number) =>
  revoked_ms !== null || (expires_ms !== null && expires_ms <= atMs);

async function keysOf(db: Connection, org: string | undefined): Promise<KeyRecord[]> {
  const rows =
    org === undefined
      ? await db.all('select * from api_key order by id')
      : await db.all('select * from api_key where org = ? order by id', org);
  return rows.map(keyOf);
}

/** Keys whose rows match the audit log, and the others. */
async function sortedByLog(db: Connection, keys: readonly KeyRecord[]) {
  const [good, forged]: [KeyRecord[], KeyRecord[]] = [[], []];
  for (const key of keys) ((await isLogged(db, key)) ? good : forged).push(key);
  return { good, forged };
}

async function keyById(db: Connection, id: string): Promise<KeyRecord | undefined> {
  const row = await db.get('select * from api_key where id = ?', id);
  return row === undefined ? undefined : keyOf(row);
}

async function revisions(db: Connection): Promise<{ readonly first: number; readonly last: number }> {
  const row = await db.get('select first, last from key_revision');
  if (row === undefined) throw new StoreUnavailableError('The store is damaged: it has no revision.');
  return { first: integerOf(row, 'first'), last: integerOf(row, 'last') };
}

async function nextRevision(db: Connection): Promise<number> {
  await db.run('update key_revision set last = last + 1');
  return (await revisions(db)).last;
}

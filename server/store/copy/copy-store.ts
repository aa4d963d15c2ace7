// Moves a store from a file to PostgreSQL: keys, audit log, subscriptions, deliveries, idempotent requests, charges, usage. Runs in one
// transaction: if anything interrupts it, the target is still empty and the copy can be repeated. The file is only read.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import { pgMigrate, pgMigrationSteps } from '../../../platform/postgres/pg-migrate.ts';
import { checkedAddress, isPostgres, makePool } from '../../../platform/postgres/pg-pool.ts';
import { pgErrorOf } from '../postgres/pg-errors.ts';
import { PgSession } from '../postgres/pg-session.ts';
import { makeSealer, type Sealer, sealKey } from '../seal.ts';
import { migrationSteps, stepOf } from '../sqlite/migrate.ts';
import { isBusy } from '../sqlite/sqlite-errors.ts';
import { connectSqlite, SqliteFile } from '../sqlite/sqlite-file.ts';
import { type SessionClock, SqliteSession } from '../sqlite/sqlite-session.ts';
import { StoreUnavailableError } from '../store.ts';
import { StoreGuard } from '../store-guard.ts';
import { AuditTable } from '../tables/audit.ts';
import type { Session } from '../tables/session.ts';
import { WebhookTable } from '../tables/webhooks.ts';
import { secretBinding } from '../webhook-store.ts';
import { type CopiedTable, copyTables } from './copy-tables.ts';

export interface StoreCopyOptions extends SessionClock {
  /** Path of the store's file. */
  readonly from: string;
  /** The seal key, which the target keeps using. */
  readonly sealKeyFile: string;
  /** `postgres://user@host:port/database`. The password comes from PGPASSWORD or PGPASSFILE. */
  readonly to: string;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** @throws StoreUnavailableError if either store is refused or unavailable; the target is then unchanged. */
export async function copyStore(copying: StoreCopyOptions): Promise<readonly CopiedTable[]> {
  const { from, to } = copying;
  if (isPostgres(from) || !isPostgres(to))
    throw new StoreUnavailableError(
      `A store is copied from a file to PostgreSQL; OPS_STORE is ${isPostgres(from) ? 'a database already' : from}, and the target must start with postgres://.`,
    );
  const database = checkedTarget(to);
  const sealer = sealerOf(copying);
  const source = await openAlone(from, sealer, copying);
  try {
    await requireSecrets(source.session, sealer);
    return await copyTo(source, { copying, database, sealer });
  } finally {
    await source.session.close();
  }
}

function checkedTarget(url: string): string {
  try {
    return checkedAddress(url);
  } catch (error) {
    throw pgErrorOf(error, '');
  }
}

function sealerOf({ sealKeyFile: file, randomBytes }: StoreCopyOptions): Sealer {
  if (!existsSync(file))
    throw new StoreUnavailableError(
      `The seal key ${file} is missing. Restore it from the backup of the store.`,
    );
  return makeSealer(sealKey({ file, randomBytes, onMade: () => undefined }), randomBytes);
}

/** Checks secrets now, because an unreadable one would be noticed only when a delivery is signed. */
async function requireSecrets(session: Session, sealer: Sealer): Promise<void> {
  for (const { id, secrets } of await new WebhookTable(session).all()) {
    try {
      for (const { sealed } of secrets) sealer.open(sealed, secretBinding(id));
    } catch (cause) {
      throw new StoreUnavailableError(
        `The seal key does not open the signing secret of ${id}. Nothing was copied.`,
        {
          cause,
        },
      );
    }
  }
}

async function copyTo(
  source: FileAlone,
  {
    copying,
    database,
    sealer,
  }: { readonly copying: StoreCopyOptions; readonly database: string; readonly sealer: Sealer },
): Promise<readonly CopiedTable[]> {
  const errorOf = (error: unknown) => pgErrorOf(error, database);
  const anchor = join(dirname(copying.sealKeyFile), 'postgres');
  const guard = new StoreGuard(anchor, sealer, { database, isShared: true });
  const pool = makePool(copying.to);
  try {
    await migrated(pool, database);
    return await new PgSession(pool, guard, errorOf).transact(async (session) => {
      const copied = await session.write((db) => copyTables(source.db, db, database));
      await session.read((db) => guard.check(db));
      const broken = await new AuditTable(session).verify();
      if (broken === undefined) return copied;
      throw new StoreUnavailableError(
        `The audit log of ${copying.from} is damaged from entry ${broken} on. Nothing was copied.`,
      );
    });
  } catch (error) {
    throw errorOf(error);
  } finally {
    await pool.end();
  }
}

async function migrated(pool: pg.Pool, database: string): Promise<void> {
  const client = await pool.connect();
  try {
    await pgMigrate(client, database, pgMigrationSteps());
  } finally {
    client.release();
  }
}

// Opens a file store exclusively: while it is open, no other process can read or change it, and a process that already has it open is
// detected.

interface FileAlone {
  readonly db: DatabaseSync;
  readonly session: SqliteSession;
}

/**
 * `close` the session to let others in again.
 * @throws StoreUnavailableError for a store that is missing, in use, of another version or another seal key, or older than the head of its
 * audit log.
 */
export async function openAlone(path: string, sealer: Sealer, clock: SessionClock): Promise<FileAlone> {
  if (!existsSync(path)) throw new StoreUnavailableError(`There is no store ${path}.`);
  const opened: DatabaseSync[] = [];
  const steps = migrationSteps();
  const connect = () => {
    const db = connectAlone(path, steps.length);
    opened.push(db);
    return db;
  };
  const guard = new StoreGuard(path, sealer);
  const session = new SqliteSession(new SqliteFile(path, { connect, steps, guard }), clock);
  try {
    await guard.establish(session);
    const db = opened.at(-1);
    if (db === undefined) throw new Error(`${path} was read without a connection.`);
    return { db, session };
  } catch (error) {
    await session.close();
    throw error;
  }
}

function connectAlone(path: string, known: number): DatabaseSync {
  const db = connectSqlite(path);
  try {
    // Set before the first access, this takes a lock that conflicts with every other open connection.
    db.exec('pragma locking_mode = exclusive; begin immediate; rollback');
    if (stepOf(db, path, known) < known)
      throw new StoreUnavailableError(
        `The store ${path} was written by an older version of this service. Start a server of this version on it once, then stop it.`,
      );
    return db;
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new StoreUnavailableError(
      `The store ${path} is in use by another process. Stop every server and command that uses it.`,
      { cause: error },
    );
  }
}

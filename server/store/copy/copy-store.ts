// Moves a store from a file to PostgreSQL: keys, audit log, subscriptions, deliveries, idempotent requests, charges, usage. Runs in one
// transaction: if anything interrupts it, the target is still empty and the copy can be repeated. The file is only read.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { pgMigrate, pgMigrationSteps } from '../../../platform/postgres/pg-migrate.ts';
import { checkedAddress, isPostgres, makePool } from '../../../platform/postgres/pg-pool.ts';
import { pgErrorOf } from '../postgres/pg-errors.ts';
import { PgSession } from '../postgres/pg-session.ts';
import { makeSealer, type Sealer } from '../seal.ts';
import { sealKey } from '../seal-key.ts';
import type { SessionClock } from '../sqlite/sqlite-session.ts';
import { StoreUnavailableError } from '../store.ts';
import { StoreGuard } from '../store-guard.ts';
import { AuditTable } from '../tables/audit.ts';
import type { Session } from '../tables/session.ts';
import { WebhookTable } from '../tables/webhooks.ts';
import { secretBinding } from '../webhook-store.ts';
import { type CopiedTable, copyTables } from './copy-tables.ts';
import { type FileAlone, openAlone } from './file-alone.ts';

export interface StoreCopying extends SessionClock {
  /** Path of the store's file. */
  readonly from: string;
  /** The seal key, which the target keeps using. */
  readonly sealKeyFile: string;
  /** `postgres://user@host:port/database`. The password comes from PGPASSWORD or PGPASSFILE. */
  readonly to: string;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** @throws StoreUnavailableError if either store is refused or unavailable; the target is then unchanged. */
export async function copyStore(copying: StoreCopying): Promise<readonly CopiedTable[]> {
  const { from, to } = copying;
  if (isPostgres(from) || !isPostgres(to))
    throw new StoreUnavailableError(
      `A store is copied from a file to PostgreSQL; OPS_STORE is ${isPostgres(from) ? 'a database already' : from}, and the target must start with postgres://`,
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

function sealerOf({ sealKeyFile: file, randomBytes }: StoreCopying): Sealer {
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

interface Target {
  readonly copying: StoreCopying;
  readonly database: string;
  readonly sealer: Sealer;
}

async function copyTo(
  source: FileAlone,
  { copying, database, sealer }: Target,
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

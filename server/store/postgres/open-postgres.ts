// The store in PostgreSQL, for servers on several hosts. The servers of an installation share the database and the seal key.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { pgMigrate, pgMigrationSteps } from '../../../platform/postgres/pg-migrate.ts';
import { checkedAddress, makeClient, makePool, addressOf } from '../../../platform/postgres/pg-pool.ts';
import type { Actor } from '../actor.ts';
import { makeOwnFolder } from '../own-folder.ts';
import type { Sealer } from '../seal.ts';
import type { JointCounts } from '../joint-counts.ts';
import { type OpsStore, StoreUnavailableError } from '../store.ts';
import type { NoteUpgrade } from '../sqlite/migrate.ts';
import { StoreGuard } from '../store-guard.ts';
import { tablesOver } from '../tables/tables-over.ts';
import { PgCounts } from './pg-counts.ts';
import { pgErrorOf } from './pg-errors.ts';
import { PgProcesses } from './pg-processes.ts';
import { PgSession } from './pg-session.ts';

export interface PostgresOptions {
  /** `postgres://user@host:port/database`. The password comes from PGPASSWORD or PGPASSFILE. */
  readonly url: string;
  /** File on this host, next to which the newest head of the audit log is kept. */
  readonly sealKeyFile: string;
  /** Reads or creates the key file, and returns the sealer for secrets. */
  readonly sealer: () => Sealer;
  /** Unique name of this process, never reused; claims are made under it. */
  readonly owner: string;
  /** The actor who accepts the store although its audit log is not the one last seen. */
  readonly accept?: Actor | undefined;
  readonly onUpgraded?: NoteUpgrade | undefined;
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Creates the tables if the schema is empty.
 * @throws StoreUnavailableError if the store cannot be reached or migrated, or is not the expected one.
 */
export async function openPostgres(options: PostgresOptions): Promise<OpsStore> {
  const database = checkedPlaceOf(options.url);
  const errorOf = (error: unknown) => pgErrorOf(error, database);
  const pool = makePool(options.url);
  try {
    makeOwnFolder(dirname(options.sealKeyFile));
    await prepare(pool, { ...options, database });
    const sealer = options.sealer();
    const guard = new StoreGuard(join(dirname(options.sealKeyFile), 'postgres'), sealer, {
      database,
      isShared: true,
    });
    const session = new PgSession(pool, guard, errorOf);
    const processes = new PgProcesses(options.owner, () => makeClient(options.url), errorOf);
    const context = {
      presence: processes,
      leadership: processes.leadership,
      sealer,
      working: new Set<string>(),
    };
    await guard.establish(session, options.accept);
    const notices = new PgNotices({ connect: () => makeClient(options.url), wait: options.wait });
    return {
      ...tablesOver(session, context),
      transact: (work) => session.transact((inner) => work(tablesOver(inner, context))),
      checkWritable: () =>
        session.write(async (db) => void (await db.run('update key_revision set last = last'))),
      onKeysChanged: (listener) => notices.subscribe(listener),
      async close() {
        await notices.close();
        await session.close();
        await processes.leave();
      },
    };
  } catch (error) {
    await pool.end();
    throw errorOf(error);
  }
}

/** Separate connections, because requests wait for their count: they time out soon, and stay open because opening one may take longer. */
const COUNTING: pg.PoolConfig = {
  max: 4,
  idleTimeoutMillis: 0,
  connectionTimeoutMillis: 500,
  statement_timeout: 1_000,
  query_timeout: 1_500,
};

/** Call this once the store is open. `server`: unique name of this process, never reused. */
export function openJointCounts(url: string, server: string): JointCounts {
  const database = addressOf(url);
  return new PgCounts(makePool(url, COUNTING), server, (error) => pgErrorOf(error, database));
}

function checkedPlaceOf(url: string): string {
  try {
    return checkedAddress(url);
  } catch (error) {
    throw pgErrorOf(error, '');
  }
}

/** Migrates the store. Refuses a store in use without its key, because a new key could not open anything in it. */
async function prepare(
  pool: pg.Pool,
  {
    database,
    sealKeyFile,
    onUpgraded,
  }: Pick<PostgresOptions, 'sealKeyFile' | 'onUpgraded'> & {
    readonly database: string;
  },
): Promise<void> {
  const client = await pool.connect();
  try {
    const steps = pgMigrationSteps();
    const from = await pgMigrate(client, database, steps);
    if (from > 0 && from < steps.length) onUpgraded?.({ from, to: steps.length });
    const { rows } = await client.query('select exists (select 1 from store_mark) as is_used');
    if (rows[0]?.is_used === true && !existsSync(sealKeyFile))
      throw new StoreUnavailableError(
        `The store ${database} is in use, and ${sealKeyFile} is missing. Copy the seal key of the installation to this path.`,
      );
  } finally {
    client.release();
  }
}

// Learns at once, on a separate connection, that any process has changed keys. A notice can be missed while the connection is lost, so
// callers also poll.

const CHANNEL = 'keys_changed';
const RETRY_MS = 1_000;

interface PgNoticesDeps {
  /** Creates a client that is not yet connected. */
  readonly connect: () => pg.Client;
  readonly wait: (ms: number) => Promise<void>;
}

class PgNotices {
  readonly #deps: PgNoticesDeps;
  readonly #listeners = new Set<() => void>();
  #client: pg.Client | undefined;
  #listening: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: PgNoticesDeps) {
    this.#deps = deps;
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#listening ??= this.#listen();
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#untilLost();
      } catch {
        // Callers poll until the connection is back.
      }
      if (!this.#isClosed) await this.#deps.wait(RETRY_MS);
    }
  }

  async #untilLost(): Promise<void> {
    const client = this.#deps.connect();
    this.#client = client;
    const lost = Promise.withResolvers<void>();
    client.on('error', () => lost.resolve()).on('end', () => lost.resolve());
    try {
      await client.connect();
      const { rows } = await client.query('select current_schema() as schema');
      client.on('notification', ({ payload }) => {
        if (payload === rows[0]?.schema) this.#report();
      });
      await client.query(`listen ${CHANNEL}`);
      this.#report();
      await lost.promise;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  #report(): void {
    for (const listener of this.#listeners) listener();
  }
}

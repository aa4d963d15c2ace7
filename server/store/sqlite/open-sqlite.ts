// The store in one SQLite file, for the servers and commands of one machine: several processes may have it open at once. Every change is
// on disk before it is acknowledged (WAL, synchronous = FULL).

import type { Actor } from './actor.ts';
import { Leadership } from './leadership.ts';
import { migrationSteps } from './migrate.ts';
import { Presence } from './presence.ts';
import type { Sealer } from './seal.ts';
import { SqliteAnalyticsRuns } from './sqlite-analytics-runs.ts';
import { SqliteAudit } from './sqlite-audit.ts';
import { SqliteDeliveries } from './sqlite-deliveries.ts';
import { type Connect, connectSqlite, SqliteFile } from './sqlite-file.ts';
import { type ClaimContext, SqliteIdempotency } from './sqlite-idempotency.ts';
import { SqliteKeys } from './sqlite-keys.ts';
import { type Session, type SessionClock, SqliteSession } from './sqlite-session.ts';
import { SqliteUsage } from './sqlite-usage.ts';
import { SqliteWebhooks } from './sqlite-webhooks.ts';
import type { OpsStore, OpsTables } from './store.ts';
import { StoreGuard } from './store-guard.ts';

export interface StoreOptions extends SessionClock {
  readonly path: string;
  /** Unique name of this process, never reused; claims are made under it. */
  readonly owner: string;
  /** Encrypts data that may hold a secret. */
  readonly sealer: Sealer;
  readonly connect?: Connect;
  /** Accepts the store although its audit log is not the one last seen; the actor who decides that. */
  readonly accept?: Actor | undefined;
}

/**
 * Creates the file, readable only by its owner, if there is none.
 * @throws StoreUnavailableError when it cannot be opened or migrated.
 */
export async function openStore(options: StoreOptions): Promise<OpsStore> {
  const guard = new StoreGuard(options.path, options.sealer);
  const parts = { connect: options.connect ?? connectSqlite, steps: migrationSteps(), guard };
  const file = new SqliteFile(options.path, parts);
  const session = new SqliteSession(file, options);
  const presence = new Presence(`${options.path}-owners`, options.owner);
  const leadership = new Leadership(`${options.path}-dispatcher`);
  const context = { presence, sealer: options.sealer, working: new Set<string>(), leadership };
  const tables = tablesOver(session, context);
  try {
    await guard.establish(session, options.accept);
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    ...tables,
    transact: (work) => session.transact((inner) => work(tablesOver(inner, context))),
    async close() {
      await session.close();
      presence.leave();
      leadership.leave();
    },
  };
}

interface Context extends ClaimContext {
  readonly leadership: Leadership;
}

const tablesOver = (session: Session, context: Context): OpsTables => ({
  keys: new SqliteKeys(session),
  audit: new SqliteAudit(session),
  idempotency: new SqliteIdempotency(session, context),
  usage: new SqliteUsage(session),
  analyticsRuns: new SqliteAnalyticsRuns(session),
  webhooks: new SqliteWebhooks(session),
  deliveries: new SqliteDeliveries(session, context.leadership),
});

// A store seen from outside, without a lock and without a change: its format, whether it is whole, the last entry of its audit log, and how
// long its oldest delivery has been due. Works whether or not servers use it.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { pgMigrationSteps } from '../../platform/postgres/pg-migrate.ts';
import { makeClient } from '../../platform/postgres/pg-pool.ts';
import { migrationSteps, stepOf } from './sqlite/migrate.ts';
import { storeErrorOf } from './sqlite/sqlite-errors.ts';

const PATIENCE_MS = 1_000;
const OLDEST_DUE = 'select min(next_ms) as n from webhook_delivery where next_ms is not null';

export interface StoreFacts {
  /** Null for a database without tables. */
  readonly format: number | null;
  readonly known_format: number;
  /** What the engine finds damaged; null if nothing. */
  readonly damage: string | null;
  /** Last entry of the audit log; null for an earlier format. */
  readonly last_entry: number | null;
  /** Unix milliseconds; null if no delivery is open, or for an earlier format. */
  readonly oldest_due_ms: number | null;
  /** Clock of the database, Unix milliseconds; null for a file. */
  readonly clock_ms: number | null;
}

/** @throws StoreUnavailableError for a file that is not a store, is damaged or of a newer format */
export function inspectFile(path: string): StoreFacts {
  try {
    const db = openForReading(path);
    try {
      return factsOf(db, path);
    } finally {
      db.close();
    }
  } catch (error) {
    throw storeErrorOf(error, path);
  }
}

/** Without a log no process has the store open: SQLite then need not create the files that it shares among processes. */
function openForReading(path: string): DatabaseSync {
  const options = { readOnly: true, timeout: PATIENCE_MS };
  if (existsSync(`${path}-wal`)) return new DatabaseSync(path, options);
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, options);
}

function factsOf(db: DatabaseSync, path: string): StoreFacts {
  const known = migrationSteps().length;
  const format = stepOf(db, path, known);
  const whole = String(db.prepare('pragma quick_check(1)').get()?.['quick_check']);
  const isPresent = format === known && whole === 'ok';
  return {
    format,
    known_format: known,
    damage: whole === 'ok' ? null : whole,
    last_entry: isPresent ? numberOf(db.prepare('select seq as n from audit_head').get()) : null,
    oldest_due_ms: isPresent ? numberOf(db.prepare(OLDEST_DUE).get()) : null,
    clock_ms: null,
  };
}

function numberOf(row: { readonly n?: unknown } | undefined): number | null {
  const value = row?.n;
  return value === null || value === undefined ? null : Number(value);
}

/** @throws the error of the driver if the database cannot be reached */
export async function inspectDatabase(url: string): Promise<StoreFacts> {
  const client = makeClient(url);
  await client.connect();
  try {
    const number = async (sql: string) => numberOf((await client.query(sql)).rows[0]);
    const known = pgMigrationSteps().length;
    const tables = await number("select count(*) as n from pg_class where oid = to_regclass('store_step')");
    const format = tables === 0 ? null : await number('select step as n from store_step');
    return {
      format,
      known_format: known,
      damage: null,
      last_entry: null,
      oldest_due_ms: format === known ? await number(OLDEST_DUE) : null,
      clock_ms: await number('select extract(epoch from clock_timestamp()) * 1000 as n'),
    };
  } finally {
    await client.end();
  }
}

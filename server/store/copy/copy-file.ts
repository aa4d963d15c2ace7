// A consistent copy of a store in one SQLite file, taken while servers use the store. The head of the audit log that belongs to it is never
// newer than the copy, so a server accepts the two.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import { checkedAddress, isPostgres, makeClient } from '../../../platform/postgres/pg-pool.ts';
import { anchorPath } from '../audit-anchor.ts';
import { pgErrorOf } from '../postgres/pg-errors.ts';
import { migrate, migrationSteps, stepOf } from '../sqlite/migrate.ts';
import { storeErrorOf } from '../sqlite/sqlite-errors.ts';
import { StoreUnavailableError } from '../store.ts';

/** All pages in one step: the copy is of one instant, however much is written meanwhile. */
const ALL_PAGES = 2 ** 31 - 1;
const PATIENCE_MS = 10_000;
const FETCHED_ROWS = 500;
/** Reading a large store takes longer than any statement of a server may. */
const PG_STATEMENT_MS = 3_600_000;

export interface StoreSource {
  /** The store: a file, or the address of a database. */
  readonly store: string;
  readonly sealKeyFile: string;
  /** Path of the copy, which does not exist yet. */
  readonly to: string;
}

export interface StoreCopy {
  /** The head of the audit log, as it is kept next to a store; null if there is none. */
  readonly head: Buffer | null;
  /** Newest applied migration. */
  readonly step: number;
}

/** @throws StoreUnavailableError */
export async function copyToFile({ store, sealKeyFile, to }: StoreSource): Promise<StoreCopy> {
  const isDatabase = isPostgres(store);
  // Read first: a log that is newer than its head is accepted, the reverse is not.
  const head = readIfThere(anchorPath(isDatabase ? join(dirname(sealKeyFile), 'postgres') : store));
  if (isDatabase) await copyDatabase(store, to);
  else await copyFile(store, to);
  return { head, step: checkedStep(to) };
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function copyFile(store: string, to: string): Promise<void> {
  try {
    const source = new DatabaseSync(store, { readOnly: true, timeout: PATIENCE_MS });
    try {
      await backup(source, to, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
  } catch (error) {
    throw storeErrorOf(error, store);
  }
}

/** @throws StoreUnavailableError for a copy that is damaged, of another application or of a newer version */
function checkedStep(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const result = db.prepare('pragma quick_check(1)').get()?.['quick_check'];
    if (result !== 'ok')
      throw new StoreUnavailableError(`The store is damaged: ${String(result)}. Restore it from a backup.`);
    return stepOf(db, path, migrationSteps().length);
  } catch (error) {
    throw storeErrorOf(error, path);
  } finally {
    db.close();
  }
}

/** Writes the tables of a database to a new file, as they are in one transaction. */
async function copyDatabase(url: string, to: string): Promise<void> {
  const database = checkedAddress(url);
  const client = makeClient(url, { statement_timeout: PG_STATEMENT_MS, query_timeout: PG_STATEMENT_MS });
  const db = new DatabaseSync(to);
  try {
    migrate(db, to, migrationSteps());
    await client.connect();
    await client.query('begin transaction isolation level repeatable read, read only');
    db.exec('pragma foreign_keys = off; begin');
    for (const table of tablesOf(db)) await copyTable(client, db, table);
    db.exec('commit; pragma journal_mode = wal');
    await client.query('commit');
  } catch (error) {
    throw pgErrorOf(error, database);
  } finally {
    await client.end();
    db.close();
  }
}

const tablesOf = (db: DatabaseSync): readonly string[] =>
  db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name")
    .all()
    .map(({ name }) => String(name));

async function copyTable(client: pg.Client, db: DatabaseSync, table: string): Promise<void> {
  const own = db
    .prepare('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
  const { rows: found } = await client.query<{ column_name: string }>(
    'select column_name from information_schema.columns where table_schema = current_schema() and table_name = $1',
    [table],
  );
  const names = found.map(({ column_name }) => column_name);
  if (own.some((column) => !names.includes(column)))
    throw new StoreUnavailableError(
      `The database has other columns in ${table} than this version of the service. Start a server of this version once.`,
    );
  const columns = names.filter((column) => own.includes(column) || column === 'rowid').join(', ');
  const marks = columns.replaceAll(/\w+/g, '?');
  db.exec(`delete from ${table}`);
  const insert = db.prepare(`insert into ${table} (${columns}) values (${marks})`);
  await client.query(`declare rows_of_table no scroll cursor for select ${columns} from ${table}`);
  for (;;) {
    const { rows } = await client.query({
      text: `fetch ${FETCHED_ROWS} from rows_of_table`,
      rowMode: 'array',
    });
    for (const row of rows) insert.run(...row);
    if (rows.length < FETCHED_ROWS) break;
  }
  await client.query('close rows_of_table');
}

// The database of the Iceberg catalogue. The warehouse on Trino also keeps its own state there, in the schema `meta`.
import { sentence } from '../../../platform/base/printable.ts';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { pgFaultOf } from '../../../platform/postgres/pg-faults.ts';
import { pgMigrate } from '../../../platform/postgres/pg-migrate.ts';
import { checkedAddress, makePool } from '../../../platform/postgres/pg-pool.ts';
import { EngineError, WarehouseLostError } from '../errors.ts';
import { type LeaderTerm, sessionOf } from './hold.ts';

const STEPS = ['./state.sql', './fence.sql'].map((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8'),
);
/** SQLSTATE of the exception that fence.sql raises. */
const REFUSED = 'P0001';
/** Long, because the rows of a whole dataset may be replaced in one statement. */
const STATEMENT_MS = 300_000;

type Value = string | number | boolean | null | readonly (string | number | boolean | null)[];
type DatabaseRow = { readonly [column: string]: unknown };

export interface Queryable {
  query(sql: string, values?: readonly Value[]): Promise<readonly DatabaseRow[]>;
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction, all or nothing. */
  transaction<T>(work: (database: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** `term`: the leader's term, if job hosts take turns. @throws EngineError, DatabaseRefusedError when it cannot be used */
export async function openDatabase(url: string, term: LeaderTerm | null): Promise<Database> {
  const address = checkedAddress(url);
  const session = sessionOf(term);
  const pool = makePool(url, {
    ...session,
    options: `-c search_path=meta,public ${session.options ?? ''}`.trim(),
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
  });
  const explained = explainer(address);
  const database: Database = {
    query: (sql, values) => explained(() => ask(pool, sql, values)),
    transaction: (work) => explained(() => inTransaction(pool, work)),
    close: () => pool.end(),
  };
  try {
    await explained(() => migrate(pool, address));
  } catch (error) {
    await pool.end();
    throw error;
  }
  return database;
}

async function migrate(pool: pg.Pool, database: string): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query(`select to_regnamespace('meta') is not null as is_there`);
    if (rows[0]?.is_there !== true) await client.query('create schema if not exists meta');
    await pgMigrate(client, `${database}, schema meta`, STEPS);
  } finally {
    client.release();
  }
}

async function ask(
  client: Pick<pg.Pool, 'query'>,
  sql: string,
  values: readonly Value[] = [],
): Promise<readonly DatabaseRow[]> {
  const { rows } = await client.query(sql, [...values]);
  return rows as readonly DatabaseRow[];
}

async function inTransaction<T>(pool: pg.Pool, work: (database: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work({ query: (sql, values) => ask(client, sql, values) });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Converts failures of PostgreSQL and of the network into errors that say which database failed and why. */
const explainer =
  (database: string) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === REFUSED)
        throw new WarehouseLostError(error.message, { cause: error });
      const fault = pgFaultOf(error);
      if (fault !== undefined)
        throw new EngineError(
          `The database ${database}, which holds the catalogue and the state of the warehouse, ${sentence(fault.message)}`,
          {
            cause: error,
          },
        );
      if (error instanceof pg.DatabaseError)
        throw new EngineError(`${sentence(error.message)}\nIn the database ${database}.`, { cause: error });
      throw error;
    }
  };

// A connection pool, and how values are read: whole numbers as numbers, JSON as the text that was written.
import pg from 'pg';
import { DatabaseRefusedError } from './pg-faults.ts';

const MAX_CONNECTIONS = 8;
/** How long a statement, a connection or a lock may take before the request is refused as temporarily unavailable. */
const CONNECT_MS = 2_000;
const STATEMENT_MS = 10_000;

const INT8 = 20;
const JSON_TEXT = 114;

const TYPES: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8) return Number;
    if (oid === JSON_TEXT) return String;
    return pg.types.getTypeParser(oid, format);
  },
};

const optionsOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  types: TYPES,
  connectionTimeoutMillis: CONNECT_MS,
  statement_timeout: STATEMENT_MS,
  // Also bounds a server that does not respond at all.
  query_timeout: STATEMENT_MS + 1_000,
  keepAlive: true,
  application_name: 'risk-data-service',
});

export function makePool(url: string, change: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...optionsOf(url), max: MAX_CONNECTIONS, ...change });
  // A connection that breaks, while idle or between statements, is replaced; the next use reports the fault.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A separate connection, for locks that end with it. */
export const makeClient = (url: string, change: pg.ClientConfig = {}): pg.Client =>
  new pg.Client({ ...optionsOf(url), ...change });

export const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//i.test(address);

/** @throws DatabaseRefusedError for an invalid URL or one that contains a password. */
export function checkedAddress(url: string): string {
  if (!URL.canParse(url)) throw new DatabaseRefusedError('The address of the database is not a URL.');
  const { password, searchParams } = new URL(url);
  if (password !== '' || searchParams.has('password'))
    throw new DatabaseRefusedError(
      'The address of the database contains a password. Set PGPASSWORD or PGPASSFILE instead.',
    );
  return addressOf(url);
}

/** The address of the database, without a password. */
export function addressOf(url: string): string {
  const { hostname, port, pathname, username } = new URL(url);
  return `postgres://${username === '' ? '' : `${username}@`}${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}

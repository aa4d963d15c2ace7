// A connection that breaks between two statements of a transaction: the process keeps running, and the request gets an error.
import { expect } from 'vitest';
import { StoreUnavailableError } from '../../../server/store/store.ts';
import { makePool } from '../../../platform/postgres/pg-pool.ts';
import { onPostgres, postgresBed } from './on-postgres.ts';

const TERMINATE =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';
const bed = postgresBed();

onPostgres(
  'a checked-out connection that breaks does not crash the process (skipped without PostgreSQL)',
  async () => {
    const { fixture, store } = bed;
    const pool = makePool(fixture.url);
    const client = await pool.connect();
    const broken = new Promise((resolve) => client.once('end', resolve));
    await fixture.execute(TERMINATE);
    await broken;
    await expect(client.query('select 1')).rejects.toThrow();
    client.release(true);
    await pool.end();
    const keys = await store.keys.list().catch((error: unknown) => error);
    expect(Array.isArray(keys) || keys instanceof StoreUnavailableError).toBe(true);
    expect(await store.keys.list()).toEqual([]);
  },
);

// A connection that breaks while a transaction thinks, between two statements: the process lives on, and the request gets its error.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../server/store/store.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { makePool } from '../../../coordination/postgres/pg-pool.ts';
import { PostgresFixture } from './postgres-fixture.ts';

const isInstalled = postgresPrograms() !== undefined;
const TERMINATE =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';
let cluster: Cluster;
let fixture: PostgresFixture;

beforeAll(async () => {
  const started = await startCluster(['fsync=off']);
  if (started !== undefined) cluster = started;
});
afterAll(() => cluster?.stop());
afterEach(() => fixture?.remove());

test.skipIf(!isInstalled)(
  'a checked-out connection that breaks ends no process (skipped without PostgreSQL)',
  async () => {
    fixture = await PostgresFixture.create(cluster);
    const store = await fixture.open();
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

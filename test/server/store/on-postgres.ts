// A PostgreSQL store for each test, in one cluster per test file. The tests are skipped where PostgreSQL is not installed.
import { afterAll, afterEach, beforeAll, beforeEach, test } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { PostgresFixture } from './postgres-fixture.ts';

export const isInstalled = postgresPrograms() !== undefined;
export const onPostgres = test.skipIf(!isInstalled);

export interface PostgresBed {
  readonly cluster: Cluster;
  readonly fixture: PostgresFixture;
  readonly store: OpsStore;
}

/** Filled before each test. Hooks that a test file adds in `afterEach` run while its store is still open. */
export function postgresBed(): PostgresBed {
  const bed: { cluster?: Cluster; fixture?: PostgresFixture; store?: OpsStore } = {};
  beforeAll(async () => {
    const started = await startCluster(['fsync=off']);
    if (started !== undefined) bed.cluster = started;
  });
  afterAll(() => bed.cluster?.stop());
  beforeEach(async () => {
    if (bed.cluster === undefined) return;
    bed.fixture = await PostgresFixture.create(bed.cluster);
    bed.store = await bed.fixture.open();
  });
  afterEach(() => bed.fixture?.remove());
  return bed as PostgresBed;
}

// A store in PostgreSQL for each test of a file, in a cluster of the file's own. Tests are skipped where PostgreSQL is not installed.
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

/** Is filled before each test. What a test file adds in `afterEach` runs while its store is still open. */
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

import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { storeConforms } from './conformance.ts';
import { survivesKills } from './kills.ts';
import { PostgresFixture } from './postgres-fixture.ts';

let cluster: Cluster;
let fixture: PostgresFixture;
let store: OpsStore;

/** Skipped where PostgreSQL is not installed. */
const isInstalled = postgresPrograms() !== undefined;

beforeAll(async () => {
  const started = await startCluster(['fsync=off']);
  if (started !== undefined) cluster = started;
});
afterAll(() => cluster?.stop());
beforeEach(async () => {
  if (!isInstalled) return;
  fixture = await PostgresFixture.create(cluster);
  store = await fixture.open();
});
afterEach(() => fixture?.remove());

describe.skipIf(!isInstalled)('a store in PostgreSQL (skipped where it is not installed)', () => {
  storeConforms(() => ({ store, again: () => fixture.open() }));
  survivesKills(() => ({ store, place: fixture.url, sealKeyFile: fixture.sealKeyFile }), COUNTS.storeKills);
});

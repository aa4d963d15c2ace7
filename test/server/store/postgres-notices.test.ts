// Keys that change reach all servers at once, without waiting for their next look.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { KeyRing } from '../../../server/access/key-ring.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres-cluster.ts';
import { PostgresFixture } from './postgres-fixture.ts';
import { ACTOR, keyRecord } from './store-fixture.ts';

let cluster: Cluster;
let fixture: PostgresFixture;
let store: OpsStore;
let rings: KeyRing[] = [];

/** Skipped where PostgreSQL is not installed. */
const isInstalled = postgresPrograms() !== undefined;
const onPostgres = test.skipIf(!isInstalled);

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
afterEach(async () => {
  for (const ring of rings) ring.stop();
  rings = [];
  await fixture?.remove();
});

/** A server's keys; it never looks by itself. */
async function ringOf(server: OpsStore): Promise<KeyRing> {
  const log = { warn: () => undefined };
  const ring = new KeyRing({ store: server, nowMs: Date.now, every: () => () => undefined, log });
  await ring.start();
  rings.push(ring);
  return ring;
}

const isRevoked = (ring: KeyRing, hash: string) => typeof ring.find(hash)?.revoked_ms === 'number';

onPostgres('a revoked key is soon known to all servers, also after the database restarted', async () => {
  const servers: KeyRing[] = [];
  for (let index = 0; index < 3; index++) servers.push(await ringOf(await fixture.open()));
  for (const isAfterRestart of [false, true]) {
    if (isAfterRestart) await cluster.restart();
    const key = keyRecord();
    await expect
      .poll(() =>
        store.keys.create(key, ACTOR).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const known = { timeout: 5_000, interval: 10 };
    await expect.poll(() => servers.every((ring) => ring.find(key.hash) !== undefined), known).toBe(true);
    const startMs = performance.now();
    await store.keys.revoke(key.id, ACTOR);
    await expect.poll(() => servers.every((ring) => isRevoked(ring, key.hash)), known).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  }
});

onPostgres('a store of another schema in the same database reports nothing here', async () => {
  const other = await PostgresFixture.create(cluster);
  const elsewhere = await other.open();
  let reports = 0;
  store.onKeysChanged(() => reports++);
  await expect.poll(() => reports).toBe(1);
  await elsewhere.keys.create(keyRecord(), ACTOR);
  await store.keys.create(keyRecord(), ACTOR);
  await expect.poll(() => reports).toBe(2);
  await other.remove();
});

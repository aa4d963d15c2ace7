// Key changes reach all servers at once, without waiting for their next poll.
import { afterEach, expect } from 'vitest';
import { KeyRing } from '../../../server/access/key-ring.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { onPostgres, postgresBed } from './on-postgres.ts';
import { PostgresFixture } from './postgres-fixture.ts';
import { ACTOR, keyRecord } from './store-fixture.ts';

const bed = postgresBed();
let rings: KeyRing[] = [];

afterEach(() => {
  for (const ring of rings) ring.stop();
  rings = [];
});

/** A server's keys; it never polls by itself. */
async function ringOf(server: OpsStore): Promise<KeyRing> {
  const log = { warn: () => undefined };
  const ring = new KeyRing({ store: server, nowMs: Date.now, every: () => () => undefined, log });
  await ring.start();
  rings.push(ring);
  return ring;
}

const isRevoked = (ring: KeyRing, hash: string) => typeof ring.find(hash)?.revoked_ms === 'number';

onPostgres('all servers soon see a revoked key, even after the database restarts', async () => {
  const servers: KeyRing[] = [];
  for (let index = 0; index < 3; index++) servers.push(await ringOf(await bed.fixture.open()));
  for (const isAfterRestart of [false, true]) {
    if (isAfterRestart) await bed.cluster.restart();
    const key = keyRecord();
    await expect
      .poll(() =>
        bed.store.keys.create(key, ACTOR).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const known = { timeout: 5_000, interval: 10 };
    await expect.poll(() => servers.every((ring) => ring.find(key.hash) !== undefined), known).toBe(true);
    const startMs = performance.now();
    await bed.store.keys.revoke(key.id, ACTOR);
    await expect.poll(() => servers.every((ring) => isRevoked(ring, key.hash)), known).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  }
});

onPostgres('a store in another schema of the same database sends no notices here', async () => {
  const other = await PostgresFixture.create(bed.cluster);
  const elsewhere = await other.open();
  let reports = 0;
  bed.store.onKeysChanged(() => reports++);
  await expect.poll(() => reports).toBe(1);
  await elsewhere.keys.create(keyRecord(), ACTOR);
  await bed.store.keys.create(keyRecord(), ACTOR);
  await expect.poll(() => reports).toBe(2);
  await other.remove();
});

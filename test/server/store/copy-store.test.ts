// Moving a store from a file to PostgreSQL: keys work, deliveries and idempotent requests continue, and the audit log is intact.
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { secretBinding } from '../../../server/store/webhook-store.ts';
import { type Cluster, startCluster } from '../../support/postgres-cluster.ts';
import { claim, RESPONSE } from './claims.ts';
import { CLAIMED, CopiedStore, contentsOf, DELIVERIES } from './copied-store.ts';
import { onPostgres } from './on-postgres.ts';
import { ACTOR, keyRecord } from './store-fixture.ts';
import { eventId, newDelivery, webhookRecord } from './webhook-records.ts';

let cluster: Cluster | undefined;
let world: CopiedStore | undefined;
beforeEach(async () => {
  cluster ??= await startCluster(['fsync=off']);
  world = cluster && (await CopiedStore.create(cluster));
});
afterEach(() => world?.remove());
afterAll(() => cluster?.stop());

const made = (): CopiedStore => {
  if (world === undefined) throw new Error('PostgreSQL did not start.');
  return world;
};

onPostgres('the copy looks the same to callers, and no table of the file is left out or empty', async () => {
  const before = await made().with('file', contentsOf);
  expect(before).toMatchObject({ forged: [], unlogged: [], usage: { requests: 7 }, charged: 1 });
  expect(before.deliveries).toHaveLength(DELIVERIES);
  const copied = await made().copy();
  expect(copied.filter(({ rows }) => rows === 0)).toEqual([]);
  expect(copied).toContainEqual({ name: 'webhook_delivery', rows: DELIVERIES });
  expect(await made().with('database', contentsOf)).toEqual(before);
  expect(await made().with('file', contentsOf)).toEqual(before);
});

onPostgres('work continues: later numbers, the next entry of the log, requests in progress', async () => {
  await made().copy();
  await made().with('database', async ({ keys, audit, webhooks, deliveries, idempotency }, sealer) => {
    const last = (await deliveries.list('wh_1', { limit: 1 }))[0]?.id ?? '';
    await webhooks.create(webhookRecord({ id: 'wh_3' }), ACTOR);
    await deliveries.enqueue({ cursor: eventId(10), revision: await webhooks.revision() }, [
      newDelivery(900),
      newDelivery(901, { webhook_id: 'wh_3' }),
    ]);
    const [newest] = await deliveries.list('wh_1', { limit: 1 });
    expect(newest?.event_id).toBe(eventId(900));
    expect((newest?.id ?? '') > last).toBe(true);
    expect(await deliveries.list('wh_3', { limit: 10 })).toHaveLength(1);
    const [secret] = (await webhooks.get('acme', 'wh_1'))?.secrets ?? [];
    expect(sealer.open(secret?.sealed ?? Buffer.of(), secretBinding('wh_1')).toString()).toBe('whsec_wh_1');
    expect(await idempotency.begin(claim)).toEqual({ state: 'done', response: RESPONSE });
    expect(await idempotency.begin(CLAIMED)).toEqual({ state: 'begun' });
    await keys.create(keyRecord(), ACTOR);
    expect(await audit.verify()).toBeUndefined();
  });
});

onPostgres('a second copy is refused and changes nothing, even if a server has been started', async () => {
  await made().copy();
  const before = await made().with('database', contentsOf);
  await expect(made().copy()).rejects.toThrow(/is not empty: .* has rows/);
  expect(await made().with('database', contentsOf)).toEqual(before);
});

// What every implementation must do for webhooks: subscriptions, deliveries, the cursor, and who dispatches.
import { expect, test } from 'vitest';
import { StoreConflictError } from '../../../server/store/store.ts';
import type {
  AttemptRecord,
  DeliveryStore,
  NewDelivery,
  WebhookRecord,
} from '../../../server/store/webhook-store.ts';
import type { Subject } from './conformance.ts';
import { ACTOR, NOW_MS } from './store-world.ts';

export function webhookRecord(change: Partial<WebhookRecord> = {}): WebhookRecord {
  return {
    id: 'wh_1',
    org: 'acme',
    url: 'https://receiver.example.com/',
    events: ['oracle.stale', 'peg.depeg.start'],
    description: null,
    status: 'active',
    disabled_reason: null,
    secret_prefix: 'whsec_abcd',
    secrets: [{ sealed: Buffer.from([1, 2, 255]), ends_ms: null }],
    starts_after: null,
    failing_since_ms: null,
    warned_ms: null,
    last_success_ms: null,
    last_failure_ms: null,
    created_ms: NOW_MS,
    updated_ms: NOW_MS,
    ...change,
  };
}

export const eventId = (n: number): string => `01HZX3K9Q4T2V7B8N6M5P${String(n).padStart(5, '0')}`;

export function newDelivery(n: number, change: Partial<NewDelivery> = {}): NewDelivery {
  return {
    webhook_id: 'wh_1',
    event_id: eventId(n),
    event_type: 'oracle.stale',
    subject_id: 'oracle:ethereum:0xf0:0xf0',
    origin: 'event',
    most_attempts: 10,
    created_ms: NOW_MS,
    body: null,
    ...change,
  };
}

const attempted = (id: string, change: Partial<AttemptRecord> = {}): AttemptRecord => ({
  id,
  status: 'delivered',
  attempt: 1,
  next_ms: null,
  attempted_ms: NOW_MS + 5,
  duration_ms: 12,
  url: 'https://receiver.example.com/',
  response_status: 200,
  error: null,
  response_body: 'thanks',
  replay_cursor: eventId(0),
  ...change,
});

export function subscriptionsConform(subject: () => Subject): void {
  test('a subscription is read back as it was, by its organisation alone', async () => {
    const { webhooks } = subject().store;
    const webhook = webhookRecord({ description: 'ünique' });
    await webhooks.create(webhook, ACTOR);
    expect(await webhooks.get('acme', 'wh_1')).toEqual(webhook);
    expect(await webhooks.get('other', 'wh_1')).toBeUndefined();
    expect([await webhooks.count('acme'), await webhooks.count('other')]).toEqual([1, 0]);
    await expect(webhooks.create(webhook, ACTOR)).rejects.toThrow(StoreConflictError);
  });

  test('they are listed newest first, a part at a time', async () => {
    const { webhooks } = subject().store;
    for (const id of ['wh_2', 'wh_1', 'wh_3']) await webhooks.create(webhookRecord({ id }), ACTOR);
    await webhooks.create(webhookRecord({ id: 'wh_9', org: 'other' }), ACTOR);
    const ids = async (before?: string) =>
      (await webhooks.list('acme', { before, limit: 2 })).map(({ id }) => id);
    expect([await ids(), await ids('wh_2')]).toEqual([['wh_3', 'wh_2'], ['wh_1']]);
    expect((await webhooks.all()).map(({ id }) => id)).toEqual(['wh_1', 'wh_2', 'wh_3', 'wh_9']);
  });

  test('a change, a removal and a test are seen by their revision, from other processes too', async () => {
    const { webhooks, deliveries } = subject().store;
    const other = (await subject().again()).webhooks;
    const seen = new Set([await other.revision()]);
    const note = async () => {
      const revision = await other.revision();
      expect(seen).not.toContain(revision);
      seen.add(revision);
    };
    await webhooks.create(webhookRecord(), ACTOR);
    await note();
    const atMs = NOW_MS + 1_000;
    const changed = await webhooks.change(
      'wh_1',
      { action: 'webhook.update', changes: { status: 'paused' } },
      { ...ACTOR, atMs },
    );
    expect(changed).toEqual(webhookRecord({ status: 'paused', updated_ms: atMs }));
    await note();
    await deliveries.add(newDelivery(1, { origin: 'test' }), ACTOR);
    await note();
    await webhooks.remove('wh_1', ACTOR);
    await note();
    expect(await webhooks.get('acme', 'wh_1')).toBeUndefined();
    expect([await webhooks.all(), await webhooks.count('acme')]).toEqual([[], 0]);
    await expect(webhooks.remove('wh_1', ACTOR)).rejects.toThrow(StoreConflictError);
    await expect(webhooks.change('wh_1', { action: 'webhook.update', changes: {} }, ACTOR)).rejects.toThrow(
      StoreConflictError,
    );
  });

  test('every change is in the audit log, without a secret', async () => {
    const { webhooks, audit } = subject().store;
    await webhooks.create(webhookRecord(), ACTOR);
    const secrets = [{ sealed: Buffer.from('new'), ends_ms: null }];
    await webhooks.change('wh_1', { action: 'webhook.rotate', changes: { secrets } }, ACTOR);
    await webhooks.remove('wh_1', ACTOR);
    const entries = await audit.list(0, 10);
    expect(entries.map(({ action, subject, who }) => [action, subject, who])).toEqual([
      ['webhook.create', 'wh_1', ACTOR.who],
      ['webhook.rotate', 'wh_1', ACTOR.who],
      ['webhook.delete', 'wh_1', ACTOR.who],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/sealed|secrets/);
    expect(await audit.verify()).toBeUndefined();
  });
}

export function deliveriesConform(subject: () => Subject): void {
  const start = async () => {
    const { webhooks, deliveries } = subject().store;
    await webhooks.create(webhookRecord(), ACTOR);
    await webhooks.create(webhookRecord({ id: 'wh_2' }), ACTOR);
    return deliveries;
  };
  const enqueue = async (deliveries: DeliveryStore, cursor: string, rows: readonly NewDelivery[]) => {
    const revision = await subject().store.webhooks.revision();
    expect(await deliveries.enqueue({ cursor, revision }, rows)).toBe(true);
  };
  const ids = (rows: readonly { readonly event_id: string }[]) => rows.map(({ event_id }) => event_id);

  test('the cursor moves with the deliveries it stands for', async () => {
    const deliveries = await start();
    expect(await deliveries.cursor()).toBeNull();
    await enqueue(deliveries, eventId(3), [newDelivery(1), newDelivery(2, { webhook_id: 'wh_2' })]);
    expect(await deliveries.cursor()).toBe(eventId(3));
    const { due, next_ms, oldest_event_id } = await deliveries.due('wh_1', NOW_MS, 10);
    expect(due).toEqual([
      {
        ...newDelivery(1),
        id: expect.stringMatching(/^dlv_\d{16}$/),
        status: 'pending',
        attempt: 0,
        next_ms: NOW_MS,
        attempted_ms: null,
        duration_ms: null,
        url: null,
        response_status: null,
        error: null,
        response_body: null,
        replay_cursor: null,
      },
    ]);
    expect([next_ms, oldest_event_id]).toEqual([null, eventId(1)]);
  });

  test('deliveries made for subscriptions that have changed are not added', async () => {
    const deliveries = await start();
    const revision = await subject().store.webhooks.revision();
    await subject().store.webhooks.create(webhookRecord({ id: 'wh_3' }), ACTOR);
    expect(await deliveries.enqueue({ cursor: eventId(1), revision }, [newDelivery(1)])).toBe(false);
    expect([await deliveries.cursor(), (await deliveries.due('wh_1', NOW_MS, 1)).due]).toEqual([null, []]);
  });

  test('deliveries of a subscription that is not there are left out', async () => {
    const deliveries = await start();
    await enqueue(deliveries, eventId(1), [newDelivery(1, { webhook_id: 'wh_gone' }), newDelivery(1)]);
    expect((await deliveries.due('wh_1', NOW_MS, 10)).due).toHaveLength(1);
    await expect(deliveries.add(newDelivery(1, { webhook_id: 'wh_gone' }), ACTOR)).rejects.toThrow(
      StoreConflictError,
    );
  });

  test('what is due comes in order, a part at a time, and says when the next one is', async () => {
    const deliveries = await start();
    await enqueue(
      deliveries,
      eventId(3),
      [1, 2, 3].map((n) => newDelivery(n)),
    );
    const first = await deliveries.due('wh_1', NOW_MS, 2);
    expect([ids(first.due), first.next_ms]).toEqual([[eventId(1), eventId(2)], NOW_MS]);
    const [one] = first.due;
    const retry = attempted(one?.id ?? '', {
      status: 'retrying',
      next_ms: NOW_MS + 5_000,
      response_status: null,
      error: { code: 'timeout', message: 'late' },
    });
    await deliveries.settle([retry], []);
    const second = await deliveries.due('wh_1', NOW_MS, 10);
    expect([ids(second.due), second.next_ms]).toEqual([[eventId(2), eventId(3)], NOW_MS + 5_000]);
    expect(second.oldest_event_id).toBe(eventId(1));
    const third = await deliveries.due('wh_1', NOW_MS + 5_000, 10);
    expect(ids(third.due)).toEqual([eventId(2), eventId(3), eventId(1)]);
    expect(third.due.at(-1)).toMatchObject(retry);
  });

  test('attempts and the health of receivers are settled together', async () => {
    const deliveries = await start();
    await enqueue(deliveries, eventId(1), [newDelivery(1)]);
    const [one] = (await deliveries.due('wh_1', NOW_MS, 1)).due;
    const health = {
      id: 'wh_1',
      failing_since_ms: 1,
      warned_ms: 2,
      last_success_ms: 3,
      last_failure_ms: 4,
    };
    await deliveries.settle([attempted(one?.id ?? '')], [health]);
    expect(await deliveries.due('wh_1', NOW_MS, 1)).toEqual({
      due: [],
      next_ms: null,
      oldest_event_id: null,
    });
    expect(await subject().store.webhooks.get('acme', 'wh_1')).toMatchObject(health);
    expect(await deliveries.get('wh_1', one?.id ?? '')).toMatchObject(attempted(one?.id ?? ''));
  });

  test('what was given up stays so, unless it arrived after all', async () => {
    const deliveries = await start();
    await enqueue(
      deliveries,
      eventId(3),
      [1, 2, 3].map((n) => newDelivery(n)),
    );
    const { due } = await deliveries.due('wh_1', NOW_MS, 10);
    const error = { code: 'subscription_paused', message: 'It was paused.' };
    expect(await deliveries.skip('wh_1', error, 2)).toBe(2);
    expect(await deliveries.skip('wh_1', error, 2)).toBe(1);
    expect(await deliveries.skip('wh_1', error, 2)).toBe(0);
    const [first = '', second = ''] = due.map(({ id }) => id);
    const again = { status: 'retrying', next_ms: NOW_MS } as const;
    await deliveries.settle([attempted(first), attempted(second, again)], []);
    expect(await deliveries.get('wh_1', first)).toMatchObject({ status: 'delivered' });
    expect(await deliveries.get('wh_1', second)).toMatchObject({ status: 'skipped', next_ms: null, error });
  });

  test('they are listed newest first, and found by their subscription alone', async () => {
    const deliveries = await start();
    await enqueue(
      deliveries,
      eventId(3),
      [1, 2, 3].map((n) => newDelivery(n)),
    );
    const all = await deliveries.list('wh_1', { limit: 10 });
    expect(ids(all)).toEqual([eventId(3), eventId(2), eventId(1)]);
    const [newest = ''] = all.map(({ id }) => id);
    expect(ids(await deliveries.list('wh_1', { before: newest, limit: 1 }))).toEqual([eventId(2)]);
    expect(await deliveries.list('wh_2', { limit: 10 })).toEqual([]);
    expect(await deliveries.get('wh_2', newest)).toBeUndefined();
    for (const id of ['', 'dlv_1', 'dlv_x', `${newest}0`])
      expect(await deliveries.get('wh_1', id)).toBeUndefined();
  });

  test('a test keeps its own body and does not count as the oldest open event', async () => {
    const deliveries = await start();
    const body = Buffer.from('{"a":1}');
    const added = await deliveries.add(newDelivery(1, { origin: 'test', body }), ACTOR);
    const { due, oldest_event_id } = await deliveries.due('wh_1', NOW_MS, 10);
    expect(due).toEqual([added]);
    expect(Buffer.from(due[0]?.body ?? []).toString()).toBe('{"a":1}');
    expect(oldest_event_id).toBeNull();
  });

  test('old deliveries go, and those of deleted subscriptions, in parts', async () => {
    const deliveries = await start();
    const day = 86_400_000;
    const old = { created_ms: NOW_MS - 31 * day };
    await enqueue(
      deliveries,
      eventId(1),
      [1, 2, 3].map((n) => newDelivery(n, old)),
    );
    await enqueue(deliveries, eventId(4), [newDelivery(4)]);
    const cutoff = NOW_MS - 30 * day;
    expect(await deliveries.forget(cutoff, 2)).toBe(2);
    expect(await deliveries.forget(cutoff, 2)).toBe(1);
    expect(ids(await deliveries.list('wh_1', { limit: 10 }))).toEqual([eventId(4)]);
    await subject().store.webhooks.remove('wh_1', ACTOR);
    expect(await deliveries.forget(cutoff, 2)).toBe(2);
    expect(await deliveries.forget(cutoff, 2)).toBe(0);
    expect(await deliveries.list('wh_1', { limit: 10 })).toEqual([]);
  });

  test('one of several processes dispatches, until it ends', async () => {
    const { store, again } = subject();
    const other = await again();
    expect([await store.deliveries.lead(), await store.deliveries.lead()]).toEqual([true, true]);
    expect(await other.deliveries.lead()).toBe(false);
    await store.close();
    expect(await other.deliveries.lead()).toBe(true);
  });
}

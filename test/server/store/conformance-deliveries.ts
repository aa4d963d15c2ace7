// What every store must do with webhook deliveries: the cursor, what is due, and who dispatches.
import { expect } from 'vitest';
import { StoreConflictError } from '../../../server/store/store.ts';
import type { DuePosition, GroupChange } from '../../../server/store/webhook-store.ts';
import type { Cases } from './conformance-case.ts';
import { attempted, enqueue, start } from './deliveries-in-store.ts';
import { ACTOR, NOW_MS } from './store-fixture.ts';
import { eventGroup, eventId, heldEvents, newDelivery, webhookRecord } from './webhook-records.ts';

const ids = (rows: readonly { readonly event_id: string }[]) => rows.map(({ event_id }) => event_id);

export const DELIVERY_CASES: Cases = {
  'the cursor moves together with its deliveries': async ({ store }) => {
    const deliveries = await start(store);
    expect(await deliveries.cursor()).toBeNull();
    await enqueue(store, eventId(3), [newDelivery(1), newDelivery(2, { webhook_id: 'wh_2' })]);
    expect(await deliveries.cursor()).toBe(eventId(3));
    const { due, next_ms, oldest_event_id } = await deliveries.due('wh_1', NOW_MS, { limit: 10 });
    const { event_id, event_type, origin, most_attempts, body } = newDelivery(1);
    const id = expect.stringMatching(/^dlv_\d{16}$/);
    const read = { id, event_id, event_type, origin, most_attempts, body };
    expect(due).toEqual([{ ...read, attempt: 0, next_ms: NOW_MS }]);
    expect(await deliveries.get('wh_1', due[0]?.id ?? '')).toEqual({
      ...newDelivery(1),
      id,
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
    });
    expect([next_ms, oldest_event_id]).toEqual([null, eventId(1)]);
  },

  'what is held back is stored with the cursor, and counts as not delivered': async ({ store, again }) => {
    const deliveries = await start(store);
    const held = heldEvents({ first_event_id: eventId(4) });
    const groups = [
      eventGroup({ kind: 'quiet', name: 'peg:a', held }),
      eventGroup({ kind: 'window', name: 'peg:a', ends_ms: NOW_MS }),
      eventGroup({ kind: 'window', name: 'peg:b', ends_ms: NOW_MS, held: heldEvents({ count: 3 }) }),
    ];
    const revision = await store.webhooks.revision();
    const put = (changes: readonly GroupChange[], stale = revision) =>
      deliveries.enqueue({ cursor: eventId(9), revision: stale }, [], changes);
    expect(await put(groups.map((group) => ({ ...group, group })))).toBe(true);
    const other = (await again()).deliveries;
    expect(await other.groups()).toEqual(groups);
    expect((await other.due('wh_1', NOW_MS, { limit: 1 })).oldest_event_id).toBe(eventId(4));
    const [first] = groups;
    if (first === undefined) throw new Error('no group');
    expect(await put([{ ...first, group: null }], revision - 1)).toBe(false);
    expect(await other.groups()).toEqual(groups);
    expect(await put([{ ...first, group: null }])).toBe(true);
    expect(await other.groups()).toEqual(groups.slice(1));
    expect((await other.due('wh_1', NOW_MS, { limit: 1 })).oldest_event_id).toBe(eventId(5));
    await store.webhooks.remove('wh_1', ACTOR);
    expect(await other.groups()).toEqual([]);
  },

  'a summary counts as its first event until it is delivered, whatever was added before': async ({
    store,
  }) => {
    const deliveries = await start(store);
    const summary = { origin: 'group', body: Buffer.from('{}') } as const;
    await enqueue(store, eventId(9), [newDelivery(7), newDelivery(8), newDelivery(3, summary)]);
    const { due, oldest_event_id } = await deliveries.due('wh_1', NOW_MS, { limit: 10 });
    expect([due.length, oldest_event_id]).toEqual([3, eventId(3)]);
    await deliveries.settle([attempted(due[2]?.id ?? '', { status: 'delivered', next_ms: null })], []);
    expect((await deliveries.due('wh_1', NOW_MS, { limit: 1 })).oldest_event_id).toBe(eventId(7));
  },

  'organisations that are behind are stored with their cursors, in the order of their turns': async ({
    store,
  }) => {
    const deliveries = await start(store);
    const revision = await store.webhooks.revision();
    const move = (cursor: string, behind: Readonly<Record<string, string | null>>) =>
      deliveries.enqueue({ cursor, revision, behind: new Map(Object.entries(behind)) }, []);
    expect(await deliveries.behind()).toEqual(new Map());
    await move(eventId(9), { one: eventId(1), two: eventId(2), three: eventId(3) });
    await move(eventId(9), { one: eventId(4), two: null });
    expect([...(await deliveries.behind())]).toEqual([
      ['three', eventId(3)],
      ['one', eventId(4)],
    ]);
    await deliveries.enqueue(
      { cursor: eventId(9), revision: revision + 1, behind: new Map([['one', null]]) },
      [],
    );
    expect((await deliveries.behind()).size).toBe(2);
  },

  'deliveries created for outdated subscriptions are not added': async ({ store }) => {
    const deliveries = await start(store);
    const revision = await store.webhooks.revision();
    await store.webhooks.create(webhookRecord({ id: 'wh_3' }), ACTOR);
    expect(await deliveries.enqueue({ cursor: eventId(1), revision }, [newDelivery(1)])).toBe(false);
    expect([await deliveries.cursor(), (await deliveries.due('wh_1', NOW_MS, { limit: 1 })).due]).toEqual([
      null,
      [],
    ]);
  },

  'deliveries of a missing subscription are left out': async ({ store }) => {
    const deliveries = await start(store);
    await enqueue(store, eventId(1), [newDelivery(1, { webhook_id: 'wh_gone' }), newDelivery(1)]);
    expect((await deliveries.due('wh_1', NOW_MS, { limit: 10 })).due).toHaveLength(1);
    await expect(deliveries.add(newDelivery(1, { webhook_id: 'wh_gone' }), ACTOR)).rejects.toThrow(
      StoreConflictError,
    );
  },

  'due deliveries are returned in order, in parts, with the time of the next one': async ({ store }) => {
    const deliveries = await start(store);
    await enqueue(
      store,
      eventId(3),
      [1, 2, 3].map((n) => newDelivery(n)),
    );
    const first = await deliveries.due('wh_1', NOW_MS, { limit: 2 });
    expect([ids(first.due), first.has_more, first.next_ms]).toEqual([[eventId(1), eventId(2)], true, null]);
    const [one] = first.due;
    const retry = attempted(one?.id ?? '', {
      status: 'retrying',
      next_ms: NOW_MS + 5_000,
      response_status: null,
      error: { code: 'timeout', message: 'late' },
    });
    await deliveries.settle([retry], []);
    const second = await deliveries.due('wh_1', NOW_MS, { limit: 10 });
    expect([ids(second.due), second.has_more, second.next_ms]).toEqual([
      [eventId(2), eventId(3)],
      false,
      NOW_MS + 5_000,
    ]);
    expect(second.oldest_event_id).toBe(eventId(1));
    const third = await deliveries.due('wh_1', NOW_MS + 5_000, { limit: 10 });
    expect(ids(third.due)).toEqual([eventId(2), eventId(3), eventId(1)]);
    expect(third.due.at(-1)).toMatchObject({ id: retry.id, attempt: 1 });
    expect(await deliveries.get('wh_1', retry.id)).toMatchObject(retry);
  },

  'reading a backlog continues from a position in it': async ({ store }) => {
    const deliveries = await start(store);
    const rows = [5, 1, 2, 4, 3].map((n) => newDelivery(n, { created_ms: NOW_MS + (n > 3 ? 1 : 0) }));
    await enqueue(store, eventId(5), rows);
    const read: string[] = [];
    for (let after: DuePosition | undefined, has_more = true; has_more; ) {
      const part = await deliveries.due('wh_1', NOW_MS + 1, { limit: 2, after });
      read.push(...ids(part.due));
      after = part.due.at(-1);
      has_more = part.has_more;
    }
    expect(read).toEqual([1, 2, 3, 5, 4].map(eventId));
  },

  'attempts and the health of receivers are settled together': async ({ store }) => {
    const deliveries = await start(store);
    await enqueue(store, eventId(1), [newDelivery(1)]);
    const [one] = (await deliveries.due('wh_1', NOW_MS, { limit: 1 })).due;
    const health = {
      id: 'wh_1',
      failing_since_ms: 1,
      warned_ms: 2,
      last_success_ms: 3,
      last_failure_ms: 4,
    };
    await deliveries.settle([attempted(one?.id ?? '')], [health]);
    expect(await deliveries.due('wh_1', NOW_MS, { limit: 1 })).toEqual({
      due: [],
      has_more: false,
      next_ms: null,
      oldest_event_id: null,
    });
    expect(await store.webhooks.get('acme', 'wh_1')).toMatchObject(health);
    expect(await deliveries.get('wh_1', one?.id ?? '')).toMatchObject(attempted(one?.id ?? ''));
  },

  'a postponed delivery is due later, and nothing else changes': async ({ store }) => {
    const deliveries = await start(store);
    await enqueue(store, eventId(1), [newDelivery(1)]);
    const [id = ''] = (await deliveries.due('wh_1', NOW_MS, { limit: 1 })).due.map((row) => row.id);
    const before = await deliveries.get('wh_1', id);
    await deliveries.settle([{ id, status: 'postponed', next_ms: NOW_MS + 60_000 }], []);
    expect(await deliveries.get('wh_1', id)).toEqual({ ...before, next_ms: NOW_MS + 60_000 });
    expect(await deliveries.due('wh_1', NOW_MS, { limit: 1 })).toMatchObject({
      due: [],
      next_ms: NOW_MS + 60_000,
    });
  },

  'an abandoned delivery stays abandoned, unless it arrived after all': async ({ store }) => {
    const deliveries = await start(store);
    await enqueue(
      store,
      eventId(3),
      [1, 2, 3].map((n) => newDelivery(n)),
    );
    const { due } = await deliveries.due('wh_1', NOW_MS, { limit: 10 });
    const error = { code: 'subscription_paused', message: 'It was paused.' };
    expect(await deliveries.skip('wh_1', error, 2)).toBe(2);
    expect(await deliveries.skip('wh_1', error, 2)).toBe(1);
    expect(await deliveries.skip('wh_1', error, 2)).toBe(0);
    const [first = '', second = ''] = due.map(({ id }) => id);
    const retried = { status: 'retrying', next_ms: NOW_MS } as const;
    await deliveries.settle([attempted(first), attempted(second, retried)], []);
    expect(await deliveries.get('wh_1', first)).toMatchObject({ status: 'delivered' });
    expect(await deliveries.get('wh_1', second)).toMatchObject({ status: 'skipped', next_ms: null, error });
  },

  'they are listed newest first, and found only by their subscription': async ({ store }) => {
    const deliveries = await start(store);
    await enqueue(
      store,
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
  },

  'a test event keeps its own body and does not count as the oldest open event': async ({ store }) => {
    const deliveries = await start(store);
    const body = Buffer.from('{"a":1}');
    const added = await deliveries.add(newDelivery(1, { origin: 'test', body }), ACTOR);
    const { due, oldest_event_id } = await deliveries.due('wh_1', NOW_MS, { limit: 10 });
    expect(due).toMatchObject([{ id: added.id, origin: 'test' }]);
    expect(Buffer.from(due[0]?.body ?? []).toString()).toBe('{"a":1}');
    expect(oldest_event_id).toBeNull();
  },

  'old deliveries and those of deleted subscriptions are deleted in parts': async ({ store }) => {
    const deliveries = await start(store);
    const day = 86_400_000;
    const old = { created_ms: NOW_MS - 31 * day };
    await enqueue(
      store,
      eventId(1),
      [1, 2, 3].map((n) => newDelivery(n, old)),
    );
    await enqueue(store, eventId(4), [newDelivery(4)]);
    const cutoff = NOW_MS - 30 * day;
    expect(await deliveries.forget(cutoff, 2)).toBe(2);
    expect(await deliveries.forget(cutoff, 2)).toBe(1);
    expect(ids(await deliveries.list('wh_1', { limit: 10 }))).toEqual([eventId(4)]);
    await store.webhooks.remove('wh_1', ACTOR);
    expect(await deliveries.forget(cutoff, 2)).toBe(2);
    expect(await deliveries.forget(cutoff, 2)).toBe(0);
    expect(await deliveries.list('wh_1', { limit: 10 })).toEqual([]);
  },

  'one of several processes dispatches, until it ends': async ({ store, again }) => {
    const other = await again();
    expect([await store.deliveries.lead(), await store.deliveries.lead()]).toEqual([true, true]);
    expect(await other.deliveries.lead()).toBe(false);
    await store.close();
    expect(await other.deliveries.lead()).toBe(true);
  },
};

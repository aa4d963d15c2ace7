import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACTOR, keyRecord, NOW_MS } from '../store/store-world.ts';
import { newDelivery } from '../store/webhook-conformance.ts';
import { answerOf, DispatchWorld, eventId } from './dispatch-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let world: DispatchWorld;
beforeEach(async () => {
  world = await DispatchWorld.create();
});
afterEach(() => world.remove());

const statuses = async (id: string) => (await world.deliveries(id)).map(({ status }) => status);

describe('new events', () => {
  it('go to every subscription of their type, in the bytes of the log', async () => {
    world.log.append(0);
    await world.subscribe({ id: 'wh_all' });
    await world.subscribe({ id: 'wh_pegs', events: ['peg.depeg.start'] });
    const dispatcher = world.start();
    await dispatcher.settle();
    const texts = [world.log.append(1), world.log.append(2), world.log.append(3)];
    await dispatcher.settle();
    expect(world.sentTo('wh_all')).toEqual([1, 2, 3].map(eventId));
    expect(world.sentTo('wh_pegs')).toEqual([1, 3].map(eventId));
    const bodies = world.sent
      .filter(({ endpoint }) => endpoint === 'wh_all')
      .map(({ body }) => body.toString());
    expect(bodies).toEqual(texts);
    expect(await statuses('wh_all')).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('are sent once, also after a restart', async () => {
    await world.subscribe();
    const first = world.start();
    await first.settle();
    world.log.append(1);
    await first.settle();
    await first.stop();
    await world.store.close();
    const store = await world.stores.open();
    const second = world.start({ store });
    world.log.append(2);
    await second.settle();
    expect(world.sentTo('wh_1')).toEqual([1, 2].map(eventId));
  });

  it('that were there before a subscription are not sent to it', async () => {
    const dispatcher = world.start();
    await dispatcher.settle();
    for (const n of [1, 2, 3]) world.log.append(n);
    await world.subscribe({ starts_after: eventId(2) });
    await dispatcher.settle();
    expect(world.sentTo('wh_1')).toEqual([eventId(3)]);
  });

  it('that come while a subscription is made reach it', async () => {
    await world.subscribe({ id: 'wh_old' });
    const dispatcher = world.start();
    await dispatcher.settle();
    const enqueue = world.store.deliveries.enqueue.bind(world.store.deliveries);
    let isFirst = true;
    world.store.deliveries.enqueue = async (to, rows) => {
      if (isFirst) await world.subscribe({ id: 'wh_new' });
      isFirst = false;
      return enqueue(to, rows);
    };
    world.log.append(1);
    await dispatcher.settle();
    expect([world.sentTo('wh_old'), world.sentTo('wh_new')]).toEqual([[eventId(1)], [eventId(1)]]);
  });

  it('wait while the log was not read yet', async () => {
    await world.subscribe();
    world.log.asOfMs = undefined;
    const dispatcher = world.start();
    await dispatcher.settle();
    world.log.asOfMs = NOW_MS;
    await dispatcher.settle();
    world.log.append(1);
    await dispatcher.settle();
    expect(world.sentTo('wh_1')).toEqual([eventId(1)]);
  });
});

describe('a failed delivery', () => {
  it('is tried again with the same body, a new time and a new signature', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    await dispatcher.settle();
    world.nowMs += 5_000;
    await dispatcher.settle();
    const [first, second] = world.sent;
    expect(second?.body).toEqual(first?.body);
    expect(second?.header('webhook-id')).toBe(first?.header('webhook-id'));
    const seconds = NOW_MS / 1000;
    expect(world.sent.map(({ header }) => header('webhook-timestamp'))).toEqual([
      `${seconds}`,
      `${seconds + 5}`,
    ]);
    expect(second?.header('Service-Signature')).not.toBe(first?.header('Service-Signature'));
    expect(world.sent.map(({ header }) => header('Service-Delivery-Trigger'))).toEqual(['event', 'retry']);
    expect(await world.deliveries('wh_1')).toMatchObject([
      { status: 'retrying', attempt: 2, response_status: 500, error: { code: 'http_status' } },
    ]);
  });

  it('waits as long as the receiver asks for', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(429, { retryAfter: '120' });
    world.log.append(1);
    await dispatcher.settle();
    world.nowMs += 119_000;
    await dispatcher.settle();
    expect(world.sent).toHaveLength(1);
    world.nowMs += 1_000;
    await dispatcher.settle();
    expect(world.sent).toHaveLength(2);
  });

  it('is given up after ten attempts', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    await dispatcher.settle();
    for (let next = await nextMs(); next !== null; next = await nextMs()) {
      world.nowMs = next;
      await dispatcher.settle();
    }
    expect(world.sent).toHaveLength(10);
    expect(await world.deliveries('wh_1')).toMatchObject([{ status: 'failed', attempt: 10 }]);
  });

  const nextMs = async () => (await world.deliveries('wh_1'))[0]?.next_ms ?? null;

  it('at 410 ends, and disables the subscription', async () => {
    await world.subscribe();
    await world.subscribe({ id: 'wh_other' });
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = ({ endpoint }) => answerOf(endpoint === 'wh_1' ? 410 : 200);
    world.log.append(1);
    await dispatcher.settle();
    world.log.append(2);
    await dispatcher.settle();
    expect(world.sentTo('wh_1')).toEqual([eventId(1)]);
    expect(world.sentTo('wh_other')).toEqual([1, 2].map(eventId));
    expect(await world.store.webhooks.get('acme', 'wh_1')).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone',
    });
    expect(await statuses('wh_1')).toEqual(['failed']);
  });

  it('at a forbidden address ends, and disables the subscription', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(null, { error: { code: 'blocked_url', message: 'no' } });
    world.log.append(1);
    await dispatcher.settle();
    expect(await world.store.webhooks.get('acme', 'wh_1')).toMatchObject({ disabled_reason: 'blocked_url' });
  });
});

describe('an event that cannot be read', () => {
  it('now is tried again later, and not counted', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    await dispatcher.settle();
    await dispatcher.stop();
    world.log.fault = new Error('the disk is gone');
    const store = await reopened();
    const second = world.start({ store });
    world.nowMs += 5_000;
    await second.settle();
    expect(world.sent).toHaveLength(1);
    expect(world.said.join()).toContain('webhooks wait');
    world.log.fault = undefined;
    world.nowMs += 60_000;
    await second.settle();
    expect(world.sent).toHaveLength(2);
    expect((await store.deliveries.list('wh_1', { limit: 1 }))[0]).toMatchObject({ attempt: 2 });
  });

  it('because the log is not read yet, or not that far, waits and is not given up', async () => {
    await world.subscribe();
    const { webhooks, deliveries } = world.store;
    for (const n of [1, 3]) world.log.append(n);
    world.log.asOfMs = undefined;
    const rows = [newDelivery(1), newDelivery(4)];
    await deliveries.enqueue({ cursor: eventId(4), revision: await webhooks.revision() }, rows);
    const dispatcher = world.start();
    await dispatcher.settle();
    expect(await statuses('wh_1')).toEqual(['pending', 'pending']);
    world.log.asOfMs = NOW_MS;
    await dispatcher.settle();
    expect(await statuses('wh_1')).toEqual(['delivered', 'pending']);
    world.log.append(4);
    world.nowMs += 60_000;
    await dispatcher.settle();
    expect(await statuses('wh_1')).toEqual(['delivered', 'delivered']);
  });

  it('because the log does not have it any more fails', async () => {
    await world.subscribe();
    const { webhooks, deliveries } = world.store;
    world.log.append(2);
    await deliveries.enqueue({ cursor: eventId(2), revision: await webhooks.revision() }, [newDelivery(1)]);
    await world.start().settle();
    expect(world.sent).toEqual([]);
    expect(await world.deliveries('wh_1')).toMatchObject([
      { status: 'failed', error: { code: 'event_gone' } },
    ]);
  });

  async function reopened() {
    await world.store.close();
    return world.stores.open();
  }
});

describe('a subscription', () => {
  it('that is paused gets nothing, and what was due is skipped', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    await dispatcher.settle();
    await change({ status: 'paused' });
    await dispatcher.settle();
    world.log.append(2);
    world.nowMs += HOUR_MS;
    await dispatcher.settle();
    expect(world.sent).toHaveLength(1);
    expect(await world.deliveries('wh_1')).toMatchObject([
      { status: 'skipped', error: { code: 'subscription_paused' } },
    ]);
    await change({ status: 'active' });
    world.log.append(3);
    await dispatcher.settle();
    expect(world.sentTo('wh_1')).toEqual([1, 3].map(eventId));
  });

  it('that is deleted gets nothing more, and its records go', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    await dispatcher.settle();
    await world.store.webhooks.remove('wh_1', ACTOR);
    world.nowMs += HOUR_MS;
    await dispatcher.settle();
    expect(world.sent).toHaveLength(1);
    expect(await world.deliveries('wh_1')).toEqual([]);
  });

  it('that moves to another place is sent there from then on', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    await change({ url: 'https://other.example.com/' });
    world.log.append(1);
    await dispatcher.settle();
    expect(world.sent.map(({ url }) => url)).toEqual(['https://other.example.com/']);
  });

  it('whose secret was rotated is signed with both until the old one ends', async () => {
    const { secret } = await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    const next = `whsec_${Buffer.alloc(32, 'n').toString('base64')}`;
    const secrets = [
      { sealed: world.seal('wh_1', next), ends_ms: null },
      { sealed: world.seal('wh_1', secret), ends_ms: NOW_MS + DAY_MS },
    ];
    await change({ secrets });
    const signatures = async (n: number) => {
      world.log.append(n);
      await dispatcher.settle();
      return world.sent.at(-1)?.header('Service-Signature')?.split(',').length;
    };
    expect(await signatures(1)).toBe(3);
    world.nowMs += DAY_MS;
    expect(await signatures(2)).toBe(2);
  });

  it('whose secret cannot be read is left alone and told of; others go on', async () => {
    await world.subscribe({ id: 'wh_broken', secrets: [{ sealed: Buffer.from('x'), ends_ms: null }] });
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.log.append(1);
    await dispatcher.settle();
    expect([world.sentTo('wh_broken'), world.sentTo('wh_1')]).toEqual([[], [eventId(1)]]);
    expect(world.said.join()).toContain('the secret of a subscription cannot be read');
  });

  it('that fails for 120 hours is disabled, after a warning half-way', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => answerOf(500);
    world.log.append(1);
    const seen: string[] = [];
    for (let hour = 0; hour <= 121; hour++) {
      await dispatcher.settle();
      const warned = world.said.filter((text) => text.includes('will be disabled')).length;
      const { status, disabled_reason } = (await world.store.webhooks.get('acme', 'wh_1')) ?? {};
      seen.push(`${hour} ${warned} ${status} ${disabled_reason}`);
      world.nowMs += HOUR_MS;
    }
    expect(seen[59]).toBe('59 0 active null');
    expect(seen[60]).toBe('60 1 active null');
    expect(seen[119]).toBe('119 1 active null');
    expect(seen[120]).toBe('120 1 disabled failing');
  });

  it('whose organisation has no plan with webhooks for an hour is disabled', async () => {
    await world.store.keys.create(keyRecord({ org: 'poor', plan: 'analyst' }), ACTOR);
    await world.subscribe({ org: 'poor' });
    await world.subscribe({ id: 'wh_rich' });
    const dispatcher = world.start();
    await dispatcher.settle();
    world.nowMs += HOUR_MS - 1;
    await dispatcher.settle();
    expect(await world.store.webhooks.get('poor', 'wh_1')).toMatchObject({ status: 'active' });
    world.nowMs += 1;
    await dispatcher.settle();
    expect(await world.store.webhooks.get('poor', 'wh_1')).toMatchObject({ disabled_reason: 'plan' });
    expect(await world.store.webhooks.get('acme', 'wh_rich')).toMatchObject({ status: 'active' });
  });

  const change = (changes: Parameters<typeof world.store.webhooks.change>[1]['changes']) =>
    world.store.webhooks.change('wh_1', { action: 'webhook.update', changes }, ACTOR);
});

describe('Service-Replay-Cursor', () => {
  it('is the last event up to which everything was delivered or given up', async () => {
    world.log.append(0);
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = (post) =>
      answerOf(post.header('webhook-id') === eventId(1) && world.sent.length < 3 ? 500 : 200);
    for (const n of [1, 2]) world.log.append(n);
    await dispatcher.settle();
    world.log.append(3);
    await dispatcher.settle();
    world.nowMs += 5_000;
    await dispatcher.settle();
    world.log.append(4);
    await dispatcher.settle();
    const cursors = world.sent.map(({ header }) => [header('webhook-id'), header('Service-Replay-Cursor')]);
    expect(cursors).toEqual([
      [eventId(1), eventId(0)],
      [eventId(2), eventId(0)],
      [eventId(3), eventId(0)],
      [eventId(1), eventId(0)],
      [eventId(4), eventId(3)],
    ]);
  });
});

describe('several processes', () => {
  it('send each event once: one of them dispatches', async () => {
    await world.subscribe();
    const first = world.start();
    await first.settle();
    const second = world.start({ store: await world.stores.open() });
    await second.settle();
    world.log.append(1);
    await Promise.all([first.settle(), second.settle()]);
    expect(world.sentTo('wh_1')).toEqual([eventId(1)]);
  });
});

describe('stopping', () => {
  it('waits for what is under way', async () => {
    await world.subscribe();
    const dispatcher = world.start({ wait: () => new Promise(() => undefined) });
    await dispatcher.settle();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.answer = async () => {
      await promise;
      return answerOf(200);
    };
    world.log.append(1);
    dispatcher.wake();
    while (world.sent.length === 0) await new Promise((next) => setImmediate(next));
    const stopped = dispatcher.stop();
    resolve();
    await stopped;
    expect(await statuses('wh_1')).toEqual(['delivered']);
  });

  it('leaves what hangs to the next start, and does not call it failed', async () => {
    await world.subscribe();
    const dispatcher = world.start();
    await dispatcher.settle();
    world.answer = () => new Promise(() => undefined);
    world.log.append(1);
    dispatcher.wake();
    while (world.sent.length === 0) await new Promise((next) => setImmediate(next));
    await dispatcher.stop();
    expect(await statuses('wh_1')).toEqual(['pending']);
  });
});

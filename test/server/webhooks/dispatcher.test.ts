import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOW_MS } from '../store/store-world.ts';
import { newDelivery } from '../store/webhook-records.ts';
import { answerOf, DispatchWorld, eventId } from './dispatch-world.ts';

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

  it('that come while what is due is being read are sent when that is done', async () => {
    await world.subscribe();
    const { deliveries } = world.store;
    const [due, enqueue] = [deliveries.due.bind(deliveries), deliveries.enqueue.bind(deliveries)];
    const enqueued = Promise.withResolvers<void>();
    deliveries.enqueue = async (to, rows) => {
      const isWritten = await enqueue(to, rows);
      if (rows.length > 0) setImmediate(enqueued.resolve);
      return isWritten;
    };
    let isFirst = true;
    deliveries.due = async (...asked) => {
      const read = await due(...asked);
      if (isFirst) {
        isFirst = false;
        world.log.append(1);
        dispatcher.wake();
        await enqueued.promise;
      }
      return read;
    };
    const dispatcher = world.start();
    await vi.waitFor(() => expect(world.sentTo('wh_1')).toEqual([eventId(1)]));
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

describe('a backlog', () => {
  it('is delivered whole, whatever fails and wherever the clock goes while it is read', async () => {
    await world.subscribe();
    const dispatcher = world.start({ caps: { inFlight: 8, perOrg: 8, perEndpoint: 8 } });
    await dispatcher.settle();
    let asked = 0;
    world.answer = () => {
      asked++;
      if (asked % 50 === 0) world.nowMs += asked % 150 === 0 ? -3_600_000 : 301_000;
      return answerOf(asked % 3 === 0 ? 500 : 200);
    };
    for (let n = 0; n < 300; n++) world.log.append(n);
    for (let hour = 0; hour < 24; hour++) {
      await dispatcher.settle();
      world.nowMs += 3_600_000;
    }
    expect(new Set(world.sentTo('wh_1')).size).toBe(300);
    expect(new Set(await statuses('wh_1'))).toEqual(new Set(['delivered']));
    expect(world.sent.length).toBe(asked);
  });
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

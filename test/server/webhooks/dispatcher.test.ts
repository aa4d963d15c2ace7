import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventSpanId, traceIdOf } from '../../../platform/base/ulid.ts';
import type { Span } from '../../../platform/tracing/tracer.ts';
import { NOW_MS } from '../store/store-fixture.ts';
import { newDelivery } from '../store/webhook-records.ts';
import { answerOf, DispatchFixture, eventId } from './dispatch-fixture.ts';

let fixture: DispatchFixture;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
});
afterEach(() => fixture.remove());

const statuses = async (id: string) => (await fixture.deliveries(id)).map(({ status }) => status);

describe('new events', () => {
  it('go to every subscription of their type, in the bytes of the log', async () => {
    fixture.log.append(0);
    await fixture.subscribe({ id: 'wh_all' });
    await fixture.subscribe({ id: 'wh_pegs', events: ['peg.depeg.start'] });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    const texts = [fixture.log.append(1), fixture.log.append(2), fixture.log.append(3)];
    await dispatcher.settle();
    expect(fixture.sentTo('wh_all')).toEqual([1, 2, 3].map(eventId));
    expect(fixture.sentTo('wh_pegs')).toEqual([1, 3].map(eventId));
    const bodies = fixture.sent
      .filter(({ endpoint }) => endpoint === 'wh_all')
      .map(({ body }) => body.toString());
    expect(bodies).toEqual(texts);
    expect(await statuses('wh_all')).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('are sent once, even after a restart', async () => {
    await fixture.subscribe();
    const first = fixture.start();
    await first.settle();
    fixture.log.append(1);
    await first.settle();
    await first.stop();
    await fixture.store.close();
    const store = await fixture.stores.open();
    const second = fixture.start({ store });
    fixture.log.append(2);
    await second.settle();
    expect(fixture.sentTo('wh_1')).toEqual([1, 2].map(eventId));
  });

  it('from before a subscription are not sent to it', async () => {
    const dispatcher = fixture.start();
    await dispatcher.settle();
    for (const n of [1, 2, 3]) fixture.log.append(n);
    await fixture.subscribe({ starts_after: eventId(2) });
    await dispatcher.settle();
    expect(fixture.sentTo('wh_1')).toEqual([eventId(3)]);
  });

  it('that arrive while a subscription is created reach it', async () => {
    await fixture.subscribe({ id: 'wh_old' });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    const enqueue = fixture.store.deliveries.enqueue.bind(fixture.store.deliveries);
    let isFirst = true;
    fixture.store.deliveries.enqueue = async (to, rows) => {
      if (isFirst) await fixture.subscribe({ id: 'wh_new' });
      isFirst = false;
      return enqueue(to, rows);
    };
    fixture.log.append(1);
    await dispatcher.settle();
    expect([fixture.sentTo('wh_old'), fixture.sentTo('wh_new')]).toEqual([[eventId(1)], [eventId(1)]]);
  });

  it('that arrive while due deliveries are being read are sent afterwards', async () => {
    await fixture.subscribe();
    const { deliveries } = fixture.store;
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
        fixture.log.append(1);
        dispatcher.wake();
        await enqueued.promise;
      }
      return read;
    };
    const dispatcher = fixture.start();
    await vi.waitFor(() => expect(fixture.sentTo('wh_1')).toEqual([eventId(1)]));
  });

  it('wait until the log has been read', async () => {
    await fixture.subscribe();
    fixture.log.asOfMs = undefined;
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.log.asOfMs = NOW_MS;
    await dispatcher.settle();
    fixture.log.append(1);
    await dispatcher.settle();
    expect(fixture.sentTo('wh_1')).toEqual([eventId(1)]);
  });
});

describe('an event that cannot be read', () => {
  it('now is retried later, and the attempt is not counted', async () => {
    const dispatcher = await fixture.startFailing();
    await dispatcher.stop();
    fixture.log.fault = new Error('the disk is gone');
    const store = await reopened();
    const second = fixture.start({ store });
    fixture.nowMs += 5_000;
    await second.settle();
    expect(fixture.sent).toHaveLength(1);
    expect(fixture.said.join()).toContain('webhooks cannot be dispatched now');
    fixture.log.fault = undefined;
    fixture.nowMs += 60_000;
    await second.settle();
    expect(fixture.sent).toHaveLength(2);
    expect((await store.deliveries.list('wh_1', { limit: 1 }))[0]).toMatchObject({ attempt: 2 });
  });

  it('because the log has not been read, or not that far, waits and is not abandoned', async () => {
    await fixture.subscribe();
    const { webhooks, deliveries } = fixture.store;
    for (const n of [1, 3]) fixture.log.append(n);
    fixture.log.asOfMs = undefined;
    const rows = [newDelivery(1), newDelivery(4)];
    await deliveries.enqueue({ cursor: eventId(4), revision: await webhooks.revision() }, rows);
    const dispatcher = fixture.start();
    await dispatcher.settle();
    expect(await statuses('wh_1')).toEqual(['pending', 'pending']);
    fixture.log.asOfMs = NOW_MS;
    await dispatcher.settle();
    expect(await statuses('wh_1')).toEqual(['delivered', 'pending']);
    fixture.log.append(4);
    fixture.nowMs += 60_000;
    await dispatcher.settle();
    expect(await statuses('wh_1')).toEqual(['delivered', 'delivered']);
  });

  it('because the log no longer has it fails', async () => {
    await fixture.subscribe();
    const { webhooks, deliveries } = fixture.store;
    fixture.log.append(2);
    await deliveries.enqueue({ cursor: eventId(2), revision: await webhooks.revision() }, [newDelivery(1)]);
    await fixture.start().settle();
    expect(fixture.sent).toEqual([]);
    expect(await fixture.deliveries('wh_1')).toMatchObject([
      { status: 'failed', error: { code: 'event_gone' } },
    ]);
  });

  async function reopened() {
    await fixture.store.close();
    return fixture.stores.open();
  }
});

describe('a backlog', () => {
  it('is delivered completely, whatever fails and however the clock moves while it is read', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start({ caps: { inFlight: 8, perOrg: 8, perEndpoint: 8 } });
    await dispatcher.settle();
    let asked = 0;
    fixture.answer = () => {
      asked++;
      if (asked % 50 === 0) fixture.nowMs += asked % 150 === 0 ? -3_600_000 : 301_000;
      return answerOf(asked % 3 === 0 ? 500 : 200);
    };
    for (let n = 0; n < 300; n++) fixture.log.append(n);
    for (let hour = 0; hour < 24; hour++) {
      await dispatcher.settle();
      fixture.nowMs += 3_600_000;
    }
    expect(new Set(fixture.sentTo('wh_1')).size).toBe(300);
    expect(new Set(await statuses('wh_1'))).toEqual(new Set(['delivered']));
    expect(fixture.sent.length).toBe(asked);
  });
});

describe('Service-Replay-Cursor', () => {
  it('is the last event up to which everything was delivered or abandoned', async () => {
    fixture.log.append(0);
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.answer = (post) =>
      answerOf(post.header('webhook-id') === eventId(1) && fixture.sent.length < 3 ? 500 : 200);
    for (const n of [1, 2]) fixture.log.append(n);
    await dispatcher.settle();
    fixture.log.append(3);
    await dispatcher.settle();
    fixture.nowMs += 5_000;
    await dispatcher.settle();
    fixture.log.append(4);
    await dispatcher.settle();
    const cursors = fixture.sent.map(({ header }) => [header('webhook-id'), header('Service-Replay-Cursor')]);
    expect(cursors).toEqual([
      [eventId(1), eventId(0)],
      [eventId(2), eventId(0)],
      [eventId(3), eventId(0)],
      [eventId(1), eventId(0)],
      [eventId(4), eventId(3)],
    ]);
  });
});

describe('traceparent', () => {
  it('is the trace of the event in every delivery, with a span of its own for each attempt', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.answer = () => answerOf(fixture.sent.length < 2 ? 500 : 200);
    fixture.log.append(1);
    await dispatcher.settle();
    fixture.nowMs += 5_000;
    await dispatcher.settle();
    const sent = fixture.sent.map(({ header }) => header('traceparent')?.split('-'));
    expect(sent.map((parts) => parts?.[1])).toEqual([traceIdOf(eventId(1)), traceIdOf(eventId(1))]);
    expect(new Set(sent.map((parts) => parts?.[2])).size).toBe(2);
    // A receiver that follows its caller records its part also if the service exports no spans.
    expect(sent.map((parts) => parts?.[3])).toEqual(['01', '01']);
  });

  it('names the span that each attempt is recorded as, below that of the event, without an address', async () => {
    const spans: Span[] = [];
    await fixture.subscribe();
    const dispatcher = fixture.start({ spans: { add: (span) => spans.push(span) } });
    await dispatcher.settle();
    fixture.answer = () => answerOf(fixture.sent.length < 2 ? 500 : 200);
    fixture.log.append(1);
    await dispatcher.settle();
    fixture.nowMs += 5_000;
    await dispatcher.settle();
    const traceId = traceIdOf(eventId(1));
    expect(spans.map((span) => `00-${span.traceId}-${span.spanId}-01`)).toEqual(
      fixture.sent.map(({ header }) => header('traceparent')),
    );
    expect(spans.map(({ attributes, isError, parentId }) => ({ attributes, isError, parentId }))).toEqual(
      [
        { 'delivery.attempt': 1, 'delivery.status': 'retrying', 'http.response.status_code': 500 },
        { 'delivery.attempt': 2, 'delivery.status': 'delivered', 'http.response.status_code': 200 },
      ].map((attributes, index) => ({
        attributes: expect.objectContaining({ 'webhook.id': 'wh_1', 'event.id': eventId(1), ...attributes }),
        isError: index === 0,
        parentId: eventSpanId(traceId),
      })),
    );
    expect(JSON.stringify(spans)).not.toMatch(/https?:|example/);
  });
});

describe('several processes', () => {
  it('send each event once: one of them dispatches', async () => {
    await fixture.subscribe();
    const first = fixture.start();
    await first.settle();
    const second = fixture.start({ store: await fixture.stores.open() });
    await second.settle();
    fixture.log.append(1);
    await Promise.all([first.settle(), second.settle()]);
    expect(fixture.sentTo('wh_1')).toEqual([eventId(1)]);
  });
});

describe('stopping', () => {
  it('waits for attempts in progress', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start({ wait: () => new Promise(() => undefined) });
    await dispatcher.settle();
    const { promise, resolve } = Promise.withResolvers<void>();
    fixture.answer = async () => {
      await promise;
      return answerOf(200);
    };
    fixture.log.append(1);
    dispatcher.wake();
    while (fixture.sent.length === 0) await new Promise((next) => setImmediate(next));
    const stopped = dispatcher.stop();
    resolve();
    await stopped;
    expect(await statuses('wh_1')).toEqual(['delivered']);
  });

  it('leaves attempts in progress to the next start, and does not record them as failed', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.answer = () => new Promise(() => undefined);
    fixture.log.append(1);
    dispatcher.wake();
    while (fixture.sent.length === 0) await new Promise((next) => setImmediate(next));
    await dispatcher.stop();
    expect(await statuses('wh_1')).toEqual(['pending']);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOW_MS } from '../store/store-fixture.ts';
import { answerOf, DispatchFixture, eventId } from './dispatch-fixture.ts';

let fixture: DispatchFixture;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
});
afterEach(() => fixture.remove());

const statuses = async (id: string) => (await fixture.deliveries(id)).map(({ status }) => status);

describe('a failed delivery', () => {
  it('is retried with the same body, a new time and a new signature', async () => {
    const dispatcher = await fixture.startFailing();
    fixture.nowMs += 5_000;
    await dispatcher.settle();
    const [first, second] = fixture.sent;
    expect(second?.body).toEqual(first?.body);
    expect(second?.header('webhook-id')).toBe(first?.header('webhook-id'));
    const seconds = NOW_MS / 1000;
    expect(fixture.sent.map(({ header }) => header('webhook-timestamp'))).toEqual([
      `${seconds}`,
      `${seconds + 5}`,
    ]);
    expect(second?.header('Service-Signature')).not.toBe(first?.header('Service-Signature'));
    expect(fixture.sent.map(({ header }) => header('Service-Delivery-Trigger'))).toEqual(['event', 'retry']);
    expect(await fixture.deliveries('wh_1')).toMatchObject([
      { status: 'retrying', attempt: 2, response_status: 500, error: { code: 'http_status' } },
    ]);
  });

  it('waits as long as the receiver requests', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.answer = () => answerOf(429, { retryAfter: '120' });
    fixture.log.append(1);
    await dispatcher.settle();
    fixture.nowMs += 119_000;
    await dispatcher.settle();
    expect(fixture.sent).toHaveLength(1);
    fixture.nowMs += 1_000;
    await dispatcher.settle();
    expect(fixture.sent).toHaveLength(2);
  });

  it('is abandoned after ten attempts', async () => {
    const dispatcher = await fixture.startFailing();
    for (let next = await nextMs(); next !== null; next = await nextMs()) {
      fixture.nowMs = next;
      await dispatcher.settle();
    }
    expect(fixture.sent).toHaveLength(10);
    expect(await fixture.deliveries('wh_1')).toMatchObject([{ status: 'failed', attempt: 10 }]);
  });

  const nextMs = async () => (await fixture.deliveries('wh_1'))[0]?.next_ms ?? null;

  it('at 410 ends, and disables the subscription', async () => {
    await fixture.subscribe();
    await fixture.subscribe({ id: 'wh_other' });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.answer = ({ endpoint }) => answerOf(endpoint === 'wh_1' ? 410 : 200);
    fixture.log.append(1);
    await dispatcher.settle();
    fixture.log.append(2);
    await dispatcher.settle();
    expect(fixture.sentTo('wh_1')).toEqual([eventId(1)]);
    expect(fixture.sentTo('wh_other')).toEqual([1, 2].map(eventId));
    expect(await fixture.store.webhooks.get('acme', 'wh_1')).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone',
    });
    expect(await statuses('wh_1')).toEqual(['failed']);
  });

  it('at a forbidden address ends, and disables the subscription', async () => {
    await fixture.subscribe();
    const dispatcher = fixture.start();
    await dispatcher.settle();
    fixture.answer = () => answerOf(null, { error: { code: 'blocked_url', message: 'no' } });
    fixture.log.append(1);
    await dispatcher.settle();
    expect(await fixture.store.webhooks.get('acme', 'wh_1')).toMatchObject({
      disabled_reason: 'blocked_url',
    });
  });
});

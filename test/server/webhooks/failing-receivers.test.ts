import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOW_MS } from '../store/store-world.ts';
import { answerOf, DispatchWorld, eventId } from './dispatch-world.ts';

let world: DispatchWorld;
beforeEach(async () => {
  world = await DispatchWorld.create();
});
afterEach(() => world.remove());

const statuses = async (id: string) => (await world.deliveries(id)).map(({ status }) => status);

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

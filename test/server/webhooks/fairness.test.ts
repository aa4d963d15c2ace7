import { afterEach, beforeEach, expect, test } from 'vitest';
import { ACTOR, keyRecord } from '../store/store-world.ts';
import { answerOf, DispatchWorld, eventId } from './dispatch-world.ts';

let world: DispatchWorld;
beforeEach(async () => {
  world = await DispatchWorld.create();
});
afterEach(() => world.remove());

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an organisation that has much to send takes turns with the others', async () => {
  for (const org of ['flood', 'calm']) await world.store.keys.create(keyRecord({ org }), ACTOR);
  for (let n = 0; n < 10; n++)
    await world.subscribe({ id: `wh_flood${n}`, org: 'flood', events: ['oracle.stale'] });
  await world.subscribe({ id: 'wh_calm', org: 'calm', events: ['peg.depeg.start'] });
  const dispatcher = world.start({ caps: { inFlight: 4, perOrg: 4, perEndpoint: 4 } });
  await dispatcher.settle();
  for (let n = 0; n < 100; n++) world.log.append(2 * n);
  world.log.append(201);
  await dispatcher.settle();
  expect(world.sent).toHaveLength(1_001);
  const place = world.sent.findIndex(({ endpoint }) => endpoint === 'wh_calm');
  // What was under way before its event was read, and one turn of the other organisation.
  expect(place).toBeLessThan(40);
});

test('receivers that hang hold no more than their share, and others are served meanwhile', async () => {
  for (const org of ['stuck', 'calm']) await world.store.keys.create(keyRecord({ org }), ACTOR);
  for (let n = 0; n < 20; n++) await world.subscribe({ id: `wh_stuck${n}`, org: 'stuck' });
  await world.subscribe({ id: 'wh_calm', org: 'calm' });
  const dispatcher = world.start({ caps: { inFlight: 16, perOrg: 8, perEndpoint: 4 } });
  await dispatcher.settle();
  world.answer = ({ endpoint }) =>
    endpoint.startsWith('wh_stuck') ? new Promise(() => undefined) : answerOf(200);
  for (let n = 0; n < 200; n++) world.log.append(n);
  dispatcher.wake();
  for (let n = 0; n < 5_000 && world.sentTo('wh_calm').length < 200; n++) await turn();
  expect(world.sentTo('wh_calm')).toEqual(Array.from({ length: 200 }, (_, n) => eventId(n)));
  expect(world.sent.filter(({ endpoint }) => endpoint.startsWith('wh_stuck'))).toHaveLength(8);
});

test('one receiver gets few attempts at once until it has answered, and never more than its share', async () => {
  await world.subscribe();
  const dispatcher = world.start({ caps: { inFlight: 100, perOrg: 50, perEndpoint: 16 } });
  await dispatcher.settle();
  let [open, most] = [0, 0];
  world.answer = async () => {
    open++;
    if (world.sent.length <= 4) most = Math.max(most, open);
    await turn();
    expect(open).toBeLessThanOrEqual(16);
    open--;
    return answerOf(200);
  };
  for (let n = 0; n < 200; n++) world.log.append(n);
  await dispatcher.settle();
  expect(most).toBe(4);
  expect(world.sent).toHaveLength(200);
});

test('a receiver that is silent is tried now and then, and its deliveries keep their place', async () => {
  await world.subscribe();
  const dispatcher = world.start();
  await dispatcher.settle();
  world.answer = () => answerOf(null);
  for (let n = 0; n < 100; n++) world.log.append(n);
  await dispatcher.settle();
  const first = world.sent.length;
  expect(first).toBeLessThanOrEqual(8);
  world.nowMs += 4_000;
  await dispatcher.settle();
  expect(world.sent).toHaveLength(first);
  world.nowMs += 1_000;
  await dispatcher.settle();
  expect(world.sent).toHaveLength(first + 1);
  world.answer = () => answerOf(200);
  world.nowMs += 10_000;
  await dispatcher.settle();
  expect(new Set(world.sentTo('wh_1')).size).toBe(100);
  expect((await world.deliveries('wh_1')).every(({ status }) => status === 'delivered')).toBe(true);
});

import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
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

describe('a burst for one organisation', () => {
  const FLOOD = 10;
  const BURST = 150;
  const ids = Array.from({ length: BURST }, (_, n) => eventId(2 * n));

  async function floodAndCalm() {
    for (const org of ['flood', 'calm']) await world.store.keys.create(keyRecord({ org }), ACTOR);
    for (let n = 0; n < FLOOD; n++)
      await world.subscribe({ id: `wh_flood${n}`, org: 'flood', events: ['oracle.stale'] });
    await world.subscribe({ id: 'wh_calm', org: 'calm', events: ['peg.depeg.start'] });
    const dispatcher = world.start();
    await dispatcher.settle();
    for (let n = 0; n < BURST; n++) world.log.append(2 * n);
    world.log.append(2 * BURST + 1);
    return dispatcher;
  }

  /** Counts deliveries made for each subscription, and calls `look` at every group of them. */
  function watchMade(look: (made: ReadonlyMap<string, number>) => void): void {
    const made = new Map<string, number>();
    const enqueue = world.store.deliveries.enqueue.bind(world.store.deliveries);
    world.store.deliveries.enqueue = (to, rows) => {
      for (const { webhook_id } of rows) made.set(webhook_id, (made.get(webhook_id) ?? 0) + 1);
      look(made);
      return enqueue(to, rows);
    };
  }

  it('does not hold up an event of another that comes after it in the log', async () => {
    const dispatcher = await floodAndCalm();
    let madeBefore: number | undefined;
    watchMade((made) => {
      if (made.has('wh_calm')) madeBefore ??= [...made.values()].reduce((sum, count) => sum + count) - 1;
    });
    await dispatcher.settle();
    // Of 1,500: the first share, which ends at an event, and at most one turn after it.
    expect(madeBefore).toBeLessThanOrEqual(60 + 50);
    const place = world.sent.findIndex(({ endpoint }) => endpoint === 'wh_calm');
    expect(place).toBeLessThan(300);
    for (let n = 0; n < FLOOD; n++) expect(world.sentTo(`wh_flood${n}`)).toEqual(ids);
  });

  it('goes on where it was after a restart, each event once and in order', async () => {
    const dispatcher = await floodAndCalm();
    let groups = 0;
    watchMade(() => {
      if (++groups > 4) throw new Error('the disk is full');
    });
    await dispatcher.settle();
    expect(world.sentTo('wh_calm')).toEqual([eventId(2 * BURST + 1)]);
    expect(world.sentTo('wh_flood0').length).toBeLessThan(BURST);
    await dispatcher.stop();
    await world.store.close();
    await world.start({ store: await world.stores.open() }).settle();
    for (let n = 0; n < FLOOD; n++) expect(world.sentTo(`wh_flood${n}`)).toEqual(ids);
    expect(world.sentTo('wh_calm')).toHaveLength(1);
  });

  it('takes turns with the burst of another', async () => {
    await world.store.keys.create(keyRecord({ org: 'second' }), ACTOR);
    for (let n = 0; n < FLOOD; n++)
      await world.subscribe({ id: `wh_second${n}`, org: 'second', events: ['oracle.stale'] });
    const dispatcher = await floodAndCalm();
    let most = 0;
    watchMade((made) => {
      const [flood, second] = ['wh_flood0', 'wh_second0'].map((id) => made.get(id) ?? 0);
      most = Math.max(most, Math.abs((flood ?? 0) - (second ?? 0)));
    });
    await dispatcher.settle();
    expect(most).toBeLessThanOrEqual(2 * (50 / FLOOD));
    expect(world.sentTo('wh_flood3')).toEqual(ids);
    expect(world.sentTo('wh_second7')).toEqual(ids);
  });

  it('of which nothing is wanted any more is passed over', async () => {
    const dispatcher = await floodAndCalm();
    const enqueue = world.store.deliveries.enqueue.bind(world.store.deliveries);
    let groups = 0;
    world.store.deliveries.enqueue = async (to, rows) => {
      if (++groups === 4)
        for (let n = 0; n < FLOOD; n++) await world.store.webhooks.remove(`wh_flood${n}`, ACTOR);
      return enqueue(to, rows);
    };
    await dispatcher.settle();
    expect(await world.store.deliveries.behind()).toEqual(new Map());
    expect(groups).toBeLessThanOrEqual(6);
    expect(world.sentTo('wh_calm')).toHaveLength(1);
  });
});

test('a subscription that is made while its organisation is behind gets what came after it was made', async () => {
  await world.store.keys.create(keyRecord({ org: 'flood' }), ACTOR);
  for (let n = 0; n < 20; n++) await world.subscribe({ id: `wh_flood${n}`, org: 'flood' });
  const dispatcher = world.start();
  await dispatcher.settle();
  for (let n = 0; n < 100; n++) world.log.append(n);
  const enqueue = world.store.deliveries.enqueue.bind(world.store.deliveries);
  let groups = 0;
  world.store.deliveries.enqueue = async (to, rows) => {
    if (++groups === 4) {
      await world.subscribe({ id: 'wh_new', org: 'flood', starts_after: eventId(99) });
      world.log.append(100);
    }
    return enqueue(to, rows);
  };
  await dispatcher.settle();
  expect(world.sentTo('wh_new')).toEqual([eventId(100)]);
  expect(world.sentTo('wh_flood0')).toHaveLength(101);
});

test('an event waits for few attempts of others, although one of them floods and the receivers of another hang', async () => {
  for (const org of ['flood', 'hang', 'calm']) await world.store.keys.create(keyRecord({ org }), ACTOR);
  for (let n = 0; n < 5; n++) {
    await world.subscribe({ id: `wh_flood${n}`, org: 'flood', events: ['oracle.stale'] });
    await world.subscribe({ id: `wh_hang${n}`, org: 'hang', events: ['oracle.stale'] });
  }
  await world.subscribe({ id: 'wh_calm', org: 'calm', events: ['peg.depeg.start'] });
  const dispatcher = world.start();
  await dispatcher.settle();
  world.answer = async ({ endpoint }) => {
    if (endpoint.startsWith('wh_hang')) return new Promise(() => undefined);
    await turn();
    return answerOf(200);
  };
  const BURST = 300;
  for (let n = 0; n < BURST; n++) world.log.append(2 * n);
  dispatcher.wake();
  const waited: number[] = [];
  for (let n = 0; n < 10; n++) {
    const before = world.sent.length;
    world.log.append(2 * (BURST + n) + 1);
    dispatcher.wake();
    while (world.sentTo('wh_calm').length === n) await turn();
    waited.push(world.sent.findLastIndex(({ endpoint }) => endpoint === 'wh_calm') - before);
  }
  // The others had something to send all the time, and could have begun hundreds of attempts at once.
  const flooded = world.sentTo('wh_flood0').length;
  expect([flooded > 0, flooded < BURST]).toEqual([true, true]);
  expect(Math.max(...waited)).toBeLessThanOrEqual(16);
  expect(world.sent.filter(({ endpoint }) => endpoint.startsWith('wh_hang')).length).toBeLessThanOrEqual(20);
});

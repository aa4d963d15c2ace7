import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { ACTOR, keyRecord } from '../store/store-fixture.ts';
import { answerOf, DispatchFixture, eventId } from './dispatch-fixture.ts';

let fixture: DispatchFixture;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
});
afterEach(() => fixture.remove());

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an organisation with a large backlog takes turns with the others', async () => {
  for (const org of ['flood', 'calm']) await fixture.store.keys.create(keyRecord({ org }), ACTOR);
  for (let n = 0; n < 10; n++)
    await fixture.subscribe({ id: `wh_flood${n}`, org: 'flood', events: ['oracle.stale'] });
  await fixture.subscribe({ id: 'wh_calm', org: 'calm', events: ['peg.depeg.start'] });
  const dispatcher = fixture.start({ caps: { inFlight: 4, perOrg: 4, perEndpoint: 4 } });
  await dispatcher.settle();
  for (let n = 0; n < 100; n++) fixture.log.append(2 * n);
  fixture.log.append(201);
  await dispatcher.settle();
  expect(fixture.sent).toHaveLength(1_001);
  const index = fixture.sent.findIndex(({ endpoint }) => endpoint === 'wh_calm');
  // Attempts already in progress when its event was read, and one turn of the other organisation.
  expect(index).toBeLessThan(40);
});

test('hanging receivers occupy no more than their share, and others are served meanwhile', async () => {
  for (const org of ['stuck', 'calm']) await fixture.store.keys.create(keyRecord({ org }), ACTOR);
  for (let n = 0; n < 20; n++) await fixture.subscribe({ id: `wh_stuck${n}`, org: 'stuck' });
  await fixture.subscribe({ id: 'wh_calm', org: 'calm' });
  const dispatcher = fixture.start({ caps: { inFlight: 16, perOrg: 8, perEndpoint: 4 } });
  await dispatcher.settle();
  fixture.answer = ({ endpoint }) =>
    endpoint.startsWith('wh_stuck') ? new Promise(() => undefined) : answerOf(200);
  for (let n = 0; n < 200; n++) fixture.log.append(n);
  dispatcher.wake();
  for (let n = 0; n < 5_000 && fixture.sentTo('wh_calm').length < 200; n++) await turn();
  expect(fixture.sentTo('wh_calm')).toEqual(Array.from({ length: 200 }, (_, n) => eventId(n)));
  expect(fixture.sent.filter(({ endpoint }) => endpoint.startsWith('wh_stuck'))).toHaveLength(8);
});

test('one receiver gets few concurrent attempts until it has responded, and never more than its share', async () => {
  await fixture.subscribe();
  const dispatcher = fixture.start({ caps: { inFlight: 100, perOrg: 50, perEndpoint: 16 } });
  await dispatcher.settle();
  let [open, max] = [0, 0];
  fixture.answer = async () => {
    open++;
    if (fixture.sent.length <= 4) max = Math.max(max, open);
    await turn();
    expect(open).toBeLessThanOrEqual(16);
    open--;
    return answerOf(200);
  };
  for (let n = 0; n < 200; n++) fixture.log.append(n);
  await dispatcher.settle();
  expect(max).toBe(4);
  expect(fixture.sent).toHaveLength(200);
});

test('an unresponsive receiver is tried occasionally, and its deliveries keep their order', async () => {
  await fixture.subscribe();
  const dispatcher = fixture.start();
  await dispatcher.settle();
  fixture.answer = () => answerOf(null);
  for (let n = 0; n < 100; n++) fixture.log.append(n);
  await dispatcher.settle();
  const first = fixture.sent.length;
  expect(first).toBeLessThanOrEqual(8);
  fixture.nowMs += 4_000;
  await dispatcher.settle();
  expect(fixture.sent).toHaveLength(first);
  fixture.nowMs += 1_000;
  await dispatcher.settle();
  expect(fixture.sent).toHaveLength(first + 1);
  fixture.answer = () => answerOf(200);
  fixture.nowMs += 10_000;
  await dispatcher.settle();
  expect(new Set(fixture.sentTo('wh_1')).size).toBe(100);
  expect((await fixture.deliveries('wh_1')).every(({ status }) => status === 'delivered')).toBe(true);
});

describe('a burst for one organisation', () => {
  const FLOOD = 10;
  const BURST = 150;
  const ids = Array.from({ length: BURST }, (_, n) => eventId(2 * n));

  async function floodAndCalm() {
    for (const org of ['flood', 'calm']) await fixture.store.keys.create(keyRecord({ org }), ACTOR);
    for (let n = 0; n < FLOOD; n++)
      await fixture.subscribe({ id: `wh_flood${n}`, org: 'flood', events: ['oracle.stale'] });
    await fixture.subscribe({ id: 'wh_calm', org: 'calm', events: ['peg.depeg.start'] });
    const dispatcher = fixture.start();
    await dispatcher.settle();
    for (let n = 0; n < BURST; n++) fixture.log.append(2 * n);
    fixture.log.append(2 * BURST + 1);
    return dispatcher;
  }

  /** Counts deliveries created for each subscription, and calls `look` with the counts at every batch. */
  function watchMade(look: (made: ReadonlyMap<string, number>) => void): void {
    const made = new Map<string, number>();
    const enqueue = fixture.store.deliveries.enqueue.bind(fixture.store.deliveries);
    fixture.store.deliveries.enqueue = (to, rows) => {
      for (const { webhook_id } of rows) made.set(webhook_id, (made.get(webhook_id) ?? 0) + 1);
      look(made);
      return enqueue(to, rows);
    };
  }

  it('does not delay another organisation’s event that follows it in the log', async () => {
    const dispatcher = await floodAndCalm();
    let madeBefore: number | undefined;
    watchMade((made) => {
      if (made.has('wh_calm')) madeBefore ??= [...made.values()].reduce((sum, count) => sum + count) - 1;
    });
    await dispatcher.settle();
    // Of 1,500: the first share, which ends at an event, and at most one turn after it.
    expect(madeBefore).toBeLessThanOrEqual(60 + 50);
    const index = fixture.sent.findIndex(({ endpoint }) => endpoint === 'wh_calm');
    expect(index).toBeLessThan(300);
    for (let n = 0; n < FLOOD; n++) expect(fixture.sentTo(`wh_flood${n}`)).toEqual(ids);
  });

  it('resumes after a restart, each event once and in order', async () => {
    const dispatcher = await floodAndCalm();
    let groups = 0;
    watchMade(() => {
      if (++groups > 4) throw new Error('the disk is full');
    });
    await dispatcher.settle();
    expect(fixture.sentTo('wh_calm')).toEqual([eventId(2 * BURST + 1)]);
    expect(fixture.sentTo('wh_flood0').length).toBeLessThan(BURST);
    await dispatcher.stop();
    await fixture.store.close();
    await fixture.start({ store: await fixture.stores.open() }).settle();
    for (let n = 0; n < FLOOD; n++) expect(fixture.sentTo(`wh_flood${n}`)).toEqual(ids);
    expect(fixture.sentTo('wh_calm')).toHaveLength(1);
  });

  it('takes turns with the burst of another', async () => {
    await fixture.store.keys.create(keyRecord({ org: 'second' }), ACTOR);
    for (let n = 0; n < FLOOD; n++)
      await fixture.subscribe({ id: `wh_second${n}`, org: 'second', events: ['oracle.stale'] });
    const dispatcher = await floodAndCalm();
    let max = 0;
    watchMade((made) => {
      const [flood, second] = ['wh_flood0', 'wh_second0'].map((id) => made.get(id) ?? 0);
      max = Math.max(max, Math.abs((flood ?? 0) - (second ?? 0)));
    });
    await dispatcher.settle();
    expect(max).toBeLessThanOrEqual(2 * (50 / FLOOD));
    expect(fixture.sentTo('wh_flood3')).toEqual(ids);
    expect(fixture.sentTo('wh_second7')).toEqual(ids);
  });

  it('that no subscription wants any longer is skipped', async () => {
    const dispatcher = await floodAndCalm();
    const enqueue = fixture.store.deliveries.enqueue.bind(fixture.store.deliveries);
    let groups = 0;
    fixture.store.deliveries.enqueue = async (to, rows) => {
      if (++groups === 4)
        for (let n = 0; n < FLOOD; n++) await fixture.store.webhooks.remove(`wh_flood${n}`, ACTOR);
      return enqueue(to, rows);
    };
    await dispatcher.settle();
    expect(await fixture.store.deliveries.behind()).toEqual(new Map());
    expect(groups).toBeLessThanOrEqual(6);
    expect(fixture.sentTo('wh_calm')).toHaveLength(1);
  });
});

test('a subscription created while its organisation is behind gets the events after its creation', async () => {
  await fixture.store.keys.create(keyRecord({ org: 'flood' }), ACTOR);
  for (let n = 0; n < 20; n++) await fixture.subscribe({ id: `wh_flood${n}`, org: 'flood' });
  const dispatcher = fixture.start();
  await dispatcher.settle();
  for (let n = 0; n < 100; n++) fixture.log.append(n);
  const enqueue = fixture.store.deliveries.enqueue.bind(fixture.store.deliveries);
  let groups = 0;
  fixture.store.deliveries.enqueue = async (to, rows) => {
    if (++groups === 4) {
      await fixture.subscribe({ id: 'wh_new', org: 'flood', starts_after: eventId(99) });
      fixture.log.append(100);
    }
    return enqueue(to, rows);
  };
  await dispatcher.settle();
  expect(fixture.sentTo('wh_new')).toEqual([eventId(100)]);
  expect(fixture.sentTo('wh_flood0')).toHaveLength(101);
});

test('an event waits for few attempts of others, although one organisation floods and the receivers of another hang', async () => {
  for (const org of ['flood', 'hang', 'calm']) await fixture.store.keys.create(keyRecord({ org }), ACTOR);
  for (let n = 0; n < 5; n++) {
    await fixture.subscribe({ id: `wh_flood${n}`, org: 'flood', events: ['oracle.stale'] });
    await fixture.subscribe({ id: `wh_hang${n}`, org: 'hang', events: ['oracle.stale'] });
  }
  await fixture.subscribe({ id: 'wh_calm', org: 'calm', events: ['peg.depeg.start'] });
  const dispatcher = fixture.start();
  await dispatcher.settle();
  fixture.answer = async ({ endpoint }) => {
    if (endpoint.startsWith('wh_hang')) return new Promise(() => undefined);
    await turn();
    return answerOf(200);
  };
  const BURST = 300;
  for (let n = 0; n < BURST; n++) fixture.log.append(2 * n);
  dispatcher.wake();
  const waited: number[] = [];
  for (let n = 0; n < 10; n++) {
    const before = fixture.sent.length;
    fixture.log.append(2 * (BURST + n) + 1);
    dispatcher.wake();
    while (fixture.sentTo('wh_calm').length === n) await turn();
    waited.push(fixture.sent.findLastIndex(({ endpoint }) => endpoint === 'wh_calm') - before);
  }
  // The others had deliveries due all the time, and could have started hundreds of attempts at once.
  const flooded = fixture.sentTo('wh_flood0').length;
  expect([flooded > 0, flooded < BURST]).toEqual([true, true]);
  expect(Math.max(...waited)).toBeLessThanOrEqual(16);
  expect(fixture.sent.filter(({ endpoint }) => endpoint.startsWith('wh_hang')).length).toBeLessThanOrEqual(
    20,
  );
});

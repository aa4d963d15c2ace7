import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpsStore, StoreUnavailableError } from '../../../server/store/store.ts';
import { answerOf, DispatchFixture, eventId } from './dispatch-fixture.ts';

let fixture: DispatchFixture;
let lead: () => Promise<boolean>;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
  lead = async () => true;
});
afterEach(() => fixture.remove());

/** The store, with leadership controlled by the test. */
function storeLed(): OpsStore {
  const deliveries = new Proxy(fixture.store.deliveries, {
    get(target, name) {
      if (name === 'lead') return () => lead();
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...fixture.store, transact: (work) => fixture.store.transact(work), deliveries };
}

test.each([
  ['another process leads', async () => false],
  ['the store is unavailable', () => Promise.reject(new StoreUnavailableError('away'))],
])('nothing new is sent once %s, and the rest is sent when it leads again', async (_, lost) => {
  await fixture.subscribe({ id: 'wh_1' });
  fixture.log.append(0);
  const dispatcher = fixture.start({ store: storeLed() });
  await dispatcher.settle();
  fixture.log.append(1);
  await dispatcher.settle();
  expect(fixture.sentTo('wh_1')).toEqual([eventId(1)]);
  lead = lost;
  fixture.log.append(2);
  for (let round = 0; round < 3; round++) await dispatcher.settle();
  expect(fixture.sentTo('wh_1')).toEqual([eventId(1)]);
  lead = async () => true;
  await dispatcher.settle();
  expect(fixture.sentTo('wh_1')).toEqual([eventId(1), eventId(2)]);
});

test('deliveries made by another process meanwhile are not repeated from memory', async () => {
  await fixture.subscribe({ id: 'wh_1' });
  fixture.log.append(0);
  fixture.answer = () => answerOf(503);
  const dispatcher = fixture.start({ store: storeLed() });
  await dispatcher.settle();
  fixture.log.append(1);
  await dispatcher.settle();
  expect(fixture.sentTo('wh_1')).toEqual([eventId(1)]);
  lead = async () => false;
  await dispatcher.settle();
  fixture.answer = () => answerOf(200);
  fixture.nowMs += 3_600_000;
  const other = fixture.start();
  await other.settle();
  await other.stop();
  expect(fixture.sentTo('wh_1')).toEqual([eventId(1), eventId(1)]);
  lead = async () => true;
  await dispatcher.settle();
  expect(fixture.sentTo('wh_1')).toEqual([eventId(1), eventId(1)]);
});

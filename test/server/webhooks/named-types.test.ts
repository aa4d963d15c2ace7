// A subscription gets the event types that it names, and a stream those that it asks for: a type that is added to the catalogue later, or
// whose name begins with that of another one, reaches no one who did not name it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../schemas/events.ts';
import { passes } from '../../../server/stream/event-filter.ts';
import { DispatchFixture, eventId } from './dispatch-fixture.ts';

/** Of no catalogue, as a type of a later version is. */
const LATER = EVENT_TYPES.flatMap((type) => [`${type}.later`, type.slice(0, -1), type.toUpperCase()]);
const ALL = [...EVENT_TYPES, ...LATER];

let fixture: DispatchFixture;
beforeEach(async () => {
  fixture = await DispatchFixture.create();
});
afterEach(() => fixture.remove());

test('each type reaches the subscription that names it, and no other one', async () => {
  const idOf = (type: string) => `wh_${EVENT_TYPES.indexOf(type)}`;
  for (const type of EVENT_TYPES) await fixture.subscribe({ id: idOf(type), events: [type] });
  const dispatcher = fixture.start();
  await dispatcher.settle();
  for (const [index, type] of ALL.entries()) fixture.log.append(index + 1, { type });
  await dispatcher.settle();
  for (const [index, type] of EVENT_TYPES.entries())
    expect(fixture.sentTo(idOf(type)), type).toEqual([eventId(index + 1)]);
  expect(fixture.sent).toHaveLength(EVENT_TYPES.length);
});

test('each type passes the filter of a stream that names it, and no other one', () => {
  const open = { severities: undefined, subject: undefined, chain: undefined, protocol: undefined };
  for (const named of EVENT_TYPES) {
    const filter = { ...open, types: new Set([named]) };
    const passed = ALL.filter((type) => passes(filter, { type, subject_id: 'vault:ethereum:0x01' }));
    expect(passed).toEqual([named]);
  }
});

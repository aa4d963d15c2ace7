// Test events are permanently marked, and their ids used as cursors hide no real event (decision 62).
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AS_OF_MS, DAY_MS, eventCandidate } from '../server-fixture.ts';
import { openStream } from '../stream/stream-client.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

let fixture: DeliveryFixture;
beforeEach(async () => {
  fixture = await DeliveryFixture.start();
});
afterEach(() => fixture.stop());

const idOf = (envelope: string | undefined) =>
  (JSON.parse(envelope ?? '{}') as { event_id: string }).event_id;
const testId = async (webhook: string): Promise<string> =>
  (await fixture.api.ask('POST', `/v2/webhooks/${webhook}/test`, { body: {} })).json.data.event_id;
const replayed = async (after: string): Promise<string[]> => {
  const { json } = await fixture.api.ask('GET', `/v2/events/replay?since_event_id=${after}`);
  return json.events.map(({ event_id }: { event_id: string }) => event_id);
};

test('a test event is marked in its body and header, and so is its redelivery, even after a quiet year', async () => {
  const { id } = await fixture.subscribe();
  await fixture.publish(1);
  await fixture.receiver.until(1);
  const event_id = await testId(id);
  fixture.tick();
  await fixture.receiver.until(2);
  const rows = await fixture.settled(id);
  const first = rows.find((row: { event_id: string }) => row.event_id === event_id);
  fixture.api.fixture.nowMs += 365 * DAY_MS;
  const again = await fixture.api.ask('POST', `/v2/webhooks/${id}/deliveries/${first.id}/redeliver`, {
    body: {},
  });
  expect(again.status).toBe(202);
  fixture.tick();
  const posts = await fixture.receiver.until(3);
  const marks = posts.map(({ headers, body }) => [
    headers['service-event-test'],
    (JSON.parse(body.toString()) as { test?: boolean }).test,
    headers['webhook-id'] === event_id,
  ]);
  expect(marks).toEqual([
    [undefined, undefined, false],
    ['true', true, true],
    ['true', true, true],
  ]);
  const shown = await fixture.settled(id);
  const heads = shown.map(
    ({ request_headers }: { request_headers: Record<string, string> }) => request_headers,
  );
  expect(heads.map((head: Record<string, string>) => head['Service-Event-Test'])).toEqual([
    'true',
    'true',
    undefined,
  ]);
});

test.each([
  ['at the same instant', 0],
  ['a millisecond later', 1],
  ['by a replay of the past', -20 * DAY_MS],
  ['tomorrow', DAY_MS],
])('an event appended %s comes after the id of a test event', async (_, offsetMs) => {
  const { id } = await fixture.subscribe();
  const { fixture: published, server } = fixture.api;
  const known = await fixture.publish(1, 2);
  const cursors = [await testId(id), await testId(id)];
  const fresh = await published.append(
    [3, 4].map((n) => eventCandidate(n)),
    AS_OF_MS + offsetMs,
  );
  await published.publish();
  await server.refresh();
  const wanted = fresh.map(idOf);
  expect(new Set(cursors).size).toBe(2);
  for (const cursor of cursors) {
    const ids = await replayed(cursor);
    expect(ids.slice(-2)).toEqual(wanted);
    // The only events it may show again are the newest ones that existed.
    expect(ids.every((one) => [...known.map(idOf), ...wanted].includes(one))).toBe(true);
    const stream = await openStream(server.url, {
      key: fixture.api.keys.team,
      query: `since_event_id=${cursor}`,
    });
    expect((await stream.first(ids.length)).map(idOf)).toEqual(ids);
    await stream.close();
  }
});

test('before the very first event, the id of a test event hides no event', async () => {
  const { id } = await fixture.subscribe();
  const cursor = await testId(id);
  const [envelope] = await fixture.publish(1);
  expect(await replayed(cursor)).toEqual([idOf(envelope)]);
});

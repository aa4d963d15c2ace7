import { expect, test } from 'vitest';
import { batchOf, type Share } from '../../../server/webhooks/enqueue.ts';
import { GroupBook, GroupDraft } from '../../../server/webhooks/grouping.ts';
import { eventId, webhookRecord } from '../store/webhook-records.ts';

const NOW_MS = 1_000;
const event = (n: number, type = 'all') => ({
  id: eventId(n),
  bytes: Buffer.from('{}'),
  type,
  subject: `s${n}`,
  ts: '2026-03-01T12:00:00Z',
  symbol: undefined,
});
const events = (count: number, type?: string) => Array.from({ length: count }, (_, n) => event(n + 1, type));

const ORGS = [
  ['big', ['b1', 'b2', 'b3']],
  ['small', ['s1']],
] as const;

const share = (change: Partial<Share> = {}): Share => ({
  cursor: eventId(0),
  nowMs: NOW_MS,
  draft: new GroupDraft(new GroupBook([]), NOW_MS, undefined),
  rows: 100,
  perOrg: 100,
  queuesOf: ({ type }) =>
    ORGS.filter(([org]) => type === 'all' || type === org).map(([org, ids]) => [
      org,
      ids.map((id) => ({ record: webhookRecord({ id }) })),
    ]),
  ...change,
});

test('every subscription gets a delivery of every event it subscribes to, due at once', () => {
  const { rows, wanted, cursor, behind } = batchOf([event(1), event(2, 'small'), event(3, 'none')], share());
  expect(rows.map(({ webhook_id, event_id }) => [webhook_id, event_id])).toEqual([
    ...['b1', 'b2', 'b3', 's1'].map((id) => [id, eventId(1)]),
    ['s1', eventId(2)],
  ]);
  expect(rows[0]).toMatchObject({ event_type: 'all', subject_id: 's1', origin: 'event', created_ms: NOW_MS });
  expect(wanted.map(({ id }) => id)).toEqual([eventId(1), eventId(2)]);
  expect([cursor, behind.size]).toEqual([eventId(3), 0]);
});

test('it ends at the event that fills it', () => {
  const { rows, cursor } = batchOf(events(10), share({ rows: 9 }));
  expect([rows.length, cursor]).toEqual([12, eventId(3)]);
});

test('an organisation with a full share stays behind at the previous event, and the others continue', () => {
  const { rows, cursor, behind } = batchOf(events(10), share({ perOrg: 6 }));
  expect([...behind]).toEqual([
    ['big', eventId(2)],
    ['small', eventId(6)],
  ]);
  expect(rows.filter(({ webhook_id }) => webhook_id === 'b1').map(({ event_id }) => event_id)).toEqual([
    eventId(1),
    eventId(2),
  ]);
  expect(cursor).toBe(eventId(10));
});

test('an organisation gets all deliveries of an event or none, and never stays behind at the first', () => {
  const { rows, behind } = batchOf(events(2), share({ perOrg: 1 }));
  expect(rows.map(({ webhook_id }) => webhook_id)).toEqual(['b1', 'b2', 'b3', 's1']);
  expect([...behind.values()]).toEqual([eventId(1), eventId(1)]);
});

test('without events the cursor does not move', () => {
  expect(batchOf([], share())).toMatchObject({ rows: [], wanted: [], cursor: eventId(0) });
});

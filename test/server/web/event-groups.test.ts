import { expect, test } from 'vitest';
import { groupEvents, groupRuns, newestFirst, titleOf } from '../../../server/web/browser/event-groups.ts';

const event = (event_id: string, type: string, subject_id: string) => ({
  event_id,
  type,
  subject_id,
  ts: '2026-03-01T12:00:00Z',
  data: {},
});

test('an event that was found late is listed at the time it happened', () => {
  const at = (event_id: string, ts: string) => ({ ...event(event_id, 'peg.depeg.start', 'peg:a'), ts });
  const found = [
    at('4', '2026-03-01T23:59:00Z'),
    at('3', '2026-03-02T00:02:00Z'),
    at('2', '2026-03-01T23:59:00Z'),
    at('1', '2026-03-01T12:00:00Z'),
  ];
  expect(newestFirst(found).map(({ event_id }) => event_id)).toEqual(['3', '4', '2', '1']);
});

test('repeats of one type and subject are one line, showing the newest', () => {
  const all = [
    event('5', 'vault.allocation.changed', 'vault:a'),
    event('4', 'peg.depeg.start', 'peg:a'),
    event('3', 'vault.allocation.changed', 'vault:a'),
    event('2', 'vault.allocation.changed', 'vault:b'),
    event('1', 'vault.cap.changed', 'vault:a'),
  ];
  expect(groupEvents(all).map(({ event: { event_id }, count }) => [event_id, count])).toEqual([
    ['5', 2],
    ['4', 1],
    ['2', 1],
    ['1', 1],
  ]);
  expect(groupEvents([])).toEqual([]);
});

test('in a list by time only consecutive repeats are one line', () => {
  const all = ['a', 'a', 'b', 'a'].map((subject, index) =>
    event(String(index), 'vault.cap.changed', subject),
  );
  expect(groupRuns(all).map(({ event: { event_id }, count }) => [event_id, count])).toEqual([
    ['0', 2],
    ['2', 1],
    ['3', 1],
  ]);
  expect(groupRuns([])).toEqual([]);
});

test('a retracted event, its retraction and an event that stands are separate lines', () => {
  const start = (id: string) => event(id, 'peg.depeg.start', 'peg:a');
  const all = [start('4'), { ...start('3'), retracts_event_id: '1' }, start('2'), start('1')];
  const expected = [
    ['4', 2, false, 'peg depeg start'],
    ['3', 1, false, 'retraction of peg depeg start'],
    ['1', 1, true, 'peg depeg start'],
  ];
  const lines = groupEvents(all).map((one) => [
    one.event.event_id,
    one.count,
    one.isRetracted,
    titleOf(one.event),
  ]);
  expect(lines).toEqual(expected);
  expect(
    groupRuns(all).map(({ event: { event_id }, count, isRetracted }) => [event_id, count, isRetracted]),
  ).toEqual([
    ['4', 1, false],
    ['3', 1, false],
    ['2', 1, false],
    ['1', 1, true],
  ]);
});

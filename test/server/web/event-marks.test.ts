// How many events are drawn: as few marks, none of them empty, with the most severe event at every position among them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { marksOf } from '../../../server/web/browser/event-marks.ts';

const AT = Date.parse('2026-03-01T00:00:00Z');
const event = (second: number, severity: string, type = 'oracle.stale') => ({
  type,
  severity,
  ts: new Date(AT + second * 1_000).toISOString(),
});

test('100,000 events of one type make at most one mark per position, and the critical event stays visible', () => {
  const events = Array.from({ length: 100_000 }, (_, n) => event(n, n === 77_777 ? 'critical' : 'info'));
  const { marks } = marksOf(events, 80);
  expect(marks).toHaveLength(80);
  expect(marks.filter(({ severity }) => severity === 'critical')).toHaveLength(1);
  expect(marks.find(({ severity }) => severity === 'critical')?.column).toBe(Math.floor(0.77777 * 80));
  expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(100_000);
});

test('events at the same time are one mark per row', () => {
  const { types, marks } = marksOf([event(5, 'warn'), event(5, 'high'), event(5, 'info', 'a.b')], 10);
  expect(types).toEqual(['a.b', 'oracle.stale']);
  expect(marks).toEqual([
    { row: 1, column: 0, severity: 'high', count: 2 },
    { row: 0, column: 0, severity: 'info', count: 1 },
  ]);
});

const SEVERITIES = ['info', 'warn', 'high', 'critical'];
const anyEvents = fc.array(
  fc.record({
    second: fc.nat(100_000),
    severity: fc.constantFrom(...SEVERITIES),
    type: fc.constantFrom('a.x', 'b.y'),
  }),
  { minLength: 1, maxLength: 200 },
);

test('every event is counted in one mark of its row, which is at least as severe as the event', () => {
  fc.assert(
    fc.property(anyEvents, fc.integer({ min: 1, max: 90 }), (given, positions) => {
      const events = given.map(({ second, severity, type }) => event(second, severity, type));
      const { types, marks, first, last } = marksOf(events, positions);
      expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(events.length);
      for (const { ts, type, severity } of events) {
        const share = last === first ? 0 : (Date.parse(ts) - first) / (last - first);
        const column = Math.min(positions - 1, Math.floor(share * positions));
        const mark = marks.find((one) => one.row === types.indexOf(type) && one.column === column);
        expect(SEVERITIES.indexOf(mark?.severity ?? '')).toBeGreaterThanOrEqual(SEVERITIES.indexOf(severity));
      }
      for (const { severity, row } of marks)
        expect(events.some((one) => one.severity === severity && one.type === types[row])).toBe(true);
    }),
  );
});

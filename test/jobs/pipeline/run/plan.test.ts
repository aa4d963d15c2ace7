import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  missedIntervals,
  modelWindow,
  parseDuration,
  parseInstant,
  steps,
} from '../../../../jobs/pipeline/run/plan.ts';

const DAY = 86_400;

describe('missed intervals', () => {
  it('are everything up to now on the very first start', () => {
    expect(missedIntervals({ last: null, now: 1_000, stepSeconds: 300, cap: 12 })).toEqual([
      { from: -1, to: 1_000 },
    ]);
  });

  it('are none when now is not after the last run', () => {
    expect(missedIntervals({ last: 900, now: 900, stepSeconds: 300, cap: 12 })).toEqual([]);
    expect(missedIntervals({ last: 900, now: 600, stepSeconds: 300, cap: 12 })).toEqual([]);
  });

  it('are cut at multiples of the step, oldest first', () => {
    expect(missedIntervals({ last: 310, now: 1_000, stepSeconds: 300, cap: 12 })).toEqual([
      { from: 310, to: 600 },
      { from: 600, to: 900 },
      { from: 900, to: 1_000 },
    ]);
  });

  it('merge what is older than the cap into one', () => {
    expect(missedIntervals({ last: 0, now: 3_000, stepSeconds: 300, cap: 3 })).toEqual([
      { from: 0, to: 2_400 },
      { from: 2_400, to: 2_700 },
      { from: 2_700, to: 3_000 },
    ]);
    expect(missedIntervals({ last: 0, now: 3_000, stepSeconds: 300, cap: 1 })).toEqual([
      { from: 0, to: 3_000 },
    ]);
  });

  it('always cover the pause without a gap or an overlap', () => {
    const pause = fc.record({
      last: fc.integer({ min: 0, max: 1e6 }),
      length: fc.integer({ min: 1, max: 1e5 }),
      stepSeconds: fc.integer({ min: 1, max: 4_000 }),
      cap: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(pause, ({ last, length, stepSeconds, cap }) => {
        const intervals = missedIntervals({ last, now: last + length, stepSeconds, cap });
        expect(intervals.length).toBeLessThanOrEqual(cap);
        expect(intervals[0]?.from).toBe(last);
        expect(intervals.at(-1)?.to).toBe(last + length);
        for (const [index, { from, to }] of intervals.entries()) {
          expect(to).toBeGreaterThan(from);
          if (index > 0) expect(from).toBe(intervals[index - 1]?.to);
        }
      }),
    );
  });
});

describe('steps of a backfill', () => {
  it('are counted from the start and the last one may be shorter', () => {
    expect(steps({ from: 10, to: 700 }, 300)).toEqual([
      { from: 10, to: 310 },
      { from: 310, to: 610 },
      { from: 610, to: 700 },
    ]);
  });

  it('refuse an interval that ends before it begins', () => {
    expect(() => steps({ from: 10, to: 10 }, 300)).toThrow('give --to later than --from');
  });
});

describe('the window that models are computed over', () => {
  it('begins at midnight of the first new second and ends just after now', () => {
    expect(modelWindow({ to: 10 * DAY + 5, processedTo: 9 * DAY + 7, dirtyFrom: null })).toEqual({
      start: 9 * DAY,
      end: 10 * DAY + 6,
      now: 10 * DAY + 5,
    });
  });

  it('does not reopen a day that ended exactly with the last run', () => {
    expect(modelWindow({ to: 10 * DAY, processedTo: 9 * DAY - 1, dirtyFrom: null })?.start).toBe(9 * DAY);
    expect(modelWindow({ to: 10 * DAY, processedTo: 9 * DAY, dirtyFrom: null })?.start).toBe(9 * DAY);
  });

  it('reopens the day of a late row, and the days after it', () => {
    expect(modelWindow({ to: 10 * DAY, processedTo: 10 * DAY - 300, dirtyFrom: 7 * DAY + 1 })?.start).toBe(
      7 * DAY,
    );
  });

  it('never goes back before what is computed', () => {
    expect(modelWindow({ to: 3 * DAY, processedTo: 10 * DAY, dirtyFrom: 2 * DAY })).toEqual({
      start: 2 * DAY,
      end: 10 * DAY + 1,
      now: 10 * DAY,
    });
    expect(modelWindow({ to: 3 * DAY, processedTo: 10 * DAY, dirtyFrom: null })).toBeNull();
  });

  it('leaves rows of the future to the runs that reach them', () => {
    expect(modelWindow({ to: 10, processedTo: 10, dirtyFrom: 11 })).toBeNull();
    expect(modelWindow({ to: 3 * DAY, processedTo: 2 * DAY, dirtyFrom: 9 * DAY })?.start).toBe(2 * DAY);
  });
});

describe('words for time on the command line', () => {
  it('reads durations', () => {
    expect(['300', '5m', '1h', '2d'].map(parseDuration)).toEqual([300, 300, 3_600, 2 * DAY]);
    for (const text of ['', '0', '5 m', '-1h', '1w', '1.5h'])
      expect(() => parseDuration(text)).toThrow('is not a duration');
  });

  it('reads instants as UTC unless they carry an offset', () => {
    const noon = Date.UTC(2026, 0, 31, 12) / 1000;
    for (const text of [
      '2026-01-31T12:00:00Z',
      '2026-01-31 12:00',
      '2026-01-31T14:00:00+02:00',
      String(noon),
    ]) {
      expect(parseInstant(text)).toBe(noon);
    }
    expect(parseInstant('2026-01-31')).toBe(noon - 12 * 3_600);
    for (const text of ['yesterday', '2026-02-30T00:00', '31-01-2026', ''])
      expect(() => parseInstant(text)).toThrow('is not an instant');
  });
});

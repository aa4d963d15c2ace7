// Quiet hours against a clock on the wall that is read minute by minute, in zones with and without daylight-saving time.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QuietHours } from '../../../server/store/webhook-store.ts';
import { checkQuietHours, quietStateAt } from '../../../server/webhooks/quiet-hours.ts';

const MINUTE_MS = 60_000;
const hours = (time_zone: string, from: string, to: string): QuietHours => ({
  time_zone,
  from,
  to,
  always_send: [],
});
const at = (iso: string) => Date.parse(iso);

/** The changes between quiet and not quiet, found step by step. */
function edges(quiet: QuietHours, from: string, to: string, stepMinutes = 10): string[] {
  const found: string[] = [];
  let before = quietStateAt(quiet, at(from)).isQuiet;
  for (let ms = at(from); ms < at(to); ms += stepMinutes * MINUTE_MS) {
    const { isQuiet } = quietStateAt(quiet, ms);
    if (isQuiet !== before) found.push(new Date(ms).toISOString().slice(0, 16));
    before = isQuiet;
  }
  return found;
}

test.each([
  // On 29 March 2026 at 02:00, Berlin goes from UTC+1 to UTC+2; on 25 October at 03:00 back.
  ['a night', 'Europe/Berlin', '22:00', '07:00', '2026-01-10', ['2026-01-10T21:00', '2026-01-11T06:00']],
  [
    'a short night',
    'Europe/Berlin',
    '22:00',
    '07:00',
    '2026-03-28',
    ['2026-03-28T21:00', '2026-03-29T05:00'],
  ],
  ['a long night', 'Europe/Berlin', '22:00', '07:00', '2026-10-24', ['2026-10-24T20:00', '2026-10-25T06:00']],
  [
    'an end that is skipped',
    'Europe/Berlin',
    '22:00',
    '02:30',
    '2026-03-28',
    ['2026-03-28T21:00', '2026-03-29T01:30'],
  ],
  [
    'an end that comes twice',
    'Europe/Berlin',
    '22:00',
    '02:30',
    '2026-10-24',
    ['2026-10-24T20:00', '2026-10-25T00:30'],
  ],
  [
    'a beginning that is skipped',
    'Europe/Berlin',
    '02:30',
    '05:00',
    '2026-03-28',
    ['2026-03-29T01:30', '2026-03-29T03:00'],
  ],
  [
    'a beginning that comes twice',
    'Europe/Berlin',
    '02:30',
    '05:00',
    '2026-10-24',
    ['2026-10-25T00:30', '2026-10-25T04:00'],
  ],
  [
    'half an hour',
    'Australia/Lord_Howe',
    '22:00',
    '06:00',
    '2026-04-04',
    ['2026-04-04T19:30', '2026-04-05T11:30'],
  ],
  ['no change', 'Asia/Kolkata', '00:00', '06:00', '2026-05-01', ['2026-05-01T18:30', '2026-05-02T00:30']],
])('%s', (_, zone, from, to, day, expected) => {
  const noon = `${day}T12:00Z`;
  const nextNoon = new Date(at(noon) + 86_400_000).toISOString();
  expect(edges(hours(zone, from, to), noon, nextNoon)).toEqual(expected);
});

test('the night of one minute, and all but one', () => {
  expect(edges(hours('UTC', '23:59', '00:00'), '2026-01-01T12:00Z', '2026-01-02T12:00Z', 1)).toEqual([
    '2026-01-01T23:59',
    '2026-01-02T00:00',
  ]);
  expect(edges(hours('UTC', '00:01', '00:00'), '2026-01-01T12:00Z', '2026-01-02T12:00Z', 1)).toEqual([
    '2026-01-02T00:00',
    '2026-01-02T00:01',
  ]);
});

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'UTC',
];
const minute = fc.integer({ min: 0, max: 1_439 });
const timeOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** The minute of the day on the wall, by another way than the implementation's. */
const wallMinute = (zone: string, ms: number): number => {
  const [hour = '0', minutes = '0'] = new Date(ms)
    .toLocaleTimeString('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
    .split(':');
  return (Number(hour) % 24) * 60 + Number(minutes);
};

test('every day has one beginning and one end, and away from changes of the clock they are those on the wall', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      minute,
      minute,
      fc.integer({ min: at('2025-01-01T00:00Z'), max: at('2027-01-01T00:00Z') }),
      (zone, from, to, ms) => {
        fc.pre(from !== to);
        const quiet = hours(zone, timeOf(from), timeOf(to));
        const { isQuiet, until } = quietStateAt(quiet, ms);
        expect(until).toBeGreaterThan(ms);
        expect(quietStateAt(quiet, until - 1).isQuiet).toBe(isQuiet);
        const isSteady = [-1, 0, 1, 2].every(
          (day) => wallMinute(zone, ms + day * 86_400_000) === wallMinute(zone, ms),
        );
        if (!isSteady) return;
        const now = wallMinute(zone, ms);
        expect(isQuiet).toBe(from < to ? now >= from && now < to : now >= from || now < to);
        if (until < ms + 86_400_000) expect(wallMinute(zone, until)).toBe(isQuiet ? to : from);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  [hours('Europe/Atlantis', '22:00', '07:00'), 'quiet_hours/time_zone is "Europe/Atlantis": use a name of'],
  [hours('+01:00', '22:00', '07:00'), 'quiet_hours/time_zone is "+01:00"'],
  [hours('', '22:00', '07:00'), 'quiet_hours/time_zone is ""'],
  [hours('UTC', '22:00', '22:00'), 'quiet_hours/to is the same as from, 22:00'],
])('refuses %j', (quiet, problem) => {
  expect(() => checkQuietHours(quiet)).toThrow(problem);
});

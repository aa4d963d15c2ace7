// When quiet hours begin and end: local times of a time zone as instants. A time that a change of the clock skips is that much later, and one
// that it repeats counts where it comes first, so that every night has one beginning and one end.
import { DAY_MS } from '../../platform/base/time.ts';
import { fieldFailure } from '../define/failure.ts';
import type { QuietHours } from '../store/webhook-store.ts';

const MINUTE_MS = 60_000;

/** Whether it is quiet, and until when that is so, in Unix milliseconds. */
export interface QuietState {
  readonly isQuiet: boolean;
  readonly until: number;
}

export function quietStateAt({ time_zone, from, to }: QuietHours, nowMs: number): QuietState {
  const clock = clockOf(time_zone);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const today = Math.floor((nowMs + clock.offsetMs(nowMs)) / DAY_MS);
  const endDay = end > start ? 0 : 1;
  const starts: number[] = [];
  for (const day of [today - 1, today, today + 1]) {
    const startMs = clock.instant(day, start);
    const endMs = clock.instant(day + endDay, end);
    if (startMs <= nowMs && nowMs < endMs) return { isQuiet: true, until: endMs };
    // A change of the clock may skip quiet hours completely.
    if (startMs > nowMs && startMs < endMs) starts.push(startMs);
  }
  return { isQuiet: false, until: Math.min(...starts, nowMs + DAY_MS) };
}

/** @throws Failure `validation_failed` */
export function checkQuietHours({ time_zone, from, to }: QuietHours): void {
  if (!isTimeZone(time_zone))
    throw fieldFailure(
      'quiet_hours/time_zone',
      `is ${JSON.stringify(time_zone)}: use a name of the IANA time zone database, such as Europe/Berlin`,
    );
  if (from === to)
    throw fieldFailure('quiet_hours/to', `is the same as from, ${from}: it must be another time of the day`);
}

/** Names only: an offset such as +01:00 has no daylight-saving time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

interface ZoneClock {
  /** Local time minus UTC. */
  readonly offsetMs: (unixMs: number) => number;
  /** The instant of a local day, counted from 1970-01-01, and a minute of it. */
  readonly instant: (day: number, minute: number) => number;
}

const clocks = new Map<string, ZoneClock>();

function clockOf(timeZone: string): ZoneClock {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const offsetMs = (unixMs: number): number => {
    const parts = new Map(format.formatToParts(unixMs).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN;
    const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
    return local - Math.floor(unixMs / 1_000) * 1_000;
  };
  const instant = (day: number, minute: number): number => {
    const local = day * DAY_MS + minute * MINUTE_MS;
    const [before, after] = [offsetMs(local - DAY_MS), offsetMs(local + DAY_MS)];
    const found = [local - before, local - after].filter((ms) => ms + offsetMs(ms) === local);
    return found.length === 0 ? local - before : Math.min(...found);
  };
  const clock = { offsetMs, instant };
  clocks.set(timeZone, clock);
  return clock;
}

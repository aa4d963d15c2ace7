// Plans which intervals to run: pure arithmetic over logical time. A run covers (from, to], in Unix seconds.
import { DAY_S, dayOf } from '../../../platform/base/time.ts';
import { BEFORE_ALL, type Interval } from '../../define/source.ts';

export interface MissedOptions {
  /** End of the last interval that was run; null before the first. */
  readonly last: number | null;
  readonly now: number;
  readonly stepSeconds: number;
  /** Maximum number of intervals to run; older ones are merged into one. */
  readonly cap: number;
}

/** Intervals between the last run and now, oldest first, cut at multiples of the step. */
export function missedIntervals({ last, now, stepSeconds, cap }: MissedOptions): readonly Interval[] {
  if (last === null) return [{ from: BEFORE_ALL, to: now }];
  if (now <= last) return [];
  const ends = [now];
  const newest = now % stepSeconds === 0 ? now - stepSeconds : now - (now % stepSeconds);
  for (let cut = newest; cut > last && ends.length < cap; cut -= stepSeconds) ends.unshift(cut);
  return chain(last, ends);
}

/** (from, to] in steps of `stepSeconds` counted from `from`; the last one may be shorter. */
export function steps({ from, to }: Interval, stepSeconds: number): readonly Interval[] {
  if (to <= from)
    throw new Error(`The interval ends (${to}) before it begins (${from}): give --to later than --from.`);
  const ends: number[] = [];
  for (let end = from + stepSeconds; end < to; end += stepSeconds) ends.push(end);
  return chain(from, [...ends, to]);
}

function chain(from: number, ends: readonly number[]): readonly Interval[] {
  return ends.map((to, index) => ({ from: index === 0 ? from : (ends[index - 1] ?? from), to }));
}

export interface WindowInput {
  /** Logical time of this run. */
  readonly to: number;
  /** Latest logical time that is already computed; null in an empty warehouse. */
  readonly processedTo: number | null;
  /** Earliest instant among rows absorbed since; null when there are none. */
  readonly dirtyFrom: number | null;
}

/** The window for which models are computed: `start` is 00:00 UTC of a day, `end` is exclusive, `now` the logical time of the result. */
export interface ModelWindow {
  readonly start: number;
  readonly end: number;
  readonly now: number;
}

/** Null when everything up to `to` is computed and no rows were absorbed since. */
export function modelWindow({ to, processedTo, dirtyFrom }: WindowInput): ModelWindow | null {
  const now = Math.max(to, processedTo ?? to);
  const isNew = processedTo === null || to > processedTo;
  const dirty = dirtyFrom !== null && dirtyFrom <= now ? dirtyFrom : null;
  if (!isNew && dirty === null) return null;
  const candidates = [dirty, processedTo === null ? null : processedTo + 1].filter((time) => time !== null);
  const first = candidates.length === 0 ? to : Math.min(...candidates, now);
  return { start: dayOf(Math.max(first, 0)), end: now + 1, now };
}

const DURATION = /^(\d+)(s|m|h|d)?$/;
const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: DAY_S } as const;

/** `300`, `5m`, `1h` or `1d` in seconds. Throws on anything else. */
export function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  const seconds = Number(match?.[1]) * UNIT_SECONDS[(match?.[2] ?? 's') as keyof typeof UNIT_SECONDS];
  if (match === null || seconds === 0)
    throw new Error(`"${text}" is not a duration: write 300, 5m, 1h or 1d.`);
  return seconds;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** An ISO 8601 instant (UTC unless it carries an offset), a date, or Unix seconds, as Unix seconds. Throws on anything else. */
export function parseInstant(text: string): number {
  if (/^\d{1,11}$/.test(text)) return Number(text);
  const [, day = '', time = '00:00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  const parsed = isCalendarDay(day) ? Date.parse(`${day}T${time}${zone}`) : Number.NaN;
  if (Number.isNaN(parsed))
    throw new Error(`"${text}" is not an instant: write 2026-01-31T09:00:00Z, 2026-01-31 or Unix seconds.`);
  return Math.floor(parsed / 1000);
}

/** JavaScript reads 30 February as 2 March; a command line must not. */
function isCalendarDay(day: string): boolean {
  const parsed = Date.parse(day);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(day);
}

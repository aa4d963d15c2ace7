// When the demo world's markets come under stress, for all affected domains: the same programme every thirty days, starting on the first
// day of these domains, which is early enough for a baseline to form before the first stress.

import { DAY_S, HOUR_S } from '../../../../platform/base/time.ts';
import type { Interval } from '../../../define/source.ts';
import { type DemoSettings, firstDay } from './settings.ts';

const MIN_DAYS = 20;
const PERIOD_S = 30 * DAY_S;
/** The crash, in seconds from the start of a period. */
export const CRASH_S = 16 * DAY_S + 5 * HOUR_S;

export interface Programme {
  /** 00:00 UTC of the first day, Unix seconds. */
  readonly start: number;
  /** Seconds since the start of the period that contains an instant; null in a world without incidents. */
  offset(at: number): number | null;
}

export function programme({ startedAt, days, incidents }: DemoSettings): Programme {
  const start = firstDay(startedAt, Math.max(days, MIN_DAYS));
  return { start, offset: (at) => (incidents ? (at - start) % PERIOD_S : null) };
}

/** Multiples of `step` in the interval, from `start`. */
export function* instants(start: number, { from, to }: Interval, step: number): Generator<number> {
  const after = Math.max(start - 1, from);
  for (let at = after - (after % step) + step; at <= to; at += step) yield at;
}

/** A factor that applies from `from` for `hold` seconds and then declines linearly over `fade` seconds. */
export function episode(
  offset: number | null,
  { from, hold, fade, factor }: { from: number; hold: number; fade: number; factor: number },
): number {
  if (offset === null || offset < from) return 1;
  const gone = Math.max(offset - from - hold, 0);
  return gone >= fade ? 1 : factor + (1 - factor) * (gone / fade);
}

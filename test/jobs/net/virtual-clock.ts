// A clock that jumps: whoever sleeps wakes when everyone else waits, too, and no real time passes.
import type { Clock } from '../../../jobs/net/clock.ts';

export interface VirtualClock extends Clock {
  /** Waits that were asked for, in milliseconds. */
  readonly slept: readonly number[];
}

export function virtualClock(startMs: number): VirtualClock {
  let now = startMs;
  const slept: number[] = [];
  return {
    slept,
    nowMs: () => now,
    async sleep(ms) {
      slept.push(ms);
      now += ms;
    },
  };
}

// A clock that jumps: when all tasks are waiting, the next sleeper wakes, and no real time passes.
import type { Clock } from '../../../../../jobs/sources/live/http/clock.ts';

export interface VirtualClock extends Clock {
  /** Requested waits, in milliseconds. */
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

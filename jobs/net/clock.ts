// Time as fetching needs it, passed in: tests run a month in seconds on a clock of their own.
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after that time, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay that a timer of Node takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock = (nowMs: () => number): Clock => ({
  nowMs,
  sleep: (ms, signal) =>
    delay(Math.min(Math.max(ms, 0), MAX_TIMER_MS), undefined, signal === undefined ? {} : { signal }).catch(
      (error: unknown) => {
        if (signal?.aborted !== true) throw error;
      },
    ),
});

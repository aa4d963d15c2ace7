// The clock that fetching uses. It is passed in, so that tests can run a month in seconds.
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after that time, or immediately when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay that a Node timer accepts; a longer one would fire immediately. */
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

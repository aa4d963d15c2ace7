// Requests per minute and subject (7.3, decision 30). A window opens with a subject's first request and lasts a minute, in which exactly
// `limit` requests pass. Uses a monotonic clock, so a step of the wall clock neither resets nor blocks a caller.
import { RATE_WINDOW_MS } from '../../schemas/plans.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Above this number of subjects the oldest are dropped, which bounds memory. */
export const MAX_SUBJECTS = 100_000;

export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the window ends. */
  readonly resetMs: number;
  readonly isExceeded: boolean;
}

export interface Limiter {
  /** Counts one request. A limiter that several servers share may be asynchronous. */
  take(subject: string, limit: number, nowMs: number): MaybePromise<Rate>;
  /** The rate without counting, as far as this server knows it. */
  look(subject: string, limit: number, nowMs: number): Rate;
  /** Drops windows that have ended. */
  sweep(nowMs: number): void;
  readonly subjects: number;
  /** Requests refused since the start. */
  readonly refused: number;
}

interface Window {
  readonly startedMs: number;
  count: number;
}

export class RateLimiter implements Limiter {
  readonly #windows = new Map<string, Window>();
  #refused = 0;

  /** Counts one request. */
  take(subject: string, limit: number, nowMs: number): Rate {
    const window = this.#open(subject, nowMs) ?? this.#begin(subject, nowMs);
    const isExceeded = window.count >= limit;
    if (isExceeded) this.#refused += 1;
    else window.count += 1;
    return rateOf(window, { limit, isExceeded, nowMs });
  }

  /** The rate without counting. */
  look(subject: string, limit: number, nowMs: number): Rate {
    const window = this.#open(subject, nowMs) ?? { startedMs: nowMs, count: 0 };
    return rateOf(window, { limit, isExceeded: window.count >= limit, nowMs });
  }

  /** Drops windows that have ended. */
  sweep(nowMs: number): void {
    for (const [subject, window] of this.#windows) {
      if (hasEnded(window, nowMs)) this.#windows.delete(subject);
    }
  }

  get subjects(): number {
    return this.#windows.size;
  }

  /** Requests refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  #open(subject: string, nowMs: number): Window | undefined {
    const window = this.#windows.get(subject);
    return window === undefined || hasEnded(window, nowMs) ? undefined : window;
  }

  #begin(subject: string, nowMs: number): Window {
    const window = { startedMs: nowMs, count: 0 };
    // Deleted first, so that the map stays ordered by the start of the windows.
    this.#windows.delete(subject);
    this.#windows.set(subject, window);
    if (this.#windows.size > MAX_SUBJECTS) this.#windows.delete(this.#windows.keys().next().value ?? '');
    return window;
  }
}

const hasEnded = ({ startedMs }: Window, nowMs: number) => nowMs - startedMs >= RATE_WINDOW_MS;

const rateOf = (
  { startedMs, count }: Window,
  { limit, isExceeded, nowMs }: { limit: number; isExceeded: boolean; nowMs: number },
): Rate => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetMs: startedMs + RATE_WINDOW_MS - nowMs,
  isExceeded,
});

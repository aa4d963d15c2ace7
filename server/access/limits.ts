// Counters of what callers use: requests per minute, and open streams. A single server counts in memory.

import type { MaybePromise } from '../../platform/base/tasks.ts';
import { RATE_WINDOW_MS } from '../../schemas/plans.ts';

export interface StreamSlots {
  /** Takes a place for one more stream of this owner; false if it already has `limit` streams. */
  take(owner: string, limit: number): MaybePromise<boolean>;
  /** Returns a place. */
  release(owner: string): void;
}

export interface Limits {
  /** Requests with a valid key, by organisation. */
  readonly keyed: Limiter;
  /** All others, by address. */
  readonly keyless: Limiter;
  /** Open data that people browse, by address or organisation. */
  readonly browsing: Limiter;
  /** Well-formed but unknown keys, by address. */
  readonly guesses: Limiter;
  readonly streams: StreamSlots;
  /** Whether this server counts alone although it should share counts with others. */
  readonly isAlone: boolean;
  stop(): Promise<void>;
}

export class LocalStreams implements StreamSlots {
  readonly #open = new Map<string, number>();

  take(owner: string, limit: number): boolean {
    const open = this.of(owner);
    if (open >= limit) return false;
    this.#open.set(owner, open + 1);
    return true;
  }

  release(owner: string): void {
    const open = this.of(owner) - 1;
    if (open > 0) this.#open.set(owner, open);
    else this.#open.delete(owner);
  }

  of(owner: string): number {
    return this.#open.get(owner) ?? 0;
  }

  get all(): readonly { readonly owner: string; readonly open: number }[] {
    return [...this.#open].map(([owner, open]) => ({ owner, open }));
  }
}

export const localLimits = (): Limits => ({
  keyed: new RateLimiter(),
  keyless: new RateLimiter(),
  browsing: new RateLimiter(),
  guesses: new RateLimiter(),
  streams: new LocalStreams(),
  isAlone: false,
  stop: async () => undefined,
});

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

/**
 * Requests per minute and subject (7.3, decision 30). A window opens with a subject's first request and lasts a minute, in which exactly
 * `limit` requests pass. Uses a monotonic clock, so a step of the wall clock neither resets nor blocks a caller.
 */
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

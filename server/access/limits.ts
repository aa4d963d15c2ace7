// Counters of what callers use: requests per minute, and open streams. A single server counts in memory.
import { type Limiter, RateLimiter } from './rate-limit.ts';
import type { MaybePromise } from './maybe-promise.ts';

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

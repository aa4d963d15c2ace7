// A cache with a bound in bytes, which also drops what has not been used for an hour. Its names contain a hash or a version, so most of what
// it holds is never read again once a few newer versions are there, and the bound alone would only be reached by holding all of it.
import { LRUCache } from 'lru-cache';

const MAX_IDLE_MS = 3_600_000;

interface CacheEntry<Value> {
  readonly value: Value;
  usedMs: number;
}

export class IdleCache<Value> {
  /** Ordered by their last use. */
  readonly #entries: LRUCache<string, CacheEntry<Value>>;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: maxBytes });
  }

  /** `nowMs`: Unix milliseconds. */
  get(name: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    entry.usedMs = nowMs;
    return entry.value;
  }

  /** `bytes`: what the value takes. One that takes more than the bound is not cached. */
  set(
    name: string,
    value: Value,
    { bytes, nowMs }: { readonly bytes: number; readonly nowMs: number },
  ): void {
    this.#entries.set(name, { value, usedMs: nowMs }, { size: Math.max(1, bytes) });
    this.#dropIdle(nowMs);
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  #dropIdle(nowMs: number): void {
    for (const name of this.#entries.rkeys()) {
      const entry = this.#entries.peek(name);
      if (entry !== undefined && nowMs - entry.usedMs <= MAX_IDLE_MS) return;
      this.#entries.delete(name);
    }
  }
}

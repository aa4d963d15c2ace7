// A clock of simulated time. It advances to the next moment someone waits for once all real work at the present moment is done, so a month
// with hundreds of concurrently waiting sources passes in minutes.
import type { Clock } from '../../../jobs/sources/live/http/clock.ts';

interface Sleeper {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Idle turns of the event loop after which everyone is waiting. */
const IDLE_TURNS = 3;

export class EventClock implements Clock {
  #nowMs: number;
  #sleepers: Sleeper[] = [];
  readonly #signals = new WeakMap<AbortSignal, Set<() => void>>();
  #order = 0;
  #working = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** Resolves at that time, or immediately once the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      if (signal?.aborted === true) return wake();
      this.#order += 1;
      const wakers = signal === undefined ? undefined : this.#wakersOf(signal);
      const wakeOnce = () => {
        wakers?.delete(wakeOnce);
        wake();
      };
      wakers?.add(wakeOnce);
      this.#insert({ atMs: this.#nowMs + Math.max(ms, 0), order: this.#order, wake: wakeOnce });
    });
  }

  /** One listener per signal: a month has more sleepers than a signal supports listeners. */
  #wakersOf(signal: AbortSignal): Set<() => void> {
    const known = this.#signals.get(signal);
    if (known !== undefined) return known;
    const wakers = new Set<() => void>();
    this.#signals.set(signal, wakers);
    const wakeAll = () => {
      for (const wake of wakers) wake();
    };
    signal.addEventListener('abort', wakeAll, { once: true });
    return wakers;
  }

  /** Real work, during which time stands still. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
    }
  }

  /** Advances time to that moment. */
  async runTo(endMs: number): Promise<void> {
    for (;;) {
      await this.#idle();
      const next = this.#sleepers.at(-1);
      if (next === undefined || next.atMs > endMs) break;
      this.#nowMs = next.atMs;
      while (this.#sleepers.at(-1)?.atMs === next.atMs) this.#sleepers.pop()?.wake();
    }
    this.#nowMs = endMs;
  }

  /** Latest first, because the next sleeper is taken from the end. */
  #insert(sleeper: Sleeper): void {
    let [low, high] = [0, this.#sleepers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.#sleepers[middle]?.atMs ?? 0;
      if (at > sleeper.atMs) low = middle + 1;
      else high = middle;
    }
    this.#sleepers.splice(low, 0, sleeper);
  }

  async #idle(): Promise<void> {
    for (let turns = 0; turns < IDLE_TURNS; turns++) {
      await new Promise((done) => setImmediate(done));
      if (this.#working > 0) turns = -1;
    }
  }
}

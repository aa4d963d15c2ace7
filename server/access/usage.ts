// Counts the requests of each organisation's UTC month: in memory as they come, in the store a few times a minute.
import type { OpsStore, UsageCount } from '../store/store.ts';

export interface Usage {
  /** Requests of the month of `nowMs`, with those that the store does not know yet. */
  requestsOf(org: string, nowMs: number): Promise<number>;
  /** When the month of `nowMs` ends. */
  monthEndMs(nowMs: number): number;
}

export class UsageCounter implements Usage {
  readonly #store: OpsStore;
  #counts = new Map<string, UsageCount>();
  #writing: Promise<void> = Promise.resolve();

  constructor(store: OpsStore) {
    this.#store = store;
  }

  count(org: string, nowMs: number): void {
    const month = monthOf(nowMs);
    const key = `${month} ${org}`;
    const known = this.#counts.get(key);
    this.#counts.set(key, { org, month, name: 'requests', count: (known?.count ?? 0) + 1 });
  }

  async requestsOf(org: string, nowMs: number): Promise<number> {
    const month = monthOf(nowMs);
    await this.#writing.catch(() => undefined);
    const { requests = 0 } = await this.#store.usage.of(org, month);
    return requests + (this.#counts.get(`${month} ${org}`)?.count ?? 0);
  }

  monthEndMs(nowMs: number): number {
    const day = new Date(nowMs);
    return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
  }

  /** What cannot be written now stays counted and is written with the next. */
  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const counts = [...this.#counts.values()];
    if (counts.length === 0) return;
    this.#counts = new Map();
    try {
      await this.#store.usage.add(counts);
    } catch (error) {
      for (const { org, month, name, count } of counts) {
        const key = `${month} ${org}`;
        this.#counts.set(key, { org, month, name, count: count + (this.#counts.get(key)?.count ?? 0) });
      }
      throw error;
    }
  }
}

/** `2026-03` */
export const monthOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 7);

// Counts requests per organisation and UTC month: in memory as they arrive, written to the store a few times a minute.
import type { OpsStore, UsageCount } from '../store/store.ts';

export interface Usage {
  /** Requests of the month of `nowMs`, including those not yet written to the store. */
  requestsOf(org: string, nowMs: number): Promise<number>;
  /** When the month of `nowMs` ends. */
  monthEndMs(nowMs: number): number;
}

type ByOrg = Map<string, number>;

export class UsageCounter implements Usage {
  readonly #store: OpsStore;
  /** By month, then organisation. */
  #counts = new Map<string, ByOrg>();
  /** Counts of the current month. */
  #now: ByOrg = new Map();
  #nowStartsMs = Number.POSITIVE_INFINITY;
  #nowEndsMs = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: OpsStore) {
    this.#store = store;
  }

  count(org: string, nowMs: number): void {
    if (nowMs < this.#nowStartsMs || nowMs >= this.#nowEndsMs) this.#turn(nowMs);
    this.#now.set(org, (this.#now.get(org) ?? 0) + 1);
  }

  async requestsOf(org: string, nowMs: number): Promise<number> {
    const month = monthOf(nowMs);
    await this.#writing.catch(() => undefined);
    const { requests = 0 } = await this.#store.usage.of(org, month);
    return requests + (this.#counts.get(month)?.get(org) ?? 0);
  }

  monthEndMs(nowMs: number): number {
    const day = new Date(nowMs);
    return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
  }

  /** Counts that cannot be written now are kept and written with the next flush. */
  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  #turn(nowMs: number): void {
    const month = monthOf(nowMs);
    this.#nowStartsMs = Date.parse(`${month}-01T00:00:00Z`);
    this.#nowEndsMs = this.monthEndMs(nowMs);
    this.#now = this.#ofMonth(month);
  }

  #ofMonth(month: string): ByOrg {
    const known = this.#counts.get(month) ?? new Map();
    this.#counts.set(month, known);
    return known;
  }

  async #write(): Promise<void> {
    const counts = this.#taken();
    if (counts.length === 0) return;
    try {
      await this.#store.usage.add(counts);
    } catch (error) {
      for (const { org, month, count } of counts) {
        const known = this.#ofMonth(month);
        known.set(org, count + (known.get(org) ?? 0));
      }
      throw error;
    }
  }

  /** Returns the counts and resets them. */
  #taken(): readonly UsageCount[] {
    const counts = [...this.#counts].flatMap(([month, orgs]) =>
      [...orgs].map(([org, count]) => ({ org, month, name: 'requests' as const, count })),
    );
    this.#counts = new Map();
    this.#nowEndsMs = Number.NEGATIVE_INFINITY;
    return counts;
  }
}

/** `2026-03` */
export const monthOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 7);

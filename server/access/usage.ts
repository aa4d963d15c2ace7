// Counts requests per organisation and UTC day, and their duration, in memory; writes them to the store a few times a minute, by day and by
// month.
import { serialQueue } from '../../platform/base/tasks.ts';
import { DAY_MS } from '../../platform/base/time.ts';
import { addTo, bucketOf } from '../store/latency-buckets.ts';
import { type OpsStore, TOOK, type UsageCount, type UsageDay, type UsageDays } from '../store/store.ts';

export interface Usage {
  /** Requests in the month of `nowMs`, including those not yet written to the store. */
  requestsOf(org: string, nowMs: number): Promise<number>;
  /** The last days up to that of `nowMs`, starting at the first counted day, likewise. A day without requests has zeros. */
  daysOf(org: string, asked: LastDays): Promise<UsageDays>;
  /** When the month of `nowMs` ends. */
  monthEndMs(nowMs: number): number;
}

export interface LastDays {
  readonly nowMs: number;
  readonly count: number;
}

interface MinuteCount {
  requests: number;
  errors: number;
  readonly took: Map<number, number>;
}

export interface CountedRequest {
  readonly nowMs: number;
  readonly isError?: boolean;
  /** Undefined for connections that stay open. */
  readonly tookMs?: number;
}

type ByOrg = Map<string, MinuteCount>;

export class UsageCounter implements Usage {
  readonly #store: OpsStore;
  /** By day, then organisation. */
  #counts = new Map<string, ByOrg>();
  /** Counts of the current day. */
  #now: ByOrg = new Map();
  #nowStartsMs = Number.POSITIVE_INFINITY;
  #nowEndsMs = Number.NEGATIVE_INFINITY;
  readonly #writing = serialQueue();

  constructor(store: OpsStore) {
    this.#store = store;
  }

  count(org: string, { nowMs, isError = false, tookMs }: CountedRequest): void {
    if (nowMs < this.#nowStartsMs || nowMs >= this.#nowEndsMs) this.#turn(nowMs);
    const counted = countedIn(this.#now, org);
    counted.requests += 1;
    if (isError) counted.errors += 1;
    if (tookMs === undefined) return;
    const bucket = bucketOf(tookMs);
    counted.took.set(bucket, (counted.took.get(bucket) ?? 0) + 1);
  }

  async requestsOf(org: string, nowMs: number): Promise<number> {
    const month = monthOf(nowMs);
    await this.#writing(async () => undefined);
    const { requests = 0 } = await this.#store.usage.of(org, month);
    const waiting = this.#waitingOf(org).filter(({ day }) => day.startsWith(month));
    return waiting.reduce((sum, day) => sum + day.requests, requests);
  }

  async daysOf(org: string, { nowMs, count }: LastDays): Promise<UsageDays> {
    const last = Array.from({ length: count }, (_, index) => dayOf(nowMs - (count - 1 - index) * DAY_MS));
    await this.#writing(async () => undefined);
    const stored = await this.#store.usage.daysOf(org, last[0] ?? '');
    const counts = Map.groupBy([...stored.days, ...this.#waitingOf(org)], ({ day }) => day);
    const [since = null] = [...(stored.since === null ? [] : [stored.since]), ...counts.keys()].sort();
    const days = last.filter((day) => since !== null && day >= since);
    return { since, days: days.map((day) => summed(day, counts.get(day) ?? [])) };
  }

  monthEndMs(nowMs: number): number {
    const day = new Date(nowMs);
    return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
  }

  /** Counts that cannot be written now are kept for the next flush. */
  flush(): Promise<void> {
    return this.#writing(() => this.#write());
  }

  #waitingOf(org: string): UsageDays['days'] {
    return [...this.#counts].flatMap(([day, orgs]) => {
      const counted = orgs.get(org);
      return counted === undefined ? [] : [{ day, ...counted }];
    });
  }

  #turn(nowMs: number): void {
    const day = dayOf(nowMs);
    this.#nowStartsMs = Date.parse(`${day}T00:00:00Z`);
    this.#nowEndsMs = this.#nowStartsMs + DAY_MS;
    this.#now = this.#ofDay(day);
  }

  #ofDay(day: string): ByOrg {
    const known = this.#counts.get(day) ?? new Map();
    this.#counts.set(day, known);
    return known;
  }

  async #write(): Promise<void> {
    const taken = this.#taken();
    if (taken.size === 0) return;
    try {
      await this.#store.usage.add([...taken].flatMap(([day, orgs]) => rowsOf(day, orgs)));
    } catch (error) {
      for (const [day, orgs] of taken)
        for (const [org, counted] of orgs) include(countedIn(this.#ofDay(day), org), counted);
      throw error;
    }
  }

  /** Returns the counts and resets them. */
  #taken(): ReadonlyMap<string, ByOrg> {
    const taken = this.#counts;
    this.#counts = new Map();
    this.#nowEndsMs = Number.NEGATIVE_INFINITY;
    return taken;
  }
}

function countedIn(orgs: ByOrg, org: string): MinuteCount {
  const known = orgs.get(org);
  if (known !== undefined) return known;
  const made = { requests: 0, errors: 0, took: new Map() };
  orgs.set(org, made);
  return made;
}

function include(all: MinuteCount, { requests, errors, took }: Omit<UsageDay, 'day'>): void {
  all.requests += requests;
  all.errors += errors;
  addTo(all.took, took);
}

function summed(day: string, counts: readonly Omit<UsageDay, 'day'>[]): UsageDay {
  const all: MinuteCount = { requests: 0, errors: 0, took: new Map() };
  for (const one of counts) include(all, one);
  return { day, ...all };
}

const rowsOf = (day: string, orgs: ByOrg): readonly UsageCount[] =>
  [...orgs].flatMap(([org, { requests, errors, took }]): UsageCount[] => [
    { org, period: day.slice(0, 7), name: 'requests', count: requests },
    { org, period: day, name: 'requests', count: requests },
    ...(errors > 0 ? [{ org, period: day, name: 'errors' as const, count: errors }] : []),
    ...[...took].map(([bucket, count]) => ({ org, period: day, name: `${TOOK}${bucket}` as const, count })),
  ]);

/** `2026-03` */
export const monthOf = (unixMs: number): string => dayOf(unixMs).slice(0, 7);

/** `2026-03-05` */
export const dayOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 10);

// Daily counts of a subscription's deliveries, counted in parts, newest first, so that other requests get their turn in between.
import { addTo, type Percentiles, percentilesOf } from '../define/latency.ts';
import type { OpsTables } from '../store/store.ts';
import type { DeliveryCount, DeliveryStatus, WebhookRecord } from '../store/webhook-store.ts';

const DAY_MS = 86_400_000;
/** Deliveries counted at a time. */
const PART = 20_000;
/** Maximum number of deliveries counted; older ones are ignored. */
const MAX_COUNTED = 1_000_000;
const STATUSES: readonly DeliveryStatus[] = ['delivered', 'retrying', 'pending', 'failed', 'skipped'];

export interface DeliveryDay extends Readonly<Record<DeliveryStatus, number>>, Percentiles {
  readonly day: string;
  readonly deliveries: number;
  readonly attempts: number;
  /** Mean over the last attempts, like the percentiles; null without an attempt. */
  readonly mean_duration_ms: number | null;
}

export interface DeliveryStatistics {
  /** Days on which the subscription existed, oldest first. */
  readonly days: readonly DeliveryDay[];
  /** False if the deliveries before the first of these days are too many to count. */
  readonly is_complete: boolean;
}

export async function statisticsOf(
  { deliveries }: OpsTables,
  { id, created_ms }: WebhookRecord,
  { days, nowMs }: { readonly days: number; readonly nowMs: number },
): Promise<DeliveryStatistics> {
  const today = dayOf(nowMs);
  const first = Math.max(today - days + 1, dayOf(created_ms));
  const counts: DeliveryCount[] = [];
  let before: string | undefined;
  for (let counted = 0; counted < MAX_COUNTED; counted += PART) {
    const part = await deliveries.tally(id, { before, limit: PART });
    counts.push(...part.counts);
    const isOlder = part.counts.some(({ day }) => day < first);
    if (part.oldest === null || isOlder) return { days: daysFrom(first, today, counts), is_complete: true };
    before = part.oldest;
  }
  // The oldest counted day may be incomplete, so it is left out.
  const oldest = Math.min(...counts.map(({ day }) => day));
  return { days: daysFrom(oldest + 1, today, counts), is_complete: false };
}

function daysFrom(first: number, last: number, counts: readonly DeliveryCount[]): readonly DeliveryDay[] {
  const byDay = Map.groupBy(counts, ({ day }) => day);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    dayWith(first + index, byDay.get(first + index) ?? []),
  );
}

function dayWith(day: number, counts: readonly DeliveryCount[]): DeliveryDay {
  const sum = (of: (count: DeliveryCount) => number, list = counts) =>
    list.reduce((total, count) => total + of(count), 0);
  const withStatus = (status: DeliveryStatus) =>
    sum(
      ({ deliveries }) => deliveries,
      counts.filter((count) => count.status === status),
    );
  const timed = counts.filter(({ bucket }) => bucket !== null);
  const all = sum(({ deliveries }) => deliveries, timed);
  const buckets = new Map<number, number>();
  for (const { bucket, deliveries } of timed) addTo(buckets, new Map([[bucket ?? 0, deliveries]]));
  return {
    day: new Date(day * DAY_MS).toISOString().slice(0, 10),
    deliveries: sum(({ deliveries }) => deliveries),
    ...(Object.fromEntries(STATUSES.map((status) => [status, withStatus(status)])) as Record<
      DeliveryStatus,
      number
    >),
    attempts: sum(({ attempts }) => attempts),
    mean_duration_ms: all === 0 ? null : Math.round(sum(({ duration_ms }) => duration_ms) / all),
    ...percentilesOf(buckets),
  };
}

const dayOf = (unixMs: number): number => Math.floor(unixMs / DAY_MS);

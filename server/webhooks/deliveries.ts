// Delivery records for callers, and the deliveries that callers request: tests and redeliveries.
import { ownMember } from '../../platform/base/own-member.ts';
import { DAY_MS } from '../../platform/base/time.ts';
import { randomUlid, ulidMs } from '../../platform/base/ulid.ts';
import type { Static } from '../../schemas/define.ts';
import { sampleAt } from '../../schemas/event.ts';
import { SAMPLES } from '../../schemas/events.ts';
import type { DeliverySchema, WebhookFormat } from '../../schemas/webhooks.ts';
import { Failure, fieldFailure } from '../define/failure.ts';
import type { ReplayLog } from '../replay/replay-log.ts';
import type { Actor } from '../store/actor.ts';
import { addTo, type Percentiles, percentilesOf } from '../store/latency-buckets.ts';
import type { OpsTables } from '../store/store.ts';
import type {
  DeliveryCount,
  DeliveryRecord,
  DeliveryStatus,
  NewDelivery,
  WebhookRecord,
} from '../store/webhook-store.ts';
import { isSigned } from './messages/targets.ts';
import { plainHeaders, triggerOf } from './post.ts';
import { MAX_ATTEMPTS } from './retry.ts';
import { findSubscription, isoOf, isoOrNull, type Owner } from './subscriptions.ts';

export interface DeliveriesDeps {
  readonly events: Pick<ReplayLog, 'asOfMs' | 'lastId'>;
  readonly nowMs: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

type View = Static<typeof DeliverySchema>;

export class Deliveries {
  readonly #deps: DeliveriesDeps;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
  }

  async list(
    tables: OpsTables,
    { org, id }: { org: string; id: string },
    slice: { before?: string | undefined; limit: number },
  ): Promise<View[]> {
    const { format } = await findSubscription(tables, org, id);
    return (await tables.deliveries.list(id, slice)).map((record) => deliveryView(record, format));
  }

  async statistics(
    tables: OpsTables,
    { org, id }: { org: string; id: string },
    days: number,
  ): Promise<DeliveryStatistics> {
    return statisticsOf(tables, await findSubscription(tables, org, id), { days, nowMs: this.#deps.nowMs() });
  }

  /** Sends a sample event of a type, which is in no log and is attempted once. */
  async test(
    tables: OpsTables,
    owner: Owner,
    { id, type }: { id: string; type: string | undefined },
  ): Promise<View> {
    const record = await activeSubscription(tables, owner.org, id);
    const event_type = type ?? record.events[0] ?? '';
    const sample = ownMember(SAMPLES, event_type);
    if (sample === undefined) throw fieldFailure('type', 'is not an event type');
    const nowMs = this.#deps.nowMs();
    const second = Math.floor(nowMs / 1_000);
    const { events, randomBytes } = this.#deps;
    const event_id = randomUlid(msBeforeNext(events, nowMs), randomBytes);
    const envelope = {
      event_id,
      ...sampleAt(sample, second),
      test: true,
      ts: new Date(second * 1_000).toISOString().replace('.000Z', 'Z'),
      type: event_type,
    };
    const delivery: NewDelivery = {
      webhook_id: id,
      event_id,
      event_type,
      subject_id: sample.subject_id,
      origin: 'test',
      most_attempts: 1,
      created_ms: nowMs,
      body: Buffer.from(JSON.stringify(envelope)),
    };
    return deliveryView(await tables.deliveries.add(delivery, actorOf(owner, nowMs)), record.format);
  }

  /** Delivers an event again, as a new delivery. `windowDays`: the replay window of the plan. */
  async redeliver(
    tables: OpsTables,
    owner: Owner,
    { id, deliveryId, windowDays }: { id: string; deliveryId: string; windowDays: number },
  ): Promise<View> {
    const { format } = await activeSubscription(tables, owner.org, id);
    const earlier = await tables.deliveries.get(id, deliveryId);
    if (earlier === undefined) throw new Failure('not_found', 'There is no such delivery.');
    this.#checkRedeliverable(earlier, windowDays);
    const nowMs = this.#deps.nowMs();
    const { event_id, event_type, subject_id, body } = earlier;
    const delivery: NewDelivery = {
      webhook_id: id,
      event_id,
      event_type,
      subject_id,
      origin: 'redeliver',
      most_attempts: MAX_ATTEMPTS,
      created_ms: nowMs,
      body,
    };
    return deliveryView(await tables.deliveries.add(delivery, actorOf(owner, nowMs)), format);
  }

  #checkRedeliverable({ event_id, status, body }: DeliveryRecord, windowDays: number): void {
    if (status === 'pending' || status === 'retrying')
      throw new Failure('conflict', 'This delivery has not ended: more attempts will follow.');
    // Test events and summaries are stored with their delivery, not in the log.
    if (body !== null) return;
    const nowMs = this.#deps.events.asOfMs ?? this.#deps.nowMs();
    if (ulidMs(event_id) >= nowMs - windowDays * DAY_MS) return;
    const message = `The event is older than the plan's replay window of ${windowDays} days.`;
    throw new Failure('conflict', message, { details: { window_days: windowDays } });
  }
}

async function activeSubscription(tables: OpsTables, org: string, id: string): Promise<WebhookRecord> {
  const record = await findSubscription(tables, org, id);
  if (record.status === 'active') return record;
  const { status, disabled_reason } = record;
  throw new Failure('conflict', `The subscription is ${status}: activate it first.`, {
    details: { status, disabled_reason },
  });
}

const actorOf = ({ keyId, requestId }: Owner, atMs: number): Actor => ({
  who: `key:${keyId}`,
  requestId,
  atMs,
});

/** A delivery record as callers see it (decision 46): times as ISO 8601. */
function deliveryView(record: DeliveryRecord, format: WebhookFormat): View {
  const { attempt, status } = record;
  const isOpen = status === 'pending' || status === 'retrying';
  return {
    id: record.id,
    webhook_id: record.webhook_id,
    event_id: record.event_id,
    event_type: record.event_type,
    subject_id: record.subject_id,
    url: record.url,
    status,
    attempt,
    max_attempts: record.most_attempts,
    trigger: triggerOf(record.origin, attempt),
    response_status: record.response_status,
    error: record.error,
    duration_ms: record.duration_ms,
    request_headers: record.attempted_ms === null ? {} : sentHeaders(record, format, record.attempted_ms),
    response_body: record.response_body,
    attempted_at: isoOrNull(record.attempted_ms),
    next_attempt_at: isOpen ? isoOrNull(record.next_ms) : null,
    created_at: isoOf(record.created_ms),
  };
}

/** Derived from the record, because headers are not stored. */
function sentHeaders(
  record: DeliveryRecord,
  format: WebhookFormat,
  attemptedMs: number,
): Record<string, string> {
  const list = [
    ...plainHeaders(record, { format, attempt: record.attempt, cursor: record.replay_cursor ?? '' }),
    ...(isSigned(format)
      ? ['webhook-id', record.event_id, 'webhook-timestamp', String(Math.floor(attemptedMs / 1_000))]
      : []),
  ];
  const headers: Record<string, string> = {};
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
}

/**
 * Unix milliseconds for an id that is in no log but may still be used as a cursor: before the newest event, so that all later ones sort
 * after it. The log's own next id may directly follow its newest, whatever any clock says.
 */
function msBeforeNext({ lastId, asOfMs }: DeliveriesDeps['events'], nowMs: number): number {
  const ms = lastId === undefined ? (asOfMs ?? nowMs) : ulidMs(lastId);
  return Math.max(0, ms - 1);
}

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

/** Daily counts of a subscription's deliveries, counted in parts, newest first, so that other requests get their turn in between. */
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

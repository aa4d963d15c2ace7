// Which delivery is next: the queue of each active subscription, the circuit breaker of its receiver, and the turns that organisations take.
import type { Sealer } from '../store/seal.ts';
import {
  type DueDeliveries,
  type DueDelivery,
  type DuePosition,
  type Health,
  secretBinding,
  type WebhookRecord,
} from '../store/webhook-store.ts';
import { type MessageTarget, openTarget } from './messages/targets.ts';
import { type SigningKey, signingKey } from './sign.ts';

/** Deliveries read per attempt that may be in progress. */
const READ_AHEAD = 4;

interface TimedKey {
  readonly key: SigningKey;
  readonly endsMs: number | null;
}

/** Deliveries of one active subscription that were read from the store, the limit of attempts in flight, and the receiver's health. */
export class DeliveryQueue {
  readonly id: string;
  readonly org: string;
  readonly #sealer: Sealer;
  readonly #max: number;
  #record: WebhookRecord;
  #keys: readonly TimedKey[];
  #target: MessageTarget;
  #circuit: Circuit;
  #health: Omit<Health, 'id'>;
  readonly #queue: DueDelivery[] = [];
  /** Ids of deliveries that were read but not settled: queued, in progress, or waiting to be written. */
  readonly #unsettled = new Set<string>();
  /** Ids settled during a read, which may still return their old state. */
  readonly #settledMeanwhile = new Set<string>();
  #isReading = false;
  /** The last delivery read of a backlog; undefined if the next read starts at its beginning. */
  #readTo: DuePosition | undefined;
  #isClosed = false;
  #nextDueMs = 0;
  inFlight = 0;
  /** Everything up to this event is delivered or abandoned; empty if unknown. */
  replayCursor = '';

  constructor(record: WebhookRecord, sealer: Sealer, max: number) {
    this.id = record.id;
    this.org = record.org;
    this.#sealer = sealer;
    this.#max = max;
    this.#record = record;
    this.#circuit = new Circuit(max);
    this.#keys = this.#open(record);
    this.#target = this.#targetOf(record);
    this.#health = healthOf(record);
  }

  get record(): WebhookRecord {
    return this.#record;
  }

  get health(): Health {
    return { id: this.id, ...this.#health };
  }

  /** Applies changes made by a caller, and reopens a closed queue. A receiver with a new URL starts with a clean record. */
  update(record: WebhookRecord): void {
    if (this.#isClosed) this.#reopen(record);
    if (record.url !== this.#record.url) this.#circuit = new Circuit(this.#max);
    this.#record = record;
    this.#keys = this.#open(record);
    this.#target = this.#targetOf(record);
    this.#nextDueMs = 0;
    this.#readTo = undefined;
  }

  /** Deliveries that were read may have been abandoned; those in progress are still unsettled. */
  #reopen(record: WebhookRecord): void {
    this.#isClosed = false;
    this.#health = healthOf(record);
    for (const { id } of this.#queue.splice(0)) this.#unsettled.delete(id);
  }

  #open(record: WebhookRecord): readonly TimedKey[] {
    return record.secrets.map(({ sealed, ends_ms }) => ({
      key: signingKey(this.#sealer.open(sealed, secretBinding(record.id)).toString('utf8')),
      endsMs: ends_ms,
    }));
  }

  #targetOf({ id, url, target }: WebhookRecord): MessageTarget {
    return target === null ? { url } : openTarget(this.#sealer, id, target);
  }

  /** Where messages are sent, with its secrets. */
  get target(): MessageTarget {
    return this.#target;
  }

  /** The keys that deliveries are signed with now, the current one first. */
  keys(nowMs: number): readonly SigningKey[] {
    const [current] = this.#keys;
    if (this.#keys.length === 1 && current?.endsMs === null) return [current.key];
    return this.#keys.filter(({ endsMs }) => endsMs === null || nowMs < endsMs).map(({ key }) => key);
  }

  /** Notes that a delivery falls due at this time. */
  expect(dueMs: number): void {
    this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
  }

  /** Number of deliveries worth reading now; 0 if nothing is due, enough is read, or a read is in progress. */
  wanted(nowMs: number): number {
    const max = this.#circuit.allowance(nowMs) * READ_AHEAD;
    if (this.#isClosed || this.#isReading || this.#nextDueMs > nowMs || this.#queue.length * 2 > max)
      return 0;
    return max;
  }

  /** Starts a read and returns which rows to query. A backlog is continued where the last read ended. */
  beginReading(wanted: number): { readonly limit: number; readonly after: DuePosition | undefined } {
    this.#isReading = true;
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    this.#settledMeanwhile.clear();
    const after = this.#readTo;
    return { limit: after === undefined ? this.#unsettled.size + wanted : wanted, after };
  }

  endReading({ due, next_ms, has_more }: Omit<DueDeliveries, 'oldest_event_id'>): void {
    for (const delivery of due) {
      if (this.#unsettled.has(delivery.id) || this.#settledMeanwhile.has(delivery.id)) continue;
      this.#unsettled.add(delivery.id);
      this.#queue.push(delivery);
    }
    this.#isReading = false;
    // If the clock went back, deliveries due before the end of an earlier read are found by the next read from the start.
    const isFromStart = this.#readTo === undefined;
    this.#readTo = has_more ? due.at(-1) : undefined;
    if (has_more || !isFromStart) this.#nextDueMs = 0;
    else if (next_ms !== null) this.expect(next_ms);
  }

  /** Called if the read failed; deliveries remain due. */
  failReading(nowMs: number): void {
    this.#isReading = false;
    this.expect(nowMs);
  }

  get isBusy(): boolean {
    return this.#unsettled.size > this.#queue.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing more is sent; attempts in progress finish. */
  close(): void {
    this.#isClosed = true;
  }

  isReady(nowMs: number): boolean {
    if (this.#isClosed) return false;
    return this.#queue.length > 0 && this.inFlight < this.#circuit.allowance(nowMs);
  }

  /** The next delivery; undefined if none may be sent now. */
  take(nowMs: number): DueDelivery | undefined {
    return this.isReady(nowMs) ? this.#queue.shift() : undefined;
  }

  /** Called when an attempt has ended. */
  note(isDelivered: boolean, isAnswered: boolean, nowMs: number): void {
    this.#circuit.record(isAnswered ? 'answered' : 'silent', nowMs);
    const { failing_since_ms } = this.#health;
    this.#health = isDelivered
      ? { ...this.#health, failing_since_ms: null, warned_ms: null, last_success_ms: nowMs }
      : { ...this.#health, failing_since_ms: failing_since_ms ?? nowMs, last_failure_ms: nowMs };
  }

  markWarned(nowMs: number): void {
    this.#health = { ...this.#health, warned_ms: nowMs };
  }

  /** Called when the result of an attempt has been written. */
  settled(deliveryId: string, nextMs: number | null): void {
    this.#unsettled.delete(deliveryId);
    if (this.#isReading) this.#settledMeanwhile.add(deliveryId);
    if (nextMs !== null) this.expect(nextMs);
  }
}

const healthOf = (record: WebhookRecord): Omit<Health, 'id'> => {
  const { failing_since_ms, warned_ms, last_success_ms, last_failure_ms } = record;
  return { failing_since_ms, warned_ms, last_success_ms, last_failure_ms };
};

const FIRST_ALLOWANCE = 4;
const TRIP_AFTER = 5;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;

/**
 * How many attempts one receiver may have in progress: few at first, more while it responds, fewer when it fails, and one now and then while
 * it does not respond at all. Waiting attempts stay in the queue and do not count as failed.
 */
export class Circuit {
  readonly #max: number;
  #allowance: number;
  #silences = 0;
  #pauseMs = 0;
  /** Nothing is sent before this time; 0 if closed. */
  #openUntilMs = 0;

  constructor(max: number) {
    this.#max = max;
    this.#allowance = Math.min(FIRST_ALLOWANCE, max);
  }

  /** Number of attempts that may be in progress at once. */
  allowance(nowMs: number): number {
    if (this.#pauseMs === 0) return this.#allowance;
    return nowMs >= this.#openUntilMs ? 1 : 0;
  }

  /** `answered`: any HTTP response. `silent`: no connection, or no complete response in time. */
  record(response: 'answered' | 'silent', nowMs: number): void {
    if (response === 'answered') {
      this.#allowance = Math.min(this.#max, this.#allowance + 1);
      this.#silences = 0;
      this.#pauseMs = 0;
      return;
    }
    this.#silences++;
    this.#allowance = Math.max(1, Math.floor(this.#allowance / 2));
    if (this.#silences < TRIP_AFTER) return;
    // Attempts that were in progress together when the receiver stopped responding count as one reason to pause.
    if (nowMs < this.#openUntilMs) return;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs === 0 ? FIRST_PAUSE_MS : this.#pauseMs * 2);
    this.#openUntilMs = nowMs + this.#pauseMs;
  }
}

/** A delivery taken from its queue, and counted there as in progress. */
export interface QueuedDelivery {
  readonly queue: DeliveryQueue;
  readonly delivery: DueDelivery;
}

interface Org {
  readonly ready: Set<DeliveryQueue>;
  inFlight: number;
}

/**
 * Whose attempt is next: organisations take turns, and so do the subscriptions of each, up to their limits of attempts in progress. An
 * organisation with much to send, or with hanging receivers, costs the others at most one turn.
 */
export class RoundRobin {
  readonly #maxPerOrg: number;
  readonly #orgs = new Map<string, Org>();
  /** Organisations that may have a turn, in the order of their turns. */
  readonly #waiting = new Set<Org>();

  constructor(maxPerOrg: number) {
    this.#maxPerOrg = maxPerOrg;
  }

  /** Notes that the queue may have something to send. */
  offer(queue: DeliveryQueue): void {
    const org = this.#orgs.get(queue.org) ?? { ready: new Set(), inFlight: 0 };
    this.#orgs.set(queue.org, org);
    org.ready.add(queue);
    if (org.inFlight < this.#maxPerOrg) this.#waiting.add(org);
  }

  /** The delivery whose turn it is; undefined if none can be sent. */
  take(nowMs: number): QueuedDelivery | undefined {
    for (const org of this.#waiting) {
      this.#waiting.delete(org);
      const taken = takeFrom(org, nowMs);
      if (taken === undefined) continue;
      org.inFlight++;
      taken.queue.inFlight++;
      if (org.inFlight < this.#maxPerOrg && org.ready.size > 0) this.#waiting.add(org);
      return taken;
    }
    return undefined;
  }

  /** Called when an attempt in progress has ended. */
  release(queue: DeliveryQueue): void {
    queue.inFlight--;
    const org = this.#orgs.get(queue.org);
    if (org === undefined) return;
    org.inFlight--;
    org.ready.add(queue);
    this.#waiting.add(org);
  }

  /** Drops idle organisations. */
  sweep(): void {
    for (const [name, org] of this.#orgs) {
      if (org.inFlight > 0 || org.ready.size > 0) continue;
      this.#orgs.delete(name);
      this.#waiting.delete(org);
    }
  }
}

/** Removes queues that cannot send now; they are offered again when that changes. */
function takeFrom(org: Org, nowMs: number): QueuedDelivery | undefined {
  for (const queue of org.ready) {
    org.ready.delete(queue);
    const delivery = queue.take(nowMs);
    if (delivery === undefined) continue;
    org.ready.add(queue);
    return { queue, delivery };
  }
  return undefined;
}

// The delivery queue of one active subscription: deliveries read from the store, the limit of attempts in flight, and the receiver's
// health.
import type { Sealer } from '../store/seal.ts';
import type { DueDeliveries, DueDelivery, DuePlace, Health, WebhookRecord } from '../store/webhook-store.ts';
import { Circuit } from './circuit.ts';
import { type SigningKey, signingKey } from './sign.ts';

/** The place to which the sealed secrets of a subscription are bound. */
export const secretPlace = (id: string): string => `signing secret of ${id}`;

/** Deliveries read per attempt that may be in progress. */
const READ_AHEAD = 4;

interface TimedKey {
  readonly key: SigningKey;
  readonly endsMs: number | null;
}

export class DeliveryQueue {
  readonly id: string;
  readonly org: string;
  readonly #sealer: Sealer;
  readonly #max: number;
  #record: WebhookRecord;
  #keys: readonly TimedKey[];
  #circuit: Circuit;
  #health: Omit<Health, 'id'>;
  readonly #queue: DueDelivery[] = [];
  /** Ids of deliveries that were read but not settled: queued, in progress, or waiting to be written. */
  readonly #held = new Set<string>();
  /** Ids settled during a read, which may still return their old state. */
  readonly #settledMeanwhile = new Set<string>();
  #isReading = false;
  /** The last delivery read of a backlog; undefined if the next read starts at its beginning. */
  #readTo: DuePlace | undefined;
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
    this.#nextDueMs = 0;
    this.#readTo = undefined;
  }

  /** Deliveries that were read may have been abandoned; those in progress are still held. */
  #reopen(record: WebhookRecord): void {
    this.#isClosed = false;
    this.#health = healthOf(record);
    for (const { id } of this.#queue.splice(0)) this.#held.delete(id);
  }

  #open(record: WebhookRecord): readonly TimedKey[] {
    return record.secrets.map(({ sealed, ends_ms }) => ({
      key: signingKey(this.#sealer.open(sealed, secretPlace(record.id)).toString('utf8')),
      endsMs: ends_ms,
    }));
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
  beginReading(wanted: number): { readonly limit: number; readonly after: DuePlace | undefined } {
    this.#isReading = true;
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    this.#settledMeanwhile.clear();
    const after = this.#readTo;
    return { limit: after === undefined ? this.#held.size + wanted : wanted, after };
  }

  endReading({ due, next_ms, has_more }: Omit<DueDeliveries, 'oldest_event_id'>): void {
    for (const delivery of due) {
      if (this.#held.has(delivery.id) || this.#settledMeanwhile.has(delivery.id)) continue;
      this.#held.add(delivery.id);
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
    return this.#held.size > this.#queue.length;
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

  take(): DueDelivery | undefined {
    return this.#queue.shift();
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
    this.#held.delete(deliveryId);
    if (this.#isReading) this.#settledMeanwhile.add(deliveryId);
    if (nextMs !== null) this.expect(nextMs);
  }
}

const healthOf = (record: WebhookRecord): Omit<Health, 'id'> => {
  const { failing_since_ms, warned_ms, last_success_ms, last_failure_ms } = record;
  return { failing_since_ms, warned_ms, last_success_ms, last_failure_ms };
};

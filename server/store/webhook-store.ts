// What the store remembers of webhooks: subscriptions, deliveries, and how far the event log is turned into deliveries. Times are
// Unix milliseconds. One process at a time dispatches; any may read and change subscriptions.
import type { Actor } from './actor.ts';

export type WebhookStatus = 'active' | 'paused' | 'disabled';
export type DisabledReason = 'failing' | 'gone' | 'plan' | 'blocked_url';

export interface SealedSecret {
  readonly sealed: Uint8Array;
  /** Until when deliveries are signed with it too; null for the current one. */
  readonly ends_ms: number | null;
}

export interface WebhookRecord {
  /** `wh_` and a ULID. */
  readonly id: string;
  readonly org: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly status: WebhookStatus;
  readonly disabled_reason: DisabledReason | null;
  /** First characters of the current secret, to recognise it by. */
  readonly secret_prefix: string;
  /** The current one first. */
  readonly secrets: readonly SealedSecret[];
  /** Only events after this one are delivered; null: all that come. */
  readonly starts_after: string | null;
  readonly failing_since_ms: number | null;
  /** When it was warned of that it will be disabled; null when it was not, since the last success. */
  readonly warned_ms: number | null;
  readonly last_success_ms: number | null;
  readonly last_failure_ms: number | null;
  readonly created_ms: number;
  readonly updated_ms: number;
}

export type WebhookChanges = Partial<Omit<WebhookRecord, 'id' | 'org' | 'created_ms' | 'updated_ms'>>;

export interface Change {
  /** What the audit log says: `webhook.update`. */
  readonly action: string;
  readonly changes: WebhookChanges;
}

/** Part of a list, newest first: those with smaller ids than `before`. */
export interface Slice {
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface WebhookStore {
  create(webhook: WebhookRecord, actor: Actor): Promise<void>;
  get(org: string, id: string): Promise<WebhookRecord | undefined>;
  list(org: string, slice: Slice): Promise<readonly WebhookRecord[]>;
  count(org: string): Promise<number>;
  /** @throws StoreConflictError when there is no such subscription. */
  change(id: string, change: Change, actor: Actor): Promise<WebhookRecord>;
  /** Its deliveries go with it. @throws StoreConflictError when there is no such subscription. */
  remove(id: string, actor: Actor): Promise<void>;
  /** Subscriptions of all organisations. */
  all(): Promise<readonly WebhookRecord[]>;
  /** Another number after every change of a subscription and every delivery that a caller asked for. Costs next to nothing. */
  revision(): Promise<number>;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'retrying' | 'failed' | 'skipped';
export type DeliveryOrigin = 'event' | 'redeliver' | 'test';

export interface NewDelivery {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly subject_id: string;
  readonly origin: DeliveryOrigin;
  readonly most_attempts: number;
  /** Also when it is first due. */
  readonly created_ms: number;
  /** What is sent, where the event log does not have it. */
  readonly body: Uint8Array | null;
}

export interface DeliveryRecord extends NewDelivery {
  /** `dlv_` and digits; later ones are greater. */
  readonly id: string;
  readonly status: DeliveryStatus;
  /** Attempts made. */
  readonly attempt: number;
  readonly next_ms: number | null;
  readonly attempted_ms: number | null;
  readonly duration_ms: number | null;
  /** Where the last attempt went. */
  readonly url: string | null;
  readonly response_status: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly response_body: string | null;
  /** What the last attempt's `Service-Replay-Cursor` said. */
  readonly replay_cursor: string | null;
}

/** What an attempt changes about its delivery. */
export type AttemptRecord = Pick<
  DeliveryRecord,
  | 'id'
  | 'status'
  | 'attempt'
  | 'next_ms'
  | 'attempted_ms'
  | 'duration_ms'
  | 'url'
  | 'response_status'
  | 'error'
  | 'response_body'
  | 'replay_cursor'
>;

export type Health = Pick<
  WebhookRecord,
  'id' | 'failing_since_ms' | 'warned_ms' | 'last_success_ms' | 'last_failure_ms'
>;

/** What is needed of a delivery to send it. */
export type DueDelivery = Pick<
  DeliveryRecord,
  'id' | 'event_id' | 'origin' | 'attempt' | 'most_attempts' | 'body'
> & { readonly next_ms: number };

/** Where a delivery stands among those that are due. */
export type DuePlace = Pick<DueDelivery, 'id' | 'next_ms'>;

/** A delivery that is put off: no attempt was made. */
export interface Postponement {
  readonly id: string;
  readonly status: 'postponed';
  readonly next_ms: number;
}

export interface DueSlice {
  readonly limit: number;
  readonly after?: DuePlace | undefined;
}

export interface DueDeliveries {
  /** In order of being due. */
  readonly due: readonly DueDelivery[];
  /** There may be more that are due. */
  readonly has_more: boolean;
  /** When the next one that is not due yet will be; null when there is none, or when it was not looked for. */
  readonly next_ms: number | null;
  /** Event of the oldest delivery that has not ended; tests and redeliveries do not count. */
  readonly oldest_event_id: string | null;
}

export interface EnqueuedTo {
  readonly cursor: string;
  readonly revision: number;
  /** Organisations that are behind the cursor from now on, at this event; null: not any more. */
  readonly behind?: ReadonlyMap<string, string | null>;
}

export interface DeliveryStore {
  /** Last event that is turned into deliveries; null before the first. */
  cursor(): Promise<string | null>;
  /** Organisations whose deliveries are made up to another event than the cursor, in the order in which they were moved. */
  behind(): Promise<ReadonlyMap<string, string>>;
  /**
   * Adds deliveries, due at once, and moves the cursors, all or nothing. False, and nothing done, when the revision is another by
   * now: the deliveries were made for subscriptions that have changed.
   */
  enqueue(to: EnqueuedTo, deliveries: readonly NewDelivery[]): Promise<boolean>;
  /** A delivery that a caller asked for. */
  add(delivery: NewDelivery, actor: Actor): Promise<DeliveryRecord>;
  /** Those after a place, or from the first one on. */
  due(webhookId: string, nowMs: number, slice: DueSlice): Promise<DueDeliveries>;
  /** What attempts came to, and how receivers are doing. A delivery that was given up meanwhile stays so unless it arrived. */
  settle(attempts: readonly (AttemptRecord | Postponement)[], healths: readonly Health[]): Promise<void>;
  /** Gives up some of a subscription's open deliveries; says how many. */
  skip(webhookId: string, error: { code: string; message: string }, limit: number): Promise<number>;
  get(webhookId: string, id: string): Promise<DeliveryRecord | undefined>;
  list(webhookId: string, slice: Slice): Promise<readonly DeliveryRecord[]>;
  /** Removes some deliveries made before, and of deleted subscriptions; says how many. */
  forget(beforeMs: number, limit: number): Promise<number>;
  /** Whether this process dispatches: true for one of all those that have the store open, until it ends. */
  lead(): Promise<boolean>;
}

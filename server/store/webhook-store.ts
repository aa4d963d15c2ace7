// Webhooks in the store: subscriptions, deliveries, and how far the event log has been enqueued as deliveries. Times are Unix milliseconds.
// Only one process at a time dispatches; any process may read and change subscriptions.
import type { Severity } from '../../schemas/event.ts';
import type { WebhookFormat } from '../../schemas/webhooks.ts';
import type { Actor } from './actor.ts';

export type WebhookStatus = 'active' | 'paused' | 'disabled';
export type DisabledReason = 'failing' | 'gone' | 'plan' | 'blocked_url';

export interface SealedSecret {
  readonly sealed: Uint8Array;
  /** Until when deliveries are also signed with this secret; null for the current one. */
  readonly ends_ms: number | null;
}

/** What the sealed secrets of a subscription are bound to: a secret copied to another subscription cannot be opened. */
export const secretBinding = (id: string): string => `signing secret of ${id}`;

/** What an event must have, in addition to one of the types. An absent member asks for nothing. */
export interface WebhookFilters {
  readonly min_severity?: Severity;
  readonly protocols?: readonly string[];
  readonly chains?: readonly string[];
  /** Exact `subject_id`s. */
  readonly subjects?: readonly string[];
}

/** At most one message about a subject in so many minutes; what comes in between and is not more severe is counted and sent together. */
export interface Grouping {
  readonly minutes: number;
}

/** Local times, `HH:MM`, between which nothing is sent; afterwards a digest is. */
export interface QuietHours {
  /** Name in the IANA time zone database. */
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  /** Severities that are sent in quiet hours too. */
  readonly always_send: readonly Severity[];
}

export interface WebhookRecord {
  /** `wh_` and a ULID. */
  readonly id: string;
  readonly org: string;
  readonly format: WebhookFormat;
  /** The receiver's address; if `target` has it, its host and a fingerprint. */
  readonly url: string;
  /** Sealed address and key of a chat or paging product; null for receivers that verify signatures. */
  readonly target: Uint8Array | null;
  readonly filters: WebhookFilters;
  /** Null if every event is sent for itself. */
  readonly grouping: Grouping | null;
  readonly quiet_hours: QuietHours | null;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly status: WebhookStatus;
  readonly disabled_reason: DisabledReason | null;
  /** First characters of the current secret, which identify it. */
  readonly secret_prefix: string;
  /** The current secret comes first. */
  readonly secrets: readonly SealedSecret[];
  /** Only events after this one are delivered; null for all new events. */
  readonly starts_after: string | null;
  readonly failing_since_ms: number | null;
  /** When the upcoming disabling was announced; null if not announced since the last success. */
  readonly warned_ms: number | null;
  readonly last_success_ms: number | null;
  readonly last_failure_ms: number | null;
  readonly created_ms: number;
  readonly updated_ms: number;
}

export type WebhookChanges = Partial<
  Omit<WebhookRecord, 'id' | 'org' | 'format' | 'created_ms' | 'updated_ms'>
>;

export interface Change {
  /** Name in the audit log: `webhook.update`. */
  readonly action: string;
  readonly changes: WebhookChanges;
}

/** Part of a list, newest first: records with ids smaller than `before`. */
export interface Slice {
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface WebhookStore {
  create(webhook: WebhookRecord, actor: Actor): Promise<void>;
  get(org: string, id: string): Promise<WebhookRecord | undefined>;
  list(org: string, slice: Slice): Promise<readonly WebhookRecord[]>;
  count(org: string): Promise<number>;
  /** @throws StoreConflictError if there is no such subscription. */
  change(id: string, change: Change, actor: Actor): Promise<WebhookRecord>;
  /** Also deletes its deliveries and what it holds back. @throws StoreConflictError if there is no such subscription. */
  remove(id: string, actor: Actor): Promise<void>;
  /** Subscriptions of all organisations. */
  all(): Promise<readonly WebhookRecord[]>;
  /** Differs after every change of a subscription and every delivery that a caller requested. Cheap. */
  revision(): Promise<number>;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'retrying' | 'failed' | 'skipped';
/** `group`: sent by grouping, or at the end of quiet hours. */
export type DeliveryOrigin = 'event' | 'group' | 'redeliver' | 'test';

export interface NewDelivery {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly subject_id: string;
  readonly origin: DeliveryOrigin;
  readonly most_attempts: number;
  /** Also the time at which the delivery is first due. */
  readonly created_ms: number;
  /** The body to send, if it is not an event of the log: a test event or a summary. */
  readonly body: Uint8Array | null;
}

export interface DeliveryRecord extends NewDelivery {
  /** `dlv_` and digits; later deliveries have greater ids. */
  readonly id: string;
  readonly status: DeliveryStatus;
  /** Attempts made. */
  readonly attempt: number;
  readonly next_ms: number | null;
  readonly attempted_ms: number | null;
  readonly duration_ms: number | null;
  /** URL of the last attempt. */
  readonly url: string | null;
  readonly response_status: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly response_body: string | null;
  /** `Service-Replay-Cursor` of the last attempt. */
  readonly replay_cursor: string | null;
}

/** The fields of a delivery that an attempt changes. */
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

/** The fields of a delivery that sending requires. */
export type DueDelivery = Pick<
  DeliveryRecord,
  'id' | 'event_id' | 'event_type' | 'origin' | 'attempt' | 'most_attempts' | 'body'
> & { readonly next_ms: number };

/** Position of a delivery among the due ones. */
export type DuePosition = Pick<DueDelivery, 'id' | 'next_ms'>;

/** A postponed delivery, for which no attempt was made. */
export interface Postponement {
  readonly id: string;
  readonly status: 'postponed';
  readonly next_ms: number;
}

export interface DueSlice {
  readonly limit: number;
  readonly after?: DuePosition | undefined;
}

export interface DueDeliveries {
  /** In order of due time. */
  readonly due: readonly DueDelivery[];
  /** Whether more may be due. */
  readonly has_more: boolean;
  /** When the next delivery is due; null if there is none or it was not queried. */
  readonly next_ms: number | null;
  /** The oldest event that is held back or whose delivery is open, not counting tests and redeliveries. */
  readonly oldest_event_id: string | null;
}

export interface EnqueuedTo {
  readonly cursor: string;
  readonly revision: number;
  /** Organisations that are now behind the cursor, with their last event; null for no longer behind. */
  readonly behind?: ReadonlyMap<string, string | null>;
}

/** What is known about events of one subject that are held back to be sent together. */
export interface HeldEvents {
  readonly subject_id: string;
  readonly chain: string | null;
  readonly protocol: string | null;
  /** Symbol of the asset, if the events carry it. */
  readonly symbol: string | null;
  readonly count: number;
  /** Numbers of events by type. */
  readonly types: Readonly<Record<string, number>>;
  /** The highest; null if one is unknown, which is not a low one. */
  readonly severity: Severity | null;
  readonly first_event_id: string;
  readonly last_event_id: string;
  readonly last_type: string;
  /** Earliest and latest time of the events, ISO 8601. */
  readonly from: string;
  readonly to: string;
}

/**
 * Events that a subscription holds back. `window`: of a subject, until `ends_ms`; `held` is null while nothing is. `quiet`: of a subject,
 * until the quiet hours end. `single`: one event that is sent for itself then; its name is its id.
 */
export interface EventGroup {
  readonly webhook_id: string;
  readonly kind: 'window' | 'quiet' | 'single';
  readonly name: string;
  readonly ends_ms: number | null;
  /** The highest that was sent in a window; null if one was unknown, which is not a low one. */
  readonly severity: Severity | null;
  readonly held: HeldEvents | null;
}

/** `group` replaces the one with the same subscription, kind and name; null deletes it. */
export interface GroupChange extends Pick<EventGroup, 'webhook_id' | 'kind' | 'name'> {
  readonly group: EventGroup | null;
}

/** Deliveries created on the same UTC day, with the same status, whose last attempts have durations in the same bucket. */
export interface DeliveryCount {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly status: DeliveryStatus;
  readonly deliveries: number;
  readonly attempts: number;
  /** Total duration of the last attempts that have one. */
  readonly duration_ms: number;
  /** Bucket of these durations; null without a duration. */
  readonly bucket: number | null;
}

export interface DeliveryTally {
  readonly counts: readonly DeliveryCount[];
  /** The oldest delivery of the part, for counting those before it; null if there are no more. */
  readonly oldest: string | null;
}

export interface DeliveryStore {
  /** Last enqueued event; null before the first. */
  cursor(): Promise<string | null>;
  /** Organisations whose deliveries are enqueued up to an event other than the cursor, in the order in which they were last moved. */
  behind(): Promise<ReadonlyMap<string, string>>;
  /**
   * Atomically adds deliveries, due at once, changes what is held back, and moves the cursors. If the revision has changed, the deliveries
   * were created for outdated subscriptions: returns false and changes nothing.
   */
  enqueue(
    to: EnqueuedTo,
    deliveries: readonly NewDelivery[],
    groups?: readonly GroupChange[],
  ): Promise<boolean>;
  /** What all subscriptions hold back. */
  groups(): Promise<readonly EventGroup[]>;
  /** Adds a delivery that a caller requested. */
  add(delivery: NewDelivery, actor: Actor): Promise<DeliveryRecord>;
  /** Due deliveries after a position, or from the first one on. */
  due(webhookId: string, nowMs: number, slice: DueSlice): Promise<DueDeliveries>;
  /** Stores results of attempts and the health of receivers. A delivery abandoned meanwhile stays abandoned unless it arrived. */
  settle(attempts: readonly (AttemptRecord | Postponement)[], healths: readonly Health[]): Promise<void>;
  /** Abandons up to `limit` open deliveries of a subscription. Returns how many. */
  skip(webhookId: string, error: { code: string; message: string }, limit: number): Promise<number>;
  get(webhookId: string, id: string): Promise<DeliveryRecord | undefined>;
  list(webhookId: string, slice: Slice): Promise<readonly DeliveryRecord[]>;
  /** Counts a part of the list. The cost depends only on the length of that part. */
  tally(webhookId: string, slice: Slice): Promise<DeliveryTally>;
  /** Deletes up to `limit` deliveries that are older or belong to deleted subscriptions. Returns how many. */
  forget(beforeMs: number, limit: number): Promise<number>;
  /** Whether this process dispatches: true, until it ends, for one of the processes that have the store open. */
  lead(): Promise<boolean>;
}

// What the server stores in addition to snapshots: keys, the audit log, idempotent responses. An interface that another database can
// implement; a conformance test suite specifies every implementation. Times are Unix milliseconds. Every method throws
// StoreUnavailableError if the store cannot be read or written now, and has then changed nothing.

import type { Plan, PlanName, Scope } from '../../schemas/plans.ts';
import type { Actor } from './actor.ts';
import type { Buckets } from './latency-buckets.ts';
import type { DeliveryStore, WebhookStore } from './webhook-store.ts';

export interface KeyRecord {
  /** `key_` and a ULID. Not secret. */
  readonly id: string;
  readonly org: string;
  readonly plan: PlanName;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the whole key, hex. The key itself is not stored. */
  readonly hash: string;
  /** First characters of the key, which identify it in lists. */
  readonly prefix: string;
  /** Contractual deviations from the plan's limits. */
  readonly limits: Partial<Omit<Plan, 'rank'>>;
  readonly created_ms: number;
  readonly expires_ms: number | null;
  readonly revoked_ms: number | null;
}

/** Changes to keys since a revision. */
export interface KeyChanges {
  readonly revision: number;
  readonly keys: readonly KeyRecord[];
  /** Ids of keys whose rows do not match the audit log, which makes them invalid. */
  readonly forged: readonly string[];
  /** Whether `keys` holds all keys, not only changed ones. */
  readonly isWhole: boolean;
}

export interface KeyStore {
  /** @throws StoreConflictError if the key already exists. */
  create(key: KeyRecord, actor: Actor): Promise<void>;
  get(id: string): Promise<KeyRecord | undefined>;
  /** All rows, whether or not they match the audit log. */
  list(org?: string): Promise<readonly KeyRecord[]>;
  /** The keys whose rows match the audit log. */
  logged(org: string): Promise<readonly KeyRecord[]>;
  /** Ids of keys whose rows do not match the audit log, or are missing. */
  unlogged(): Promise<readonly string[]>;
  /**
   * Adds the new key and ends the old one at `oldEndsMs` at the latest; both or neither.
   * @throws StoreConflictError if the old key does not exist, has ended, or does not match the audit log.
   */
  rotate(change: { oldId: string; oldEndsMs: number; next: KeyRecord }, actor: Actor): Promise<void>;
  /** False if it was already revoked. @throws StoreConflictError if there is no such key. */
  revoke(id: string, actor: Actor): Promise<boolean>;
  /** Differs after every change by any process. Cheap. */
  revision(): Promise<number>;
  /** Keys changed after a revision; all keys if it is null or not a revision of this store. */
  changedSince(revision: number | null): Promise<KeyChanges>;
}

export interface AuditEntry {
  readonly seq: number;
  readonly at_ms: number;
  readonly who: string;
  readonly action: string;
  readonly subject: string;
  readonly request_id: string | null;
  /** What changed, without any secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly previous_hash: string;
  /** Keyed hash of all of the above, canonical JSON. */
  readonly hash: string;
}

export interface AuditLog {
  list(after: number, limit: number): Promise<readonly AuditEntry[]>;
  /** Sequence number of the first entry that breaks the chain; undefined if none does. */
  verify(): Promise<number | undefined>;
  /** Why the head of the log could not be written next to the store after the last change; undefined if it was written. */
  headFault(): Promise<unknown>;
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** `begun`: this request is the first and must settle. `busy`: the first is still in progress. `other`: same key, different request. */
export type Begun =
  | { readonly state: 'begun' | 'busy' | 'other' }
  | { readonly state: 'done'; readonly response: StoredResponse };

/**
 * One effect per key of an organisation, even if a process dies between the effect and its response: apply the effect and `settle` in one
 * `transact`. After a crash, either both exist and the response is replayed, or neither does and the next request takes over the claim,
 * because a claim ends with the process that made it. An effect outside the store, such as a request to a third party, may then happen
 * twice. Responses are stored sealed, because some contain a secret that is shown once.
 */
export interface IdempotencyStore {
  begin(claim: { org: string; key: string; fingerprint: string; nowMs: number }): Promise<Begun>;
  /** @throws StoreConflictError if this process does not hold the claim: roll back, nothing was changed. */
  settle(done: { org: string; key: string; response: StoredResponse; nowMs: number }): Promise<void>;
  /** Drops the claim without a response, so the next request with the key is the first. Does nothing without a claim of this process. */
  release(org: string, key: string): Promise<void>;
  /** Deletes older responses and claims. Returns how many. */
  forget(beforeMs: number): Promise<number>;
}

/** Prefix of the names of counts by duration. */
export const TOOK = 'took_';

/** Usage counts of an organisation in a UTC month or on a UTC day. */
export interface UsageCount {
  readonly org: string;
  /** `2026-03` or `2026-03-05` */
  readonly period: string;
  /** `errors`: requests with an error response. `took_` plus a bucket: requests with about that duration. Both are counted by day only. */
  readonly name: 'requests' | 'errors' | 'monte_carlo' | 'simulator' | `${typeof TOOK}${number}`;
  readonly count: number;
}

export interface UsageDays {
  /** First day with a count; null for an organisation without any. */
  readonly since: string | null;
  /** Days with a count, ascending. */
  readonly days: readonly UsageDay[];
}

export interface UsageDay {
  readonly day: string;
  readonly requests: number;
  readonly errors: number;
  /** How long requests took. */
  readonly took: Buckets;
}

export interface UsageStore {
  add(counts: readonly UsageCount[]): Promise<void>;
  of(org: string, period: string): Promise<Partial<Record<UsageCount['name'], number>>>;
  /** Days from this one on: `2026-03-05`. */
  daysOf(org: string, from: string): Promise<UsageDays>;
  /** Deletes counts of earlier days. Returns how many. */
  forgetDays(before: string): Promise<number>;
}

/** All tables, used individually or together in a `transact`. */
export interface OpsTables {
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly idempotency: IdempotencyStore;
  readonly usage: UsageStore;
  readonly analyticsRuns: AnalyticsRunStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
}

/**
 * How a transaction of this process reaches the disk, before which it is not acknowledged. `within`: before any reader sees it. `aside`:
 * while the process does other work; if the disk fails meanwhile, the caller gets an error although the change may exist.
 */
export type Sync = 'within' | 'aside';

export interface OpsStore extends OpsTables {
  /**
   * Commits all changes of `work`, or none if it throws. `work` must use the tables passed to it, not the store's own, and await nothing
   * else: no network, no timer. An open transaction blocks every other writer. The default is `within`.
   */
  transact<T>(work: (tables: OpsTables) => Promise<T>, sync?: Sync): Promise<T>;
  /** Writes a value that is stored already, so that a store which takes no changes is noticed before a caller needs it. */
  checkWritable(): Promise<void>;
  /**
   * Calls the listener soon after any process may have changed keys, if the database reports that. Callers also poll. Returns a function
   * that unsubscribes.
   */
  onKeysChanged(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Locked, read-only, full or damaged. Nothing was changed, and the request can be retried. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The change conflicts with the stored data. Retrying does not help. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError';
}

/** The calculations charged to an organisation. */
export type RunKind = 'monte_carlo' | 'simulator';

export interface RunCharge {
  readonly org: string;
  readonly kind: RunKind;
  /** Identity of the run. */
  readonly run_key: string;
  /** `2026-03`, UTC */
  readonly month: string;
  readonly charged_ms: number;
  /** Maximum number of runs charged to the organisation per month. */
  readonly limit: number;
}

/** `known`: the run was already charged, in any month. `exceeded`: nothing was changed. */
export interface ChargeResult {
  readonly state: 'charged' | 'known' | 'exceeded';
  /** Runs charged in the month, including this one. */
  readonly used: number;
}

export interface AnalyticsRunStore {
  isCharged(org: string, kind: RunKind, runKey: string): Promise<boolean>;
  /** Runs charged in a month. */
  countOf(org: string, kind: RunKind, month: string): Promise<number>;
  /** Charges a run unless it is known or the limit of the month is reached. */
  charge(charge: RunCharge): Promise<ChargeResult>;
  /** Deletes older charges, after which repeating those runs costs again. Returns the number of deleted charges. */
  forget(beforeMs: number): Promise<number>;
}

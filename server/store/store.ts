// What the server stores in addition to snapshots: keys, the audit log, idempotent responses. An interface, so that another database can
// implement it; one conformance test suite says what each implementation must do. Times are Unix milliseconds. Every method
// throws StoreUnavailableError when the store cannot be read or written now, and has then changed nothing.
import type { Plan, PlanName, Scope } from '../../schemas/plans.ts';
import type { Actor } from './actor.ts';
import type { DeliveryStore, WebhookStore } from './webhook-store.ts';

export interface KeyRecord {
  /** `key_` and a ULID. Not secret. */
  readonly id: string;
  readonly org: string;
  readonly plan: PlanName;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the whole key, hex. The key itself is nowhere. */
  readonly hash: string;
  /** First characters of the key, to recognise it by. */
  readonly prefix: string;
  /** What a contract changes about the plan's numbers. */
  readonly limits: Partial<Omit<Plan, 'rank'>>;
  readonly created_ms: number;
  readonly expires_ms: number | null;
  readonly revoked_ms: number | null;
}

/** What happened to keys since a revision. */
export interface KeyChanges {
  readonly revision: number;
  readonly keys: readonly KeyRecord[];
  /** Ids of keys whose rows are not what the audit log says: they do not count. */
  readonly forged: readonly string[];
  /** These are all keys there are, and not only those that changed. */
  readonly isWhole: boolean;
}

export interface KeyStore {
  /** @throws StoreConflictError when there is such a key. */
  create(key: KeyRecord, actor: Actor): Promise<void>;
  get(id: string): Promise<KeyRecord | undefined>;
  /** All rows, whatever the audit log says. */
  list(org?: string): Promise<readonly KeyRecord[]>;
  /** Those whose rows are what the audit log says. */
  logged(org: string): Promise<readonly KeyRecord[]>;
  /** Ids of keys whose rows are not what the audit log says, or are gone. */
  unlogged(): Promise<readonly string[]>;
  /**
   * Adds the new key and lets the old one end at `oldEndsMs` at the latest, both or neither.
   * @throws StoreConflictError when there is no such old key, it has ended, or it is not what the audit log says.
   */
  rotate(change: { oldId: string; oldEndsMs: number; next: KeyRecord }, actor: Actor): Promise<void>;
  /** False when it was revoked already. @throws StoreConflictError when there is no such key. */
  revoke(id: string, actor: Actor): Promise<boolean>;
  /** Another number after every change, by whatever process. Costs next to nothing. */
  revision(): Promise<number>;
  /** Keys that changed after a revision; all of them when it is null or not one of this store's. */
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
  /** Sequence number of the first entry that does not fit the chain; undefined when all do. */
  verify(): Promise<number | undefined>;
  /** Why the head of the log could not be written next to the store after the last change; undefined when it was. */
  headFault(): Promise<unknown>;
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** `begun`: this request is the first and must settle. `busy`: the first is still at work. `other`: same key, other request. */
export type Begun =
  | { readonly state: 'begun' | 'busy' | 'other' }
  | { readonly state: 'done'; readonly answer: StoredResponse };

/**
 * One effect for one key of an organisation, also when a process dies between the effect and its answer: make the effect and
 * `settle` in one `transact`. After a crash either both are there, and the answer is replayed, or neither is, and the next request
 * takes the claim over, for a claim ends with the process that made it. An effect outside the store, such as a request to another
 * party, may then happen a second time. Answers are kept sealed, because some hold a secret that is shown once.
 */
export interface IdempotencyStore {
  begin(claim: { org: string; key: string; fingerprint: string; nowMs: number }): Promise<Begun>;
  /** @throws StoreConflictError when this process does not hold the claim: roll back, nothing was done. */
  settle(done: { org: string; key: string; answer: StoredResponse; nowMs: number }): Promise<void>;
  /** Nothing happened: the next request with the key is the first. Without a claim of this process it does nothing. */
  release(org: string, key: string): Promise<void>;
  /** Forgets answers given, and claims made, before; says how many. */
  forget(beforeMs: number): Promise<number>;
}

/** How often something was used in a UTC month. */
export interface UsageCount {
  readonly org: string;
  /** `2026-03` */
  readonly month: string;
  readonly name: 'requests' | 'monte_carlo' | 'simulator';
  readonly count: number;
}

export interface UsageStore {
  add(counts: readonly UsageCount[]): Promise<void>;
  of(org: string, month: string): Promise<Partial<Record<UsageCount['name'], number>>>;
}

/** Everything that can be read and changed, alone or together in a `transact`. */
export interface OpsTables {
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly idempotency: IdempotencyStore;
  readonly usage: UsageStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
}

export interface OpsStore extends OpsTables {
  /**
   * All changes of `work` or none: none when it throws. `work` uses the tables it is given and not the store's own, and waits for
   * nothing else: no network, no timer. Whoever changes something holds up every other writer.
   */
  transact<T>(work: (tables: OpsTables) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Locked, read-only, full or damaged: the request may be tried again; nothing of it was done. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The change does not fit what is there; trying again will not help. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError';
}

// Keeps all keys in memory, so requests are authenticated without reading the store. Polls the store for changes by any process. While the
// store cannot be read, the last known keys stay valid for a limited time.
import { timingSafeEqual } from 'node:crypto';
import { SingleFlight } from '../../platform/base/tasks.ts';
import {
  type KeyChanges,
  type KeyRecord,
  type KeyStore,
  type OpsStore,
  StoreUnavailableError,
} from '../store/store.ts';

/** Two polls are well within the second in which a revocation takes effect (decision 33). */
export const KEY_POLL_MS = 250;
/** How long keys stay valid while the store cannot be read. A key revoked in this time is still accepted. */
export const KEYS_TRUSTED_MS = 30_000;
/** Leading hash digits under which a key is looked up; the rest is compared in constant time. */
const INDEX_DIGITS = 16;

export interface KeyRingDeps {
  readonly store: {
    readonly keys: Pick<KeyStore, 'revision' | 'changedSince'>;
    readonly onKeysChanged?: OpsStore['onKeysChanged'];
  };
  readonly nowMs: () => number;
  /** Monotonic milliseconds; default: the clock. */
  readonly steadyMs?: () => number;
  readonly every: (ms: number, work: () => void) => () => void;
  readonly log: { warn(facts: object, message: string): void };
}

/** Keys that are no longer valid: revoked or expired. */
export type KeyEndListener = (keys: readonly KeyRecord[]) => void;

export class KeyRing {
  readonly #deps: KeyRingDeps;
  readonly #entries = new Map<string, { readonly record: KeyRecord; readonly hash: Buffer }>();
  /** Valid keys by id, until their end is reported. */
  readonly #good = new Map<string, KeyRecord>();
  readonly #listeners = new Set<KeyEndListener>();
  /** Ids of keys that do not match the audit log. */
  readonly #forged = new Set<string>();
  #unreadableSinceMs: number | undefined;
  #revision: number | null = null;
  #generation = 0;
  #nextExpiryMs = Number.POSITIVE_INFINITY;
  #failingSinceMs: number | undefined;
  #isTrusted = false;
  readonly #looking = new SingleFlight(() => this.#look());
  #stopWatching = () => {};

  constructor(deps: KeyRingDeps) {
    this.#deps = deps;
  }

  /** Loads the keys and starts polling. @throws StoreUnavailableError */
  async start(): Promise<void> {
    await this.#load();
    const { store, every } = this.#deps;
    const stopPolling = every(KEY_POLL_MS, () => void this.refresh());
    // Not shared with a check in progress, which may have read the keys before they changed.
    const stopListening = store.onKeysChanged?.(() => void this.#looking.wake());
    this.#stopWatching = () => {
      stopPolling();
      stopListening?.();
    };
  }

  stop(): void {
    this.#stopWatching();
  }

  /**
   * Finds a key by the SHA-256 of the whole key, hex. The record may be revoked or expired: the caller checks.
   * @throws StoreUnavailableError if the store could not be read for too long.
   */
  find(hash: string): KeyRecord | undefined {
    if (!this.#isTrusted) throw new StoreUnavailableError('The keys cannot be read.');
    const entry = this.#entries.get(hash.slice(0, INDEX_DIGITS));
    if (entry === undefined) return undefined;
    const asked = Buffer.from(hash, 'hex');
    return asked.length === entry.hash.length && timingSafeEqual(asked, entry.hash)
      ? entry.record
      : undefined;
  }

  /** Checks for changes now; concurrent calls share one check. Never fails: problems are logged. */
  refresh(): Promise<void> {
    return this.#looking.join();
  }

  /** Calls the listener when keys end, at most one poll late. Returns a function that unsubscribes. */
  onEnded(listener: KeyEndListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Changes whenever the results of `find` may have changed. */
  get generation(): number {
    return this.#generation;
  }

  /** How many keys are ignored because they do not match the audit log. */
  get forged(): number {
    return this.#forged.size;
  }

  /** Unix milliseconds; undefined while the store can be read. */
  get unreadableSinceMs(): number | undefined {
    return this.#unreadableSinceMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  async #look(): Promise<void> {
    try {
      if ((await this.#deps.store.keys.revision()) !== this.#revision) await this.#load();
      this.#failingSinceMs = undefined;
      this.#unreadableSinceMs = undefined;
      this.#isTrusted = true;
    } catch (error) {
      this.#mistrust(error);
    }
    this.#tellEnded();
  }

  async #load(): Promise<void> {
    const changes = await this.#deps.store.keys.changedSince(this.#revision);
    const { revision, keys, isWhole } = changes;
    if (isWhole) this.#entries.clear();
    this.#exclude(changes);
    for (const record of keys)
      this.#entries.set(record.hash.slice(0, INDEX_DIGITS), {
        record,
        hash: Buffer.from(record.hash, 'hex'),
      });
    this.#revision = revision;
    this.#generation += 1;
    this.#isTrusted = true;
    this.#nextExpiryMs = Number.NEGATIVE_INFINITY;
    this.#tellEnded();
  }

  /** Ignores rows that anything but the service has changed, whatever they contained before. */
  #exclude({ forged, keys, isWhole }: KeyChanges): void {
    if (isWhole) this.#forged.clear();
    for (const { id } of keys) this.#forged.delete(id);
    for (const id of forged) this.#forged.add(id);
    if (forged.length === 0) return;
    for (const [index, { record }] of this.#entries)
      if (this.#forged.has(record.id)) this.#entries.delete(index);
    this.#deps.log.warn({ keys: forged }, 'keys do not match the audit log; they are not accepted');
  }

  #mistrust(error: unknown): void {
    const steadyMs = (this.#deps.steadyMs ?? this.#deps.nowMs)();
    if (this.#failingSinceMs === undefined) {
      this.#failingSinceMs = steadyMs;
      this.#unreadableSinceMs = this.#deps.nowMs();
      this.#deps.log.warn({ err: error }, 'the keys cannot be read; the last known keys stay valid for now');
    }
    if (!this.#isTrusted || steadyMs - this.#failingSinceMs < KEYS_TRUSTED_MS) return;
    this.#isTrusted = false;
    this.#generation += 1;
    this.#deps.log.warn({ err: error }, 'the keys could not be read for too long; all keys are refused');
  }

  /** Scans the keys only after a change, or when the next key expires. */
  #tellEnded(): void {
    const nowMs = this.#deps.nowMs();
    if (nowMs < this.#nextExpiryMs) return;
    const before = [...this.#good.keys()];
    this.#nextExpiryMs = Number.POSITIVE_INFINITY;
    const current = new Map([...this.#entries.values()].map(({ record }) => [record.id, record]));
    for (const record of current.values()) {
      if (!isGood(record, nowMs)) continue;
      this.#good.set(record.id, record);
      this.#nextExpiryMs = Math.min(this.#nextExpiryMs, record.expires_ms ?? Number.POSITIVE_INFINITY);
    }
    const ended = before.flatMap((id) => this.#endOf(id, current.get(id), nowMs));
    if (ended.length > 0) for (const listener of this.#listeners) listener(ended);
  }

  #endOf(id: string, now: KeyRecord | undefined, nowMs: number): readonly KeyRecord[] {
    if (now !== undefined && isGood(now, nowMs)) return [];
    const last = now ?? this.#good.get(id);
    this.#good.delete(id);
    return last === undefined ? [] : [last];
  }
}

const isGood = ({ revoked_ms, expires_ms }: KeyRecord, nowMs: number) =>
  revoked_ms === null && (expires_ms === null || expires_ms > nowMs);

// Issues keys for the command line and the start command. The secret exists only in the returned value.

import { entropyOf, ulidAt } from '../../platform/base/ulid.ts';
import { PLANS, type PlanName, SCOPES, type Scope } from '../../schemas/plans.ts';
import { hashKey, makeKey, shownPrefix } from '../access/keys.ts';
import type { Actor } from '../store/actor.ts';
import { type KeyRecord, type KeyStore, StoreConflictError } from '../store/store.ts';

export interface Issuer {
  readonly keys: KeyStore;
  /** `cli:<user>` */
  readonly who: string;
  readonly nowMs: () => number;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
}

export interface KeyRequest {
  readonly org: string;
  readonly plan: PlanName;
  readonly scopes: readonly Scope[];
  /** Contractual deviations from the plan's limits. */
  readonly limits?: KeyRecord['limits'];
  readonly expires_ms: number | null;
}

/** A new key with its secret, which is shown only once. */
export interface IssuedKey {
  readonly key: string;
  readonly id: string;
  readonly org: string;
  readonly plan: PlanName;
  readonly scopes: readonly Scope[];
  /** ISO 8601 UTC; null if it does not expire. */
  readonly expires_at: string | null;
}

export const actorOf = ({ who, nowMs }: Issuer): Actor => ({ who, requestId: null, atMs: nowMs() });

export const isoOrNull = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** @throws StoreUnavailableError */
export async function createKey(issuer: Issuer, request: KeyRequest): Promise<IssuedKey> {
  const { key, record } = drawKey(issuer, request);
  await issuer.keys.create(record, actorOf(issuer));
  return issued(key, record);
}

export interface RotationRequest {
  readonly id: string;
  /** How long the old key stays valid. */
  readonly overlapMs: number;
  /** If undefined, the lifetime of the old key. */
  readonly expires_ms?: number | null | undefined;
}

/** @throws StoreConflictError if the key does not exist or has ended; StoreUnavailableError */
export async function rotateKey(issuer: Issuer, request: RotationRequest) {
  const old = await issuer.keys.get(request.id);
  if (old === undefined) throw new StoreConflictError(`There is no key ${request.id}.`);
  const nowMs = issuer.nowMs();
  const lifetimeMs = old.expires_ms === null ? null : old.expires_ms - old.created_ms;
  const expires_ms =
    request.expires_ms === undefined ? (lifetimeMs === null ? null : nowMs + lifetimeMs) : request.expires_ms;
  const { key, record } = drawKey(issuer, { ...old, expires_ms });
  const oldEndsMs = Math.min(nowMs + request.overlapMs, old.expires_ms ?? Number.POSITIVE_INFINITY);
  await issuer.keys.rotate({ oldId: old.id, oldEndsMs, next: record }, actorOf(issuer));
  return { issued: issued(key, record), oldEndsMs };
}

function drawKey({ nowMs, randomBytes }: Issuer, request: KeyRequest): { key: string; record: KeyRecord } {
  const { org, plan, scopes, limits = {}, expires_ms } = request;
  const key = makeKey(randomBytes);
  const created_ms = nowMs();
  const id = `key_${ulidAt(created_ms, entropyOf(Buffer.from(randomBytes(16)).toString('hex')))}`;
  const record: KeyRecord = {
    id,
    org,
    plan,
    scopes,
    hash: hashKey(key),
    prefix: shownPrefix(key),
    limits,
    created_ms,
    expires_ms,
    revoked_ms: null,
  };
  return { key, record };
}

const issued = (key: string, { id, org, plan, scopes, expires_ms }: KeyRecord): IssuedKey => ({
  key,
  id,
  org,
  plan,
  scopes,
  expires_at: isoOrNull(expires_ms),
});

/** The lowest plan that can use each scope. A key has every scope of its plan unless fewer are requested. */
export const LOWEST_PLAN: Readonly<Record<Scope, PlanName>> = {
  'scores:read': 'free',
  'data:read': 'free',
  'oracle:read': 'free',
  'manifest:read': 'team',
  'yield:read': 'free',
  'portfolio:analyze': 'free',
  'liquidity:simulate': 'team',
  'simulator:run': 'team',
  'events:read': 'analyst',
  'stream:read': 'analyst',
  'webhooks:read': 'team',
  'webhooks:write': 'team',
  'usage:read': 'free',
};

export const scopesOf = (plan: PlanName): readonly Scope[] =>
  SCOPES.filter((scope) => PLANS[LOWEST_PLAN[scope]].rank <= PLANS[plan].rank);

// Periodic cleanup: receivers that only fail, organisations whose plan no longer includes webhooks, old records.
import { LIMITS, PLANS } from '../../schemas/plans.ts';
import type { Actor } from '../store/actor.ts';
import type { KeyRecord, OpsStore } from '../store/store.ts';
import type { DisabledReason } from '../store/webhook-store.ts';
import { DISABLE_AFTER_MS, stateOf } from './disable.ts';
import type { DispatchLog } from './log.ts';
import type { DeliveryQueue } from './queue.ts';
import type { Subscribers } from './subscribers.ts';

const KEEP_DELIVERIES_MS = LIMITS.delivery_days * 86_400_000;
const FORGET_AT_ONCE = 1_000;
/** How long an organisation may lack a key with a plan that includes webhooks, because it may be about to get a new one. */
const PLAN_GRACE_MS = 3_600_000;

export interface Housekeeping {
  readonly store: OpsStore;
  readonly nowMs: () => number;
  readonly log: DispatchLog;
  readonly subscribers: Subscribers;
  /** Since when each organisation has lacked such a plan. */
  readonly lackingSinceMs: Map<string, number>;
}

export async function housekeep(keeping: Housekeeping): Promise<void> {
  for (const queue of [...keeping.subscribers.queues]) await judge(keeping, queue);
  await judgePlans(keeping);
  await forget(keeping);
}

async function judge(keeping: Housekeeping, queue: DeliveryQueue): Promise<void> {
  const nowMs = keeping.nowMs();
  const state = stateOf(queue.health, nowMs);
  if (state === 'disable') return disable(keeping, queue, 'failing');
  if (state === 'fine' || queue.health.warned_ms !== null) return;
  queue.markWarned(nowMs);
  await keeping.store.deliveries.settle([], [queue.health]);
  const disabled_at = new Date((queue.health.failing_since_ms ?? nowMs) + DISABLE_AFTER_MS).toISOString();
  keeping.log.warn(
    { webhook_id: queue.id, org: queue.org, disabled_at },
    'a receiver keeps failing and will be disabled',
  );
}

/** Disables a subscription: nothing more is sent to it until a caller reactivates it. */
export async function disable(
  keeping: Housekeeping,
  queue: DeliveryQueue,
  reason: DisabledReason,
): Promise<void> {
  const { store, log, nowMs } = keeping;
  if (queue.isClosed) return;
  const changes = { status: 'disabled', disabled_reason: reason } as const;
  await store.webhooks.change(queue.id, { action: 'webhook.disable', changes }, serviceAt(nowMs()));
  queue.close();
  log.warn({ webhook_id: queue.id, org: queue.org, reason }, 'a subscription was disabled');
}

async function judgePlans(keeping: Housekeeping): Promise<void> {
  const { store, subscribers, lackingSinceMs } = keeping;
  const nowMs = keeping.nowMs();
  const queues = Map.groupBy(subscribers.queues, ({ org }) => org);
  for (const org of lackingSinceMs.keys()) if (!queues.has(org)) lackingSinceMs.delete(org);
  for (const [org, ofOrg] of queues) {
    const keys = await store.keys.logged(org);
    if (keys.some((key) => hasWebhooks(key, nowMs))) {
      lackingSinceMs.delete(org);
      continue;
    }
    const sinceMs = lackingSinceMs.get(org) ?? nowMs;
    lackingSinceMs.set(org, sinceMs);
    if (nowMs - sinceMs < PLAN_GRACE_MS) continue;
    for (const queue of ofOrg) await disable(keeping, queue, 'plan');
  }
}

const hasWebhooks = ({ plan, limits, revoked_ms, expires_ms }: KeyRecord, nowMs: number): boolean =>
  revoked_ms === null &&
  (expires_ms === null || expires_ms > nowMs) &&
  (limits.webhook_subscriptions ?? PLANS[plan].webhook_subscriptions) > 0;

/** Deletes in batches, so that others can use the store in between. */
async function forget({ store, nowMs }: Housekeeping): Promise<void> {
  const beforeMs = nowMs() - KEEP_DELIVERIES_MS;
  while ((await store.deliveries.forget(beforeMs, FORGET_AT_ONCE)) >= FORGET_AT_ONCE)
    await new Promise((resolve) => setImmediate(resolve));
}

const serviceAt = (atMs: number): Actor => ({ who: 'service:webhooks', requestId: null, atMs });

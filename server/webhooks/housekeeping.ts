// Periodic cleanup: receivers that only fail, organisations whose plan no longer includes webhooks, old records.
import { HOUR_MS } from '../../platform/base/time.ts';
import { LIMITS, PLANS } from '../../schemas/plans.ts';
import type { Log } from '../log.ts';
import type { Actor } from '../store/actor.ts';
import type { KeyRecord, OpsStore } from '../store/store.ts';
import type { DisabledReason, Health } from '../store/webhook-store.ts';
import type { DeliveryQueue } from './queue.ts';

const DISABLE_AFTER_MS = 120 * HOUR_MS;
const WARN_AFTER_MS = DISABLE_AFTER_MS / 2;
const APART_MS = 12 * HOUR_MS;
const KEEP_DELIVERIES_MS = LIMITS.delivery_days * 86_400_000;
const FORGET_AT_ONCE = 1_000;
/** How long an organisation may lack a key with a plan that includes webhooks, because it may be about to get a new one. */
const PLAN_GRACE_MS = HOUR_MS;

interface HousekeeperDeps {
  readonly store: OpsStore;
  readonly nowMs: () => number;
  readonly log: Log;
  /** The queues of all active subscriptions. */
  readonly queues: () => Iterable<DeliveryQueue>;
}

export class Housekeeper {
  readonly #deps: HousekeeperDeps;
  /** Since when each organisation has had no key with a plan that includes webhooks. */
  readonly #lackingSinceMs = new Map<string, number>();

  constructor(deps: HousekeeperDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    for (const queue of [...this.#deps.queues()]) await this.#checkHealth(queue);
    await this.#checkPlans();
    await this.#forget();
  }

  /** Disables a subscription: nothing more is sent to it until a caller reactivates it. */
  async disable(queue: DeliveryQueue, reason: DisabledReason): Promise<void> {
    const { store, log, nowMs } = this.#deps;
    if (queue.isClosed) return;
    const changes = { status: 'disabled', disabled_reason: reason } as const;
    await store.webhooks.change(queue.id, { action: 'webhook.disable', changes }, serviceAt(nowMs()));
    queue.close();
    log.warn({ webhook_id: queue.id, org: queue.org, reason }, 'a subscription was disabled');
  }

  async #checkHealth(queue: DeliveryQueue): Promise<void> {
    const { store, log } = this.#deps;
    const nowMs = this.#deps.nowMs();
    const state = stateOf(queue.health, nowMs);
    if (state === 'disable') return this.disable(queue, 'failing');
    if (state === 'fine' || queue.health.warned_ms !== null) return;
    queue.markWarned(nowMs);
    await store.deliveries.settle([], [queue.health]);
    const disabled_at = new Date((queue.health.failing_since_ms ?? nowMs) + DISABLE_AFTER_MS).toISOString();
    log.warn(
      { webhook_id: queue.id, org: queue.org, disabled_at },
      'a receiver keeps failing and will be disabled',
    );
  }

  async #checkPlans(): Promise<void> {
    const nowMs = this.#deps.nowMs();
    const lackingSinceMs = this.#lackingSinceMs;
    const queues = Map.groupBy(this.#deps.queues(), ({ org }) => org);
    for (const org of lackingSinceMs.keys()) if (!queues.has(org)) lackingSinceMs.delete(org);
    for (const [org, ofOrg] of queues) {
      const keys = await this.#deps.store.keys.logged(org);
      if (keys.some((key) => hasWebhooks(key, nowMs))) {
        lackingSinceMs.delete(org);
        continue;
      }
      const sinceMs = lackingSinceMs.get(org) ?? nowMs;
      lackingSinceMs.set(org, sinceMs);
      if (nowMs - sinceMs < PLAN_GRACE_MS) continue;
      for (const queue of ofOrg) await this.disable(queue, 'plan');
    }
  }

  /** Deletes old records in batches, so that others can use the store in between. */
  async #forget(): Promise<void> {
    const { deliveries } = this.#deps.store;
    const beforeMs = this.#deps.nowMs() - KEEP_DELIVERIES_MS;
    while ((await deliveries.forget(beforeMs, FORGET_AT_ONCE)) >= FORGET_AT_ONCE)
      await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * When a receiver is disabled: after 120 h of nothing but failures, at least two of which are 12 h apart (decision 47). `warn` from half-way
 * on. Only the clock decides: no further attempt is needed.
 */
export function stateOf(
  { failing_since_ms, last_failure_ms }: Pick<Health, 'failing_since_ms' | 'last_failure_ms'>,
  nowMs: number,
): 'fine' | 'warn' | 'disable' {
  if (failing_since_ms === null || last_failure_ms === null) return 'fine';
  const failingMs = nowMs - failing_since_ms;
  if (failingMs >= DISABLE_AFTER_MS && last_failure_ms - failing_since_ms >= APART_MS) return 'disable';
  return failingMs >= WARN_AFTER_MS ? 'warn' : 'fine';
}

const hasWebhooks = ({ plan, limits, revoked_ms, expires_ms }: KeyRecord, nowMs: number): boolean =>
  revoked_ms === null &&
  (expires_ms === null || expires_ms > nowMs) &&
  (limits.webhook_subscriptions ?? PLANS[plan].webhook_subscriptions) > 0;

const serviceAt = (atMs: number): Actor => ({ who: 'service:webhooks', requestId: null, atMs });

// The caller as handlers see it, built once per key, and once for all callers without a key.
import { oncePer } from '../../platform/base/once-per.ts';
import { LIMITS, PLANS, type Plan, type PlanName } from '../../schemas/plans.ts';
import type { Caller } from '../define/caller.ts';
import type { KeyRecord } from '../store/store.ts';

export const callerOfKey = oncePer((record: KeyRecord): Caller => {
  const { id, org, plan, scopes } = record;
  const limits: Plan = { ...PLANS[plan], ...record.limits };
  return Object.freeze({ plan, key: { id, org, scopes }, limits });
});

/** A caller without a key. `plan` null: open endpoints only. */
export function anonymousCaller(plan: PlanName | null): Caller {
  const limits: Plan =
    plan === null
      ? { ...PLANS.free, requests_per_minute: LIMITS.anonymous_requests_per_minute }
      : PLANS[plan];
  return Object.freeze({ plan, limits });
}

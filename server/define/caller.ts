// The sender of a request, as handlers see it.
import type { Plan, PlanName, Scope } from '../../schemas/plans.ts';

/** Without a key, `plan` is what the settings give anonymous callers; null for none. */
export interface Caller {
  readonly plan: PlanName | null;
  /** The key of the request, never its secret. */
  readonly key?: CallerKey;
  /** Limits of the plan, with contractual deviations. */
  readonly limits: Plan;
}

export interface CallerKey {
  readonly id: string;
  /** The organisation whose resources it may see. */
  readonly org: string;
  readonly scopes: readonly Scope[];
}

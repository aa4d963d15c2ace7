// The sender of a request, as handlers see it.
import type { Plan, PlanName, Scope } from '../../schemas/plans.ts';

/** Without a key, `plan` is the plan that the settings give to anonymous callers; null for none. */
export interface Caller {
  readonly plan: PlanName | null;
  /** The key of the request, never its secret. */
  readonly key?: CallerKey;
  /** Limits of the plan, with contractual exceptions. */
  readonly limits: Plan;
}

export interface CallerKey {
  readonly id: string;
  /** The organisation whose resources it may see. */
  readonly org: string;
  readonly scopes: readonly Scope[];
}

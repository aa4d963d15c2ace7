// Who sends a request, as handlers see it.
import type { Plan, PlanName, Scope } from '../../schemas/plans.ts';

/** Who asks. Without a key it is nobody in particular: `plan` is then what the settings give such callers, null for nothing. */
export interface Caller {
  readonly plan: PlanName | null;
  readonly is_keyed: boolean;
  /** The key it came with, never its secret. */
  readonly key?: CallerKey;
  /** Numbers of the plan, with what a contract changes about them. */
  readonly limits: Plan;
}

export interface CallerKey {
  readonly id: string;
  /** The organisation whose resources it may see. */
  readonly org: string;
  readonly scopes: readonly Scope[];
  /** Unix milliseconds; null never. */
  readonly expires_ms: number | null;
}

// The sender of a request, as handlers see it, and what it needs to use an endpoint or to read a dataset.

import type { ErrorCode } from '../../schemas/errors.ts';
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

/** `open`: every caller. Otherwise the lowest plan, and the required scope of the key. */
export type Access = 'open' | AccessRule;

export interface AccessRule {
  readonly plan: PlanName;
  readonly scope: Scope;
  /** Additional scopes, for data from several families. */
  readonly moreScopes?: readonly Scope[];
  /** The error for a lower plan: 402 by default, or what the section of the endpoint documents (decision 34). */
  readonly denial?: ErrorCode;
}

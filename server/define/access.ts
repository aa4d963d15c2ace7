// What a caller needs to use an endpoint or to read a dataset.
import type { ErrorCode } from '../../schemas/errors.ts';
import type { PlanName, Scope } from '../../schemas/plans.ts';

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

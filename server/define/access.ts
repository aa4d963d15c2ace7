// What a caller needs to use an endpoint or to read a dataset.
import type { ErrorCode } from '../../schemas/errors.ts';
import type { PlanName, Scope } from '../../schemas/plans.ts';

/** `open`: every caller. Otherwise the lowest plan, and the scope that its key needs. */
export type Access = 'open' | AccessRule;

export interface AccessRule {
  readonly plan: PlanName;
  readonly scope: Scope;
  /** Where what it serves comes from several families. */
  readonly moreScopes?: readonly Scope[];
  /** How a plan below is refused: 402 without a word here, or as the section of the endpoint documents it (decision 34). */
  readonly denial?: ErrorCode;
}

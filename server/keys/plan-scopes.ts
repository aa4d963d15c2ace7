// The lowest plan that can use each scope. A key has every scope of its plan unless fewer are requested.
import { PLANS, type PlanName, SCOPES, type Scope } from '../../schemas/plans.ts';

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

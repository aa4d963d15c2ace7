// Whether a caller may use an endpoint: plan first, then scope (5.3, 5.6; decision 34). One place for every denial.
import type { ErrorCode } from '../../schemas/errors.ts';
import { FAMILIES } from '../../schemas/families.ts';
import { PLANS, type PlanName, type Scope } from '../../schemas/plans.ts';
import type { Access, AccessRule, Caller, CallerKey } from '../define/caller.ts';
import { type Details, Failure } from '../define/failure.ts';

/**
 * @throws Failure `missing_auth`, `unauthenticated`, the denial of the plan or `insufficient_scope`, checked in this order (decision 69).
 */
export function authorize(access: Access, caller: Caller, upgradeUrl: () => string): void {
  if (access === 'open') return;
  if (caller.plan === null) throw missingAuth();
  if (OWNED.has(access.scope)) keyOf(caller);
  if (PLANS[caller.plan].rank < PLANS[access.plan].rank) {
    const code = access.denial ?? 'plan_upgrade_required';
    throw new Failure(code, undefined, { details: denialDetails(caller.plan, access.plan, upgradeUrl()) });
  }
  const { key } = caller;
  const missing = key && scopesOf(access).find((scope) => !key.scopes.includes(scope));
  if (missing !== undefined)
    throw new Failure('insufficient_scope', undefined, { details: { required_scope: missing } });
}

/** Whether the caller may use an endpoint. */
export function isAuthorized(access: Access, caller: Caller): boolean {
  try {
    authorize(access, caller, () => '');
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

export const scopesOf = ({ scope, moreScopes = [] }: AccessRule): readonly Scope[] => [scope, ...moreScopes];

/**
 * The caller's key, for resources of an organisation such as usage and webhooks. A caller without a key may have a plan but no
 * organisation.
 * @throws Failure `unauthenticated`
 */
export function keyOf(caller: Caller): CallerKey {
  if (caller.key === undefined) throw new Failure('unauthenticated', undefined, { headers: CHALLENGE });
  return caller.key;
}

export const CHALLENGE = ['WWW-Authenticate', 'Bearer'] as const;

const missingAuth = () => new Failure('missing_auth', undefined, { headers: CHALLENGE });

const denialDetails = (current: PlanName, needed: PlanName, upgrade_url: string): Details => ({
  current_plan: current,
  required_plans: plansFrom(needed),
  upgrade_url,
});

/** This plan and all above it. */
export const plansFrom = (plan: PlanName): readonly PlanName[] =>
  (Object.keys(PLANS) as PlanName[]).filter((name) => PLANS[name].rank >= PLANS[plan].rank);

/** Scopes of an organisation's own resources and of runs that count against its quota. */
const OWNED: ReadonlySet<string> = new Set([
  'webhooks:read',
  'webhooks:write',
  'usage:read',
  'liquidity:simulate',
  'simulator:run',
]);

/** Errors that the access of an endpoint can cause, in addition to those it declares. */
export function accessErrors(access: Access): readonly ErrorCode[] {
  const always: readonly ErrorCode[] = [
    'invalid_key',
    'expired_key',
    'revoked_key',
    'rate_limited',
    'rate_limit_exceeded',
  ];
  if (access === 'open') return always;
  const denial: readonly ErrorCode[] =
    PLANS[access.plan].rank === 0 ? [] : [access.denial ?? 'plan_upgrade_required'];
  const unknown: readonly ErrorCode[] = OWNED.has(access.scope) ? ['unauthenticated'] : [];
  return ['missing_auth', ...unknown, ...always, 'insufficient_scope', ...denial];
}

/**
 * Who may read a dataset: the callers that may use the endpoint with the same rows (decision 63). Applies to every form, every kept
 * version, the listing and the static mirror.
 */
export type DatasetAccess = (dataset: string) => Access;

/** Datasets that have no endpoint of their own. */
const WITHOUT_ENDPOINT: ReadonlyMap<string, Access> = new Map(
  FAMILIES.flatMap(({ ACCESS = {} }) => Object.entries(ACCESS)),
);

/** Undeclared datasets are closed, not open. */
export const UNDECLARED: AccessRule = { plan: 'enterprise', scope: 'data:read' };

/** An endpoint that serves the rows of datasets. */
interface ServesDatasets {
  readonly path: string;
  readonly access: Access;
  readonly datasets?: readonly string[];
}

/** @throws Error if two endpoints with different access serve the same dataset. */
export function datasetAccess(endpoints: readonly ServesDatasets[]): DatasetAccess {
  const known = new Map<string, Access>(WITHOUT_ENDPOINT);
  for (const { path, access, datasets = [] } of endpoints) {
    for (const id of datasets) {
      const other = known.get(id);
      if (other !== undefined && JSON.stringify(other) !== JSON.stringify(access))
        throw new Error(`Endpoint ${path}: dataset ${id} already requires ${JSON.stringify(other)}.`);
      known.set(id, access);
    }
  }
  return (id) => known.get(id) ?? UNDECLARED;
}

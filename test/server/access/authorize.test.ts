import { expect, test } from 'vitest';
import { PLANS, type PlanName, type Scope } from '../../../schemas/plans.ts';
import { anonymousCaller } from '../../../server/access/admit.ts';
import { authorize, keyOf } from '../../../server/access/authorize.ts';
import type { Access, Caller } from '../../../server/define/caller.ts';

const UPGRADE = 'https://docs.example/docs#plans';
const caller = (plan: PlanName, scopes: readonly Scope[] = ['manifest:read']): Caller => ({
  plan,
  key: { id: 'key_1', org: 'acme', scopes },
  limits: PLANS[plan],
});
const refusal = (access: Access, asker: Caller) => {
  try {
    authorize(access, asker, () => UPGRADE);
    return undefined;
  } catch (error) {
    return error;
  }
};
const TEAM: Access = { plan: 'team', scope: 'manifest:read' };

test.each([
  ['free', 'plan_upgrade_required'],
  ['analyst', 'plan_upgrade_required'],
  ['team', undefined],
  ['enterprise', undefined],
  ['custom', undefined],
] as const)('an endpoint for Team responds to plan %s with %s', (plan, code) => {
  const refused = refusal(TEAM, caller(plan)) as { code?: string; details?: unknown } | undefined;
  expect(refused?.code).toBe(code);
  if (code !== undefined)
    expect(refused?.details).toEqual({
      current_plan: plan,
      required_plans: ['team', 'enterprise', 'custom'],
      upgrade_url: UPGRADE,
    });
});

test('an endpoint can define its own denial', () => {
  const access = { plan: 'analyst', scope: 'events:read', denial: 'REPLAY_NOT_AVAILABLE' } as const;
  expect(refusal(access, caller('free'))).toMatchObject({ code: 'REPLAY_NOT_AVAILABLE' });
});

test('the plan is checked before the scope, and a missing scope is named', () => {
  expect(refusal(TEAM, caller('free', []))).toMatchObject({ code: 'plan_upgrade_required' });
  expect(refusal(TEAM, caller('team', ['data:read']))).toMatchObject({
    code: 'insufficient_scope',
    details: { required_scope: 'manifest:read' },
  });
});

test('without a key only open endpoints are allowed, unless the settings give such callers a plan', () => {
  expect(refusal('open', anonymousCaller(null))).toBeUndefined();
  expect(refusal({ plan: 'free', scope: 'data:read' }, anonymousCaller(null))).toMatchObject({
    code: 'missing_auth',
  });
  expect(refusal(TEAM, anonymousCaller('team'))).toBeUndefined();
  expect(refusal(TEAM, anonymousCaller('free'))).toMatchObject({ code: 'plan_upgrade_required' });
});

test('resources of an organisation require a key, whatever the anonymous plan', () => {
  expect(() => keyOf(anonymousCaller('enterprise'))).toThrow(
    expect.objectContaining({ code: 'unauthenticated' }),
  );
  expect(keyOf(caller('team')).org).toBe('acme');
});

// Keys of the demo world: fresh ones at every start, one a plan, because a key can be shown only once. Those of the start before end.
import { PLANS, type PlanName } from '../../schemas/plans.ts';
import type { OpsStore } from '../store/store.ts';
import { actorOf, createKey, type IssuedKey, type Issuer } from './issue.ts';
import { scopesOf } from './plan-scopes.ts';

/** Organisations named so belong to the demo. */
const ORG_PREFIX = 'demo-';

const planNames = Object.keys(PLANS) as PlanName[];

/** In the order of the plans; all of it or nothing. @throws StoreUnavailableError */
export function demoKeys(store: OpsStore, effects: Omit<Issuer, 'keys'>): Promise<IssuedKey[]> {
  return store.transact(async ({ keys }) => {
    const issuer = { ...effects, keys };
    const made: IssuedKey[] = [];
    for (const plan of planNames) {
      const org = ORG_PREFIX + plan;
      for (const former of await keys.list(org)) await keys.revoke(former.id, actorOf(issuer));
      made.push(await createKey(issuer, { org, plan, scopes: scopesOf(plan), expires_ms: null }));
    }
    return made;
  });
}

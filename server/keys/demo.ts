// Keys of the demo: one per plan, created at every start because a key is shown only once. Previous keys are revoked.
import { PLANS, type PlanName } from '../../schemas/plans.ts';
import type { OpsStore } from '../store/store.ts';
import { actorOf, createKey, type IssuedKey, type Issuer, scopesOf } from './issue.ts';

/** Organisations with this prefix belong to the demo. */
const ORG_PREFIX = 'demo-';

const planNames = Object.keys(PLANS) as PlanName[];

/** In plan order; creates all or none. @throws StoreUnavailableError */
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

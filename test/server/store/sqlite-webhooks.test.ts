import { afterEach, beforeEach, describe } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { StoreWorld } from './store-world.ts';
import { deliveriesConform, subscriptionsConform } from './webhook-conformance.ts';

let world: StoreWorld;
let store: OpsStore;

beforeEach(async () => {
  world = await StoreWorld.create();
  store = await world.open();
});
afterEach(() => world.remove());

const subject = () => ({ store, again: () => world.open() });
describe('subscriptions', () => subscriptionsConform(subject));
describe('deliveries', () => deliveriesConform(subject));

import { afterEach, beforeEach } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { storeConforms } from './conformance.ts';
import { StoreWorld } from './store-world.ts';

let world: StoreWorld;
let store: OpsStore;

beforeEach(async () => {
  world = await StoreWorld.create();
  store = await world.open();
});
afterEach(() => world.remove());

storeConforms(() => ({ store, again: () => world.open() }));

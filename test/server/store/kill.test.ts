import { afterEach, beforeEach } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { survivesKills } from './kills.ts';
import { StoreFixture } from './store-fixture.ts';

let fixture: StoreFixture;
let store: OpsStore;
beforeEach(async () => {
  fixture = await StoreFixture.create();
  store = await fixture.open();
});
afterEach(() => fixture.remove());

survivesKills(() => ({ store, location: fixture.path, sealKeyFile: '' }), COUNTS.storeKills);

import { afterEach, beforeEach } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { storeConforms } from './conformance.ts';
import { StoreFixture } from './store-fixture.ts';

let fixture: StoreFixture;
let store: OpsStore;

beforeEach(async () => {
  fixture = await StoreFixture.create();
  store = await fixture.open();
});
afterEach(() => fixture.remove());

storeConforms(() => ({ store, again: () => fixture.open() }));

// A store in PostgreSQL passes the tests every store must pass.
import { describe } from 'vitest';
import { COUNTS } from '../../reliability/counts.ts';
import { storeConforms } from './conformance.ts';
import { survivesKills } from './kills.ts';
import { isInstalled, postgresBed } from './on-postgres.ts';

const bed = postgresBed();

describe.skipIf(!isInstalled)('a store in PostgreSQL (skipped where it is not installed)', () => {
  storeConforms(() => ({ store: bed.store, again: () => bed.fixture.open() }));
  survivesKills(
    () => ({ store: bed.store, location: bed.fixture.url, sealKeyFile: bed.fixture.sealKeyFile }),
    COUNTS.storeKills,
  );
});

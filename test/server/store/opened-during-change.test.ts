// A process that opens a store while another changes it may see the store before the change but the head after it.
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SqliteConnection } from '../../../server/store/sqlite/sqlite-file.ts';
import { StoreGuard } from '../../../server/store/store-guard.ts';
import type { Connection } from '../../../server/store/tables/session.ts';
import type { OpsStore } from '../../../server/store/store.ts';
import { ACTOR, keyRecord, sealerOf, StoreFixture } from './store-fixture.ts';

let fixture: StoreFixture;
let store: OpsStore;
beforeEach(async () => {
  fixture = await StoreFixture.create();
  store = await fixture.open();
  await store.keys.create(keyRecord(), ACTOR);
});
afterEach(() => fixture.remove());

/** Reads the store as of its first statement, during which `change` happens. */
function snapshotOf(db: Connection, change: () => Promise<void>): Connection {
  let isFirst = true;
  return {
    guard: db.guard,
    isAuditAhead: false,
    all: (...args) => db.all(...args),
    run: (...args) => db.run(...args),
    async get(...args) {
      const row = await db.get(...args);
      if (isFirst) {
        isFirst = false;
        await change();
      }
      return row;
    },
  };
}

test('it is not mistaken for an older copy', async () => {
  const guard = new StoreGuard(fixture.path, sealerOf(1));
  const file = new DatabaseSync(fixture.path);
  file.exec('begin');
  const db = snapshotOf(new SqliteConnection(file, guard), () => store.keys.create(keyRecord(), ACTOR));
  await expect(guard.check(db)).resolves.toBeUndefined();
  file.exec('rollback');
  file.close();
});

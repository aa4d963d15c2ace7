import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OpsStore } from '../../../server/store/store.ts';
import { ACTOR, keyRecord, StoreFixture } from './store-fixture.ts';

let fixture: StoreFixture;
let store: OpsStore;
let db: DatabaseSync;

beforeEach(async () => {
  fixture = await StoreFixture.create();
  store = await fixture.open();
  for (let count = 0; count < 6; count++) await store.keys.create(keyRecord(), ACTOR);
  db = new DatabaseSync(fixture.path);
});
afterEach(async () => {
  db.close();
  await fixture.remove();
});

const withoutTriggers = () => db.exec('drop trigger audit_entry_is_final; drop trigger audit_entry_stays');

test.each([
  ["update audit_entry set who = 'x' where seq = 4", 'an audit entry never changes'],
  ['delete from audit_entry where seq = 4', 'an audit entry is never deleted'],
  ['delete from audit_entry', 'an audit entry is never deleted'],
])('%s is refused by the database itself', (sql, words) => {
  expect(() => db.exec(sql)).toThrow(words);
});

test.each([
  ["update audit_entry set who = 'x' where seq = 4", 4],
  ['update audit_entry set at_ms = at_ms + 1 where seq = 1', 1],
  ['update audit_entry set request_id = null where seq = 6', 6],
  [`update audit_entry set details = replace(details, 'team', 'free') where seq = 2`, 2],
  ['delete from audit_entry where seq = 4', 5],
  ['delete from audit_entry where seq = 1', 2],
  ['delete from audit_entry where seq = 6', 6],
  ['delete from audit_entry where seq > 2', 3],
  ['delete from audit_entry', 1],
  ["update audit_head set hash = ''", 7],
  ['update audit_entry set seq = 9 where seq = 6', 9],
])('%s is found at entry %i', async (sql, seq) => {
  withoutTriggers();
  db.exec(sql);
  expect(await store.audit.verify()).toBe(seq);
});

test('an entry whose own hash was forged is found at the next entry', async () => {
  withoutTriggers();
  db.exec("update audit_entry set hash = 'forged' where seq = 3");
  expect(await store.audit.verify()).toBe(3);
});

test('a log of several pages is checked to its end, while entries are added', async () => {
  for (let count = 0; count < 1_000; count += 100)
    await store.transact(async ({ keys }) => {
      for (let made = 0; made < 100; made++) await keys.create(keyRecord(), ACTOR);
    });
  const [broken] = await Promise.all([store.audit.verify(), store.keys.create(keyRecord(), ACTOR)]);
  expect(broken).toBeUndefined();
  expect(await store.audit.verify()).toBeUndefined();
});

// Stores from before the audit log was keyed by the seal key: marked once, and their keys are taken into the log if it confirms them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, migrationSteps } from '../../../server/store/sqlite/migrate.ts';
import type { KeyRecord } from '../../../server/store/store.ts';
import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import { FILES, Installation } from './installation.ts';
import { ACTOR, keyRecord, NOW_MS } from './store-fixture.ts';

/** Number of steps before the step that marks the store. */
const OLD_STEPS = 5;

let here: Installation;
let db: DatabaseSync;
let last: { seq: number; hash: string };
beforeEach(async () => {
  here = await Installation.create();
  mkdirSync(here.ops);
  writeFileSync(here.path(FILES.key), `${randomBytes(32).toString('hex')}\n`);
  db = new DatabaseSync(here.path(FILES.store));
  db.exec('pragma journal_mode = wal');
  migrate(db, 'x', migrationSteps().slice(0, OLD_STEPS));
  last = { seq: 0, hash: '' };
});
afterEach(() => here.remove());

/** An entry as the previous version wrote it. */
function logged(action: string, subject: string, details: object): void {
  const body = {
    seq: last.seq + 1,
    at_ms: NOW_MS,
    who: 'cli:test',
    action,
    subject,
    request_id: null,
    details,
    previous_hash: last.hash,
  };
  const hash = sha256Hex(canonicalJson(body));
  db.prepare('insert into audit_entry values (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    body.seq,
    NOW_MS,
    'cli:test',
    action,
    subject,
    null,
    canonicalJson(details),
    body.previous_hash,
    hash,
  );
  last = { seq: body.seq, hash };
  db.prepare('update audit_head set seq = ?, hash = ?').run(last.seq, hash);
}

function insert(key: KeyRecord): void {
  db.exec('update key_revision set last = last + 1');
  db.prepare('insert into api_key select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, last from key_revision').run(
    key.id,
    key.org,
    key.plan,
    canonicalJson(key.scopes),
    key.hash,
    key.prefix,
    canonicalJson(key.limits),
    key.created_ms,
    key.expires_ms,
    key.revoked_ms,
  );
}

function add(key: KeyRecord): KeyRecord {
  const { org, plan, scopes, limits, expires_ms, prefix } = key;
  insert(key);
  logged('key.create', key.id, { org, plan, scopes, limits, expires_ms, prefix });
  return key;
}

function rotate(old: KeyRecord, next: KeyRecord, old_ends_ms: number): void {
  const { org, plan, scopes, limits, expires_ms, prefix } = next;
  insert(next);
  db.prepare('update api_key set expires_ms = ? where id = ?').run(old_ends_ms, old.id);
  logged('key.rotate', next.id, {
    ...{ org, plan, scopes, limits, expires_ms, prefix },
    replaces: old.id,
    old_ends_ms,
  });
}

function revoke(key: KeyRecord): void {
  db.prepare('update api_key set revoked_ms = ? where id = ?').run(NOW_MS, key.id);
  logged('key.revoke', key.id, { org: key.org });
}

test('an older store is marked once: its keys stay valid, and its log continues', async () => {
  const [plain, rotated, revoked] = [add(keyRecord()), add(keyRecord()), add(keyRecord())];
  const next = keyRecord({ plan: 'enterprise' });
  rotate(rotated, next, NOW_MS + 5_000);
  revoke(revoked);
  db.close();
  await here.with(async ({ keys, audit }) => {
    expect((await keys.changedSince(null)).keys).toEqual([
      plain,
      { ...rotated, expires_ms: NOW_MS + 5_000 },
      { ...revoked, revoked_ms: NOW_MS },
      next,
    ]);
    expect([await audit.verify(), await keys.unlogged()]).toEqual([undefined, []]);
    await keys.create(keyRecord(), ACTOR);
    expect((await audit.list(5, 100)).map(({ action }) => action)).toEqual([
      'store.keyed',
      ...Array(4).fill('key.adopt'),
      'key.create',
    ]);
  });
  await here.with(async ({ audit }) => {
    expect(await audit.list(0, 100)).toHaveLength(11);
    expect(await audit.verify()).toBeUndefined();
  });
});

test('a key whose row the older log does not confirm is not accepted', async () => {
  const [forged, strange] = [add(keyRecord({ plan: 'free' })), keyRecord()];
  db.prepare("update api_key set plan = 'enterprise' where id = ?").run(forged.id);
  insert(strange);
  db.close();
  await here.with(async ({ keys }) => {
    expect((await keys.changedSince(null)).keys).toEqual([]);
    expect(await keys.unlogged()).toEqual([forged.id, strange.id].toSorted());
  });
});

test('an older log that does not verify is not keyed', async () => {
  add(keyRecord());
  add(keyRecord());
  db.exec("drop trigger audit_entry_is_final; update audit_entry set who = 'x' where seq = 1");
  db.close();
  await expect(here.open()).rejects.toThrow('its audit log does not match from entry 1 on');
});

test('entries from before the mark are protected by those after it', async () => {
  add(keyRecord());
  add(keyRecord());
  db.close();
  await here.with(async () => undefined);
  here.tamper("update audit_entry set who = 'x' where seq = 1");
  await here.with(async ({ audit }) => expect(await audit.verify()).toBe(1));
});

test('a copy from before the mark is refused once the store is marked', async () => {
  add(keyRecord());
  db.close();
  const older = await here.read(FILES.store);
  await here.with(({ keys }) => keys.create(keyRecord(), ACTOR));
  await here.write(FILES.store, older);
  await expect(here.open()).rejects.toThrow('older copy');
});

test('an older store without keys or entries is marked too', async () => {
  db.close();
  await here.use();
  await here.with(async ({ audit, keys }) =>
    expect([await audit.verify(), await keys.unlogged()]).toEqual([undefined, []]),
  );
});

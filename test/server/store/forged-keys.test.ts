// Rows and entries changed in the file without the seal key: the keys are invalid, and are reported.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Installation, stateOf } from './installation.ts';
import { ACTOR, keyRecord } from './store-fixture.ts';

let here: Installation;
beforeEach(async () => {
  here = await Installation.create();
});
afterEach(() => here.remove());

describe('a row of a key that was changed in the file', () => {
  beforeEach(() => here.use());

  const FREE = "(select id from api_key where plan = 'free' and revoked_ms is null and expires_ms is null)";
  test.each([
    ['a better plan', `update api_key set plan = 'enterprise' where id = ${FREE}`],
    ['more scopes', `update api_key set scopes = '["data:read"]' where id = ${FREE}`],
    ['higher limits', `update api_key set limits = '{"requests_per_minute":9}' where id = ${FREE}`],
    ['another organisation', `update api_key set org = 'other' where id = ${FREE}`],
    ['another key', `update api_key set hash = '${'0'.repeat(64)}' where id = ${FREE}`],
    ['a longer life', 'update api_key set expires_ms = null where expires_ms is not null'],
    ['life after revocation', 'update api_key set revoked_ms = null where revoked_ms is not null'],
    ['another creation time', `update api_key set created_ms = created_ms + 1 where id = ${FREE}`],
    [
      'a key that was never created',
      `insert into api_key select 'key_x', org, plan, scopes, 'h', prefix, limits, created_ms, expires_ms, revoked_ms, revision from api_key where id = ${FREE}`,
    ],
    ['a value that is not a list', `update api_key set scopes = '{}' where id = ${FREE}`],
  ])('%s: the key is invalid, and is reported', async (_, sql) => {
    const before = await stateOf(here);
    const kept = await here.keep();
    here.tamper(sql);
    const { keys, unlogged, broken } = await stateOf(here);
    expect(unlogged).toHaveLength(1);
    expect(broken).toBeUndefined();
    expect(keys.map(({ id }) => id)).not.toContain(unlogged[0]);
    expect(keys.filter((key) => !before.keys.some((other) => other.id === key.id))).toEqual([]);
    const [id = ''] = unlogged;
    await here.with(async (store) => {
      const next = keyRecord();
      await expect(store.keys.rotate({ oldId: id, oldEndsMs: ACTOR.atMs, next }, ACTOR)).rejects.toThrow();
      await store.keys.revoke(id, ACTOR);
    });
    await kept.restore();
    expect(await stateOf(here)).toEqual(before);
  });

  test('a missing row is reported', async () => {
    here.tamper("delete from api_key where plan = 'enterprise'");
    expect((await stateOf(here)).unlogged).toHaveLength(1);
  });

  test('the log cannot be forged to match: a valid entry requires the seal key', async () => {
    here.tamper(`
      update api_key set plan = 'enterprise' where plan = 'free';
      update audit_entry set details = replace(details, '"plan":"free"', '"plan":"enterprise"')`);
    const { keys, unlogged, broken } = await stateOf(here);
    expect(broken).toBe(1);
    expect(unlogged).toHaveLength(3);
    expect(keys.map(({ plan }) => plan)).toEqual(['enterprise']);
  });

  test('once revoked, a changed key is settled', async () => {
    here.tamper(`update api_key set plan = 'enterprise' where id = ${FREE}`);
    const [id = ''] = (await stateOf(here)).unlogged;
    await here.with(({ keys }) => keys.revoke(id, ACTOR));
    const after = await stateOf(here);
    expect(after.unlogged).toEqual([]);
    expect(after.keys.find((key) => key.id === id)?.revoked_ms).toBe(ACTOR.atMs);
  });
});

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCommandLine } from '../../../platform/command-line/command-line.ts';
import { KEYS } from '../../../platform/command-line/keys-commands.ts';
import { UsageError } from '../../../platform/command-line/usage-error.ts';
import { PLANS } from '../../../schemas/plans.ts';
import { hashKey, isWellFormedKey } from '../../../server/access/keys.ts';
import { demoKeys } from '../../../server/keys/demo.ts';
import { type IssuedKey, type Issuer, scopesOf } from '../../../server/keys/issue.ts';
import { parseCommand } from '../../../server/keys/parse.ts';
import { perform } from '../../../server/keys/perform.ts';
import { type OpsStore, StoreConflictError } from '../../../server/store/store.ts';
import { NOW_MS, StoreFixture } from '../store/store-fixture.ts';

let fixture: StoreFixture;
let store: OpsStore;
let nowMs: number;
let lines: string[];
let spreads: number;
let issuer: Issuer;

beforeEach(async () => {
  fixture = await StoreFixture.create();
  store = await fixture.open();
  [nowMs, lines, spreads] = [NOW_MS, [], 0];
  issuer = { keys: store.keys, who: 'cli:me', nowMs: () => nowMs, randomBytes };
});
afterEach(() => fixture.remove());

async function keys(line: string): Promise<{ code: number; text: string }> {
  lines = [];
  const print = (text: string) => lines.push(text);
  const spread = async () => {
    spreads += 1;
  };
  const read = readCommandLine(KEYS, line.split(' '));
  if (read.help !== null) throw new Error(`${line} asks for help`);
  const code = await perform(parseCommand(read.command, nowMs), { store, issuer, print, spread });
  return { code, text: lines.join('\n') };
}

const created = async (flags = ''): Promise<IssuedKey> =>
  JSON.parse((await keys(`create --org acme --plan team --json${flags}`)).text);

test('create prints exactly the documented JSON, the key only once, and waits until servers have seen it', async () => {
  const { code, text } = await keys('create --org acme --plan free --expires 1d --json');
  const issued = JSON.parse(text);
  expect(code).toBe(0);
  expect(spreads).toBe(1);
  expect(issued).toEqual({
    key: expect.stringMatching(/^rk_live_/),
    id: expect.stringMatching(/^key_[0-9A-HJKMNP-TV-Z]{26}$/),
    org: 'acme',
    plan: 'free',
    scopes: scopesOf('free'),
    expires_at: '2026-03-02T12:00:00.000Z',
  });
  expect(isWellFormedKey(issued.key)).toBe(true);
  expect(await store.keys.get(issued.id)).toMatchObject({
    hash: hashKey(issued.key),
    prefix: issued.key.slice(0, 12),
    org: 'acme',
  });
});

test('as text, create prints the key, its owner and that it is shown once', async () => {
  const { text } = await keys('create --org acme --plan team');
  expect(text).toMatch(/Key key_\w+ of acme, plan team, does not expire/);
  expect(text).toMatch(/^ {2}rk_live_[0-9A-Za-z]{38}$/m);
  expect(text).toContain('shown only once');
});

test('no other command prints a key or its hash', async () => {
  const { key, id } = await created();
  await keys(`rotate ${id}`);
  for (const line of [
    'list',
    'list --json',
    `show ${id}`,
    `show ${id} --json`,
    'audit',
    'audit --json',
    `revoke ${id}`,
  ]) {
    const { text } = await keys(line);
    expect(text).toContain(id);
    expect(text).not.toContain(key);
    expect(text).not.toContain(hashKey(key));
  }
});

test('list distinguishes active, expired and revoked keys', async () => {
  const [active, expired, revoked] = [await created(), await created(' --expires 1h'), await created()];
  await keys(`revoke ${revoked.id}`);
  nowMs += 3_600_000;
  const states = Object.fromEntries(
    JSON.parse((await keys('list --json')).text).map((key: { id: string; state: string }) => [
      key.id,
      key.state,
    ]),
  );
  expect(states).toEqual({ [active.id]: 'active', [expired.id]: 'expired', [revoked.id]: 'revoked' });
  expect((await keys('list')).text).toContain('expired');
  expect((await keys('list --org other')).text).toContain('There are no keys');
});

test('rotate creates a key with the same rights, and the old one ends after the overlap', async () => {
  const old = await created(' --scopes data:read');
  const { text } = await keys(`rotate ${old.id} --overlap 1h --json`);
  const next: IssuedKey = JSON.parse(text);
  expect(next).toEqual({ ...old, key: next.key, id: next.id });
  expect(next.key).not.toBe(old.key);
  expect((await store.keys.get(old.id))?.expires_ms).toBe(NOW_MS + 3_600_000);
  expect((await keys(`rotate ${next.id} --overlap 0s`)).text).toContain(
    `The key ${next.id} stays valid until 2026-03-01T12:00`,
  );
});

test('a rotated key has the lifetime of the old one, unless stated otherwise', async () => {
  const old = await created(' --expires 30d');
  nowMs += 10 * 86_400_000;
  const next: IssuedKey = JSON.parse((await keys(`rotate ${old.id} --json`)).text);
  expect(next.expires_at).toBe('2026-04-10T12:00:00.000Z');
  const last: IssuedKey = JSON.parse((await keys(`rotate ${next.id} --expires never --json`)).text);
  expect(last.expires_at).toBeNull();
});

test('contractual limits carry over to a rotated key', async () => {
  const { text } = await keys('create --org acme --plan custom --requests-per-minute 7 --json');
  const next: IssuedKey = JSON.parse((await keys(`rotate ${JSON.parse(text).id} --json`)).text);
  expect((await store.keys.get(next.id))?.limits).toEqual({ requests_per_minute: 7 });
});

test('revoke reports whether the key was already revoked', async () => {
  const { id } = await created();
  expect((await keys(`revoke ${id}`)).text).toBe(`The key ${id} is revoked.`);
  expect(await keys(`revoke ${id}`)).toEqual({ code: 0, text: `The key ${id} was already revoked.` });
});

test.each(['show', 'rotate', 'revoke'])(
  '%s of an unknown key is a usage error, and changes nothing',
  async (name) => {
    await expect(keys(`${name} key_none`)).rejects.toThrow(UsageError);
    expect(await store.audit.list(0, 10)).toEqual([]);
  },
);

test('a revoked key is not rotated', async () => {
  const { id } = await created();
  await keys(`revoke ${id}`);
  await expect(keys(`rotate ${id}`)).rejects.toThrow('has ended');
});

test('audit lists who did what, and reports a damaged log', async () => {
  const { id } = await created();
  expect((await keys('audit')).text).toContain(`cli:me  key.create  ${id}`);
  expect(await keys('audit --verify')).toEqual({ code: 0, text: 'The audit log is intact.' });
  fixture.connections.at(-1)?.exec("update audit_head set hash = 'x'");
  expect(await keys('audit --verify')).toEqual({
    code: 1,
    text: 'The audit log is damaged from entry 2 on.',
  });
  expect((await keys('audit --verify --json')).text).toBe(
    '{"is_whole":false,"first_broken_seq":2,"keys_not_as_logged":[]}',
  );
});

test('there is one demo key per plan, new at every start, and earlier ones are revoked', async () => {
  const own = await created();
  const first = await demoKeys(store, issuer);
  expect(first.map(({ plan, scopes }) => ({ plan, scopes }))).toEqual(
    (Object.keys(PLANS) as (keyof typeof PLANS)[]).map((plan) => ({ plan, scopes: scopesOf(plan) })),
  );
  expect(new Set(first.map(({ org }) => org)).size).toBe(first.length);
  const second = await demoKeys(store, issuer);
  for (const { id } of first) expect((await store.keys.get(id))?.revoked_ms).toBe(NOW_MS);
  for (const { id } of [...second, own]) expect((await store.keys.get(id))?.revoked_ms).toBeNull();
  expect(await store.audit.verify()).toBeUndefined();
});

test('either all demo keys are created or none', async () => {
  await demoKeys(store, issuer);
  const before = await store.keys.list();
  let drawn = 0;
  const failing = (count: number) => {
    drawn += 1;
    if (drawn > 5) throw new StoreConflictError('no more chance');
    return randomBytes(count);
  };
  await expect(demoKeys(store, { ...issuer, randomBytes: failing })).rejects.toThrow('no more chance');
  expect(await store.keys.list()).toEqual(before);
});

// Guessing keys: the guesser is throttled by address, and nothing changes for others behind that address.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdmissionControl, type AdmissionDeps } from '../../../server/access/admit.ts';
import { localLimits } from '../../../server/access/limits.ts';
import { hashKey, makeKey } from '../../../server/access/keys.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { KeyRecord } from '../../../server/store/store.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { type RawAnswer, raw } from '../http/raw-http.ts';
import { ServerFixture } from '../server-fixture.ts';

const OPEN = '/v2/data-manifest';
const PREPARED = '/data/oracle/chainlink/pairs';
const ROUTED = '/data/oracle/chainlink/ETH-USD';
const LIMIT = 10;

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
});
afterEach(() => fixture.remove());

const ask = ({ url }: RunningServer, key: string, more: Record<string, string> = {}, path = OPEN) =>
  raw(url, path, { Authorization: `Bearer ${key}`, ...more });
const guess = () => makeKey(randomBytes);
function seen({ status, body }: RawAnswer): readonly [number, string] {
  const { error } = JSON.parse(body.toString()) as { error?: { code: string } | null };
  return [status, error?.code ?? 'none'];
}

async function guessTimes(server: RunningServer, times: number, more: Record<string, string> = {}) {
  const codes: string[] = [];
  for (let i = 0; i < times; i++) codes.push(seen(await ask(server, guess(), more))[1]);
  return codes;
}

test('after ten guesses in a minute, an address gets 429 for every further guess, and valid keys are admitted', async () => {
  const key = await fixture.key('enterprise');
  let steadyMs = 0;
  const server = await fixture.serve({ anonymousPlan: null, steadyMs: () => steadyMs });
  expect(await guessTimes(server, LIMIT)).toEqual(Array(LIMIT).fill('invalid_key'));
  expect(await guessTimes(server, 40)).toEqual(Array(40).fill('rate_limited'));
  const refused = await ask(server, guess());
  expect([...seen(refused), refused.headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
  for (const path of [OPEN, PREPARED, ROUTED]) expect((await ask(server, key, {}, path)).status).toBe(200);
  steadyMs = 60_000;
  expect(await guessTimes(server, 1)).toEqual(['invalid_key']);
});

test('malformed keys are not guesses; once an address is throttled, they reveal no more than guesses do', async () => {
  const server = await fixture.serve({ anonymousPlan: null, steadyMs: () => 0 });
  for (let i = 0; i < 15; i++) expect(seen(await ask(server, 'rk_live_slip'))).toEqual([401, 'invalid_key']);
  expect(await guessTimes(server, LIMIT)).toEqual(Array(LIMIT).fill('invalid_key'));
  expect(seen(await ask(server, 'rk_live_slip'))).toEqual([429, 'rate_limited']);
});

test('a throttled address cannot tell a key with a wrong last character from one that does not exist', async () => {
  const key = await fixture.key('enterprise');
  const server = await fixture.serve({ anonymousPlan: null, steadyMs: () => 0 });
  await guessTimes(server, LIMIT);
  const wrongLast = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
  const [unknown, close] = [await ask(server, guess()), await ask(server, wrongLast)];
  expect(seen(close)).toEqual(seen(unknown));
  expect(Object.keys(close.headers)).toEqual(Object.keys(unknown.headers));
});

test('behind an unconfigured proxy, all guesses count together, and no customer is refused', async () => {
  const key = await fixture.key('enterprise');
  const server = await fixture.serve({ anonymousPlan: null, steadyMs: () => 0 });
  const stranger = { 'X-Forwarded-For': '203.0.113.9' };
  const customer = { 'X-Forwarded-For': '198.51.100.7' };
  await guessTimes(server, LIMIT, stranger);
  expect(seen(await ask(server, guess(), customer))).toEqual([429, 'rate_limited']);
  expect((await ask(server, key, customer)).status).toBe(200);
});

test('behind a trusted proxy, only the guesser is throttled', async () => {
  const key = await fixture.key('enterprise');
  const server = await fixture.serve({
    anonymousPlan: null,
    steadyMs: () => 0,
    trustedProxies: ['127.0.0.1'],
  });
  const stranger = { 'X-Forwarded-For': '203.0.113.9' };
  const customer = { 'X-Forwarded-For': '198.51.100.7' };
  await guessTimes(server, LIMIT, stranger);
  expect(seen(await ask(server, guess(), stranger))).toEqual([429, 'rate_limited']);
  expect(seen(await ask(server, guess(), customer))).toEqual([401, 'invalid_key']);
  expect((await ask(server, key, stranger)).status).toBe(200);
  expect((await ask(server, key, customer)).status).toBe(200);
});

test('none of many requests with a valid key is refused among guesses from its address', async () => {
  const key = await fixture.key('enterprise', { limits: { requests_per_minute: 1_000_000 } });
  const server = await fixture.serve({ anonymousPlan: null, steadyMs: () => 0 });
  const valid: number[] = [];
  const guesses: string[] = [];
  const sender = async (first: number) => {
    for (let i = first; i < COUNTS.keyGuesses; i += 20) {
      guesses.push(seen(await ask(server, guess()))[1]);
      valid.push((await ask(server, key, {}, i % 2 === 0 ? PREPARED : ROUTED)).status);
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, first) => sender(first)));
  expect(valid).toHaveLength(COUNTS.keyGuesses);
  expect(valid.filter((status) => status !== 200)).toEqual([]);
  expect(guesses.filter((code) => code === 'invalid_key')).toHaveLength(LIMIT);
  expect(guesses.filter((code) => code === 'rate_limited')).toHaveLength(COUNTS.keyGuesses - LIMIT);
});

test('ten thousand guesses at the gate itself: a valid key is admitted after each of them', async () => {
  const text = guess();
  const known: KeyRecord = {
    id: 'key_1',
    org: 'acme',
    plan: 'enterprise',
    scopes: [],
    hash: hashKey(text),
    prefix: '',
    limits: { requests_per_minute: 1e9 },
    created_ms: 0,
    expires_ms: null,
    revoked_ms: null,
  };
  const deps: AdmissionDeps = {
    limits: localLimits(),
    keys: { generation: 1, find: (hash) => (hash === known.hash ? known : undefined) },
    anonymousPlan: null,
    trustedProxies: [],
    isUncounted: () => false,
    isBrowsed: () => false,
    steadyMs: () => 0,
  };
  const gate = new AdmissionControl(deps);
  const from = () => ({ headers: {}, socket: { remoteAddress: '203.0.113.9' } }) as IncomingMessage;
  const at = { nowMs: 0, steadyMs: 0 };
  let refused = 0;
  for (let i = 0; i < 10_000; i++) {
    await gate.admit(from(), guess(), at);
    if ((await gate.admit(from(), text, at)).failure !== undefined) refused++;
  }
  expect(refused).toBe(0);
  expect(gate.counts.guesses_refused).toBe(10_000 - LIMIT);
});

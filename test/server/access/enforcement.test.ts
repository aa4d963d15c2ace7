// Keys, plans, scopes and limits over real HTTP, on prepared and routed responses alike.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { assetPath } from '../../../server/web/assets.ts';
import { AS_OF_MS, DAY_MS, ServerFixture } from '../server-fixture.ts';

const PREPARED = '/data/oracle/chainlink/pairs';
const ROUTED = '/data/oracle/%63hainlink/pairs';
const COVERAGE = '/v2/data-manifest/coverage';
const REPLAY = '/v2/events/replay';
const OPEN = '/v2/data-manifest';
const BROWSED = ['/v2/versions', '/v2/pegs?limit=1', '/v2/pegs/ethereum/USDC/series'];

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
});
afterEach(() => fixture.remove());

const closed = (more: Parameters<ServerFixture['serve']>[0] = {}) =>
  fixture.serve({ anonymousPlan: null, ...more });
const ask = (server: RunningServer, path: string, key?: string, more: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { ...(key && { Authorization: `Bearer ${key}` }), ...more } });
const codeOf = async (answer: Response): Promise<string> => {
  const { error } = (await answer.json()) as { error: string | { code: string } | null };
  return typeof error === 'string' ? error : (error?.code ?? 'none');
};
const seen = async (answer: Response) => [answer.status, await codeOf(answer)];

test.each([PREPARED, ROUTED])('without a key, %s reports a missing key, in the legacy form', async (path) => {
  const answer = await ask(await closed(), path);
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(await answer.json()).toMatchObject({
    status: false,
    data: [],
    error: { code: 'missing_auth', request_id: answer.headers.get('x-request-id') },
  });
});

test('every state of a key has its own code, on prepared, routed and open paths', async () => {
  const good = await fixture.key('free');
  const last = good.at(-1) === 'A' ? 'B' : 'A';
  const keys: readonly (readonly [string, string, number])[] = [
    [good, 'none', 200],
    [good.slice(0, -1) + last, 'invalid_key', 401],
    ['rk_live_short', 'invalid_key', 401],
    [await fixture.key('free', { expires_ms: AS_OF_MS }), 'expired_key', 401],
    [await fixture.key('free', { expires_ms: AS_OF_MS + 1 }), 'none', 200],
    [await fixture.key('free', { revoked_ms: AS_OF_MS - DAY_MS }), 'revoked_key', 401],
  ];
  const server = await closed();
  for (const path of [PREPARED, ROUTED, OPEN])
    for (const [key, code, status] of keys)
      expect([path, ...(await seen(await ask(server, path, key)))]).toEqual([path, status, code]);
  expect(await seen(await ask(server, '/nowhere', 'rk_live_short'))).toEqual([401, 'invalid_key']);
  expect(await seen(await ask(server, '/nowhere'))).toEqual([404, 'not_found']);
});

test('a key is read only from the header, with the scheme in any case, and with no other scheme', async () => {
  const key = await fixture.key('free');
  const server = await closed();
  const by = (Authorization: string) => fetch(server.url + PREPARED, { headers: { Authorization } });
  expect((await by(`bearer ${key}`)).status).toBe(200);
  expect(await seen(await by(`Basic ${key}`))).toEqual([401, 'missing_auth']);
  expect(await seen(await by(key))).toEqual([401, 'missing_auth']);
  expect(await seen(await ask(server, `${PREPARED}?token=${key}`))).toEqual([401, 'missing_auth']);
});

test.each([
  ['free', COVERAGE, 402, 'plan_upgrade_required'],
  ['analyst', COVERAGE, 402, 'plan_upgrade_required'],
  ['team', COVERAGE, 200, 'none'],
  ['free', '/v2/datasets/coverage.csv', 402, 'plan_upgrade_required'],
  ['free', REPLAY, 404, 'REPLAY_NOT_AVAILABLE'],
  ['analyst', REPLAY, 200, 'none'],
] as const)('on plan %s, %s returns %i %s', async (plan, path, status, code) => {
  const key = await fixture.key(plan);
  const answer = await ask(await closed(), path, key);
  expect(await seen(answer)).toEqual([status, code]);
});

test('a refusal because of the plan names the sufficient plans, and where to get one', async () => {
  const key = await fixture.key('analyst');
  const answer = await ask(await closed(), COVERAGE, key);
  expect(await answer.json()).toMatchObject({
    error: {
      details: {
        current_plan: 'analyst',
        required_plans: ['team', 'enterprise', 'custom'],
        upgrade_url: 'https://docs.example/docs#plans',
      },
    },
  });
});

test('replay responds in the standard form without a valid key, and in its own form with one', async () => {
  const server = await closed();
  expect(await (await ask(server, REPLAY)).json()).toMatchObject({ error: { code: 'missing_auth' } });
});

test('a refusal of a key names the scope it lacks', async () => {
  const key = await fixture.key('enterprise', { scopes: ['scores:read'] });
  const answer = await ask(await closed(), COVERAGE, key);
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    error: { code: 'insufficient_scope', details: { required_scope: 'manifest:read' } },
  });
});

test('a contract overrides the limits of its plan: replay window and requests per minute', async () => {
  const key = await fixture.key('custom', { limits: { replay_window_days: 3, requests_per_minute: 5 } });
  const answer = await ask(await closed(), REPLAY, key);
  expect(await answer.json()).toMatchObject({ window_days: 3 });
  expect(answer.headers.get('x-ratelimit-limit')).toBe('5');
});

test('exactly the limit passes, prepared, routed, wrong and 304 alike; further requests wait a minute', async () => {
  const key = await fixture.key('free');
  let steady = 0;
  const server = await closed({ steadyMs: () => steady });
  const etag = (await ask(server, PREPARED, key)).headers.get('etag') ?? '';
  const paths = [PREPARED, ROUTED, '/nowhere', OPEN];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      ask(server, paths[i % 4] ?? OPEN, key, i % 3 === 0 ? { 'If-None-Match': etag } : {}),
    ),
  );
  expect(answers.filter(({ status }) => status !== 429)).toHaveLength(29);
  const refused = answers.filter(({ status }) => status === 429);
  for (const { headers } of refused) {
    expect(headers.get('retry-after')).toBe('60');
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('x-ratelimit-limit')).toBe('30');
    expect(headers.get('x-ratelimit-reset')).toBe(String(AS_OF_MS / 1000 + 60));
  }
  expect(await codeOf(refused[0] as Response)).toBe('rate_limit_exceeded');
  steady = 60_000;
  expect((await ask(server, PREPARED, key)).status).toBe(200);
});

test('organisations, and addresses without a key, do not share a rate-limit window', async () => {
  const [ours, also, theirs] = [
    await fixture.key('free'),
    await fixture.key('free'),
    await fixture.key('free', { org: 'other' }),
  ];
  const server = await closed({ steadyMs: () => 0 });
  for (let i = 0; i < 30; i++) await (await ask(server, OPEN, ours)).arrayBuffer();
  expect((await ask(server, OPEN, also)).status).toBe(429);
  expect((await ask(server, OPEN, theirs)).status).toBe(200);
  expect((await ask(server, OPEN)).status).toBe(200);
});

test('without a key and on the Free plan, open lists and histories have a separate limit, four times as large', async () => {
  const free = await fixture.key('free');
  const paid = await fixture.key('analyst', { org: 'other' });
  const server = await closed({ steadyMs: () => 0 });
  for (const key of [undefined, free]) {
    for (let i = 0; i < 30; i++) await (await ask(server, OPEN, key)).arrayBuffer();
    expect((await ask(server, OPEN, key)).status).toBe(429);
    const browsed = await ask(server, BROWSED[0] ?? '', key);
    expect(browsed.headers.get('x-ratelimit-limit')).toBe('120');
    for (let i = 1; i < 120; i++)
      await (await ask(server, BROWSED[i % BROWSED.length] ?? '', key)).arrayBuffer();
    expect((await ask(server, BROWSED[0] ?? '', key)).status).toBe(429);
  }
  for (const path of [OPEN, ...BROWSED])
    expect((await ask(server, path, paid)).headers.get('x-ratelimit-limit')).toBe('300');
});

test('probes and page assets do not count, and are served when the limit is used up', async () => {
  const server = await closed({ steadyMs: () => 0 });
  for (const path of ['/v1/ready', assetPath('site.css'), assetPath('page-now.js')])
    for (let i = 0; i < 20; i++) expect((await ask(server, path)).status).toBe(200);
  for (let i = 0; i < 30; i++) await (await ask(server, OPEN)).arrayBuffer();
  expect((await ask(server, OPEN)).status).toBe(429);
  expect((await ask(server, '/v1/health')).status).toBe(200);
});

test('a preflight does not use up what its address may request without a key', async () => {
  const server = await closed({ anonymousPlan: 'free', steadyMs: () => 0 });
  const headers = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' };
  for (let n = 0; n < 100; n++) {
    const { status } = await fetch(`${server.url}/v2/datasets`, { method: 'OPTIONS', headers });
    expect(status).toBe(204);
  }
  const { status, headers: shown } = await fetch(`${server.url}/v2/data-manifest`);
  expect([status, shown.get('x-ratelimit-remaining')]).toEqual([200, '29']);
});

test('the three rate-limit headers are on every response', async () => {
  const server = await closed();
  for (const [path, method] of [
    [OPEN, 'GET'],
    [PREPARED, 'GET'],
    ['/nowhere', 'GET'],
    [OPEN, 'PUT'],
    ['/v1/health', 'HEAD'],
  ] as const) {
    const { headers } = await fetch(server.url + path, { method });
    for (const name of ['limit', 'remaining', 'reset'])
      expect(headers.get(`x-ratelimit-${name}`), `${method} ${path} ${name}`).toMatch(/^[0-9]+$/);
  }
});

test('a browser may send requests from any page, and can read the headers of the service', async () => {
  const server = await closed();
  const preflight = await fetch(server.url + COVERAGE, {
    method: 'OPTIONS',
    headers: { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
  const answer = await ask(server, COVERAGE, undefined, { Origin: 'https://page.example' });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Limit');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  const open = await ask(server, OPEN);
  expect(open.headers.get('vary')).toContain('Origin');
  expect(open.headers.get('access-control-allow-origin')).toBeNull();
  const bare = await fetch(server.url + COVERAGE, { method: 'OPTIONS' });
  expect(await seen(bare)).toEqual([401, 'missing_auth']);
});

test('open responses are public even with a key; responses that require a key are private', async () => {
  const key = await fixture.key('team');
  const server = await closed();
  const cacheOf = async (path: string) => (await ask(server, path, key)).headers.get('cache-control');
  expect(await cacheOf(OPEN)).toMatch(/^public, /);
  expect(await cacheOf(PREPARED)).toMatch(/^private, /);
  expect((await ask(server, PREPARED, key)).headers.get('vary')).toContain('Authorization');
});

test('a retired path returns 410 and names its successor', async () => {
  fixture.nowMs = Date.parse('2026-06-01T00:00:00Z');
  const answer = await ask(await closed(), '/v1/data-manifest');
  expect(answer.headers.get('link')).toBe('</v2/data-manifest>; rel="successor-version"');
  expect(answer.headers.get('sunset')).toBe('Mon, 01 Jun 2026 00:00:00 GMT');
  expect(answer.headers.get('deprecation')).toBe('true');
  expect(await seen(answer)).toEqual([410, 'gone']);
});

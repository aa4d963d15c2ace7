import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Call, DEFAULT_HOST, NetClient } from '../../../jobs/net/client.ts';
import { undiciExchange } from '../../../jobs/net/exchange.ts';
import { NetFault } from '../../../jobs/net/net-fault.ts';
import { describeRealData, realData } from '../../support/real-data.ts';
import { type Asked, json, type ReplayServer, type Reply, replayServer } from './replay-server.ts';
import { virtualClock } from './virtual-clock.ts';

const agent = new Agent({ keepAliveTimeout: 10 });
const servers: ReplayServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => agent.close());

const START = Date.parse('2026-01-01T00:00:00Z');

async function clientFor(reply: (asked: Asked, count: number) => Reply) {
  const server = await replayServer(reply);
  servers.push(server);
  const clock = virtualClock(START);
  const hosts = {
    'api.example': { ...DEFAULT_HOST, requests_per_minute: 6_000_000, address: server.address },
  };
  const client = new NetClient({ exchange: undiciExchange(agent), clock, random: () => 0.5, hosts });
  return { server, clock, client };
}

const call = (more: Partial<Call> & { path?: string; body?: string } = {}): Call => ({
  request: {
    method: more.body === undefined ? 'GET' : 'POST',
    url: `https://api.example${more.path ?? '/x'}`,
    headers: {},
    body: more.body ?? null,
  },
  expected: { format: 'json', protocol: 'plain' },
  limits: { timeoutMs: 2_000, maxBytes: 1_000_000 },
  urgency: 'tip',
  ...more,
});

const faultOf = (promise: Promise<unknown>): Promise<NetFault> =>
  promise.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: unknown) => {
      if (error instanceof NetFault) return error;
      throw error;
    },
  );

test('a response keeps its bytes, even when sent compressed', async () => {
  const text = '{"amount": 340282366920938463463374607431768211455}';
  const { client } = await clientFor(() => ({
    body: gzipSync(text),
    headers: { 'content-encoding': 'gzip' },
  }));
  const { body, url } = await client.call(call({ path: '/a?b=1' }));
  expect(body.text()).toBe(text);
  expect(url).toBe('https://api.example/a?b=1');
});

const ok = json({ ok: true });
const troubles: { readonly [name: string]: Reply } = {
  '429': { status: 429 },
  '408': { status: 408 },
  '425': { status: 425 },
  '500': { status: 500, body: 'oops' },
  '503 with a page': { status: 503, headers: { 'content-type': 'text/html' }, body: '<html>' },
  'a page with 200': { headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html><html></html>' },
  'a page that calls itself JSON': { body: '<html><body>Just a moment…</body></html>' },
  'a cut body': { body: JSON.stringify({ a: 'x'.repeat(5_000) }), cutAt: 2_000 },
  'JSON cut without a trace': { body: '{"a": [1, 2' },
  'an empty body': { body: '' },
  'text instead of JSON': { body: 'error code: 1015', headers: { 'content-type': 'text/plain' } },
};

test.each(Object.entries(troubles))('%s is retried until it passes', async (_, trouble) => {
  const { client, server } = await clientFor((_asked, count) => (count <= 2 ? trouble : ok));
  expect((await client.call(call())).body.text()).toBe('{"ok":true}');
  expect(server.asked).toHaveLength(3);
});

test.each(Object.entries(troubles))('%s on every attempt is a transient fault', async (_, trouble) => {
  const { client, server } = await clientFor(() => trouble);
  const fault = await faultOf(client.call(call()));
  expect(fault.isTransient).toBe(true);
  expect(server.asked).toHaveLength(5);
});

test('a response that begins with a byte order mark is data', async () => {
  const { client, server } = await clientFor(() => ({ body: '\uFEFF{"a": 1}' }));
  const { body } = await client.call(call());
  expect(body.text()).toBe('\uFEFF{"a": 1}');
  expect(server.asked).toHaveLength(1);
});

test('a POST is retried like a GET', async () => {
  const { client, server } = await clientFor((_, count) => (count === 1 ? { status: 503 } : ok));
  await client.call(call({ body: '{"q":1}' }));
  expect(server.asked.map(({ method, body }) => `${method} ${body}`)).toEqual([
    'POST {"q":1}',
    'POST {"q":1}',
  ]);
});

test.each([400, 401, 402, 403, 404, 410, 422])(
  '%i is not retried, and the fault says what to do',
  async (status) => {
    const { client, server } = await clientFor(() => ({ status, body: '{"error":"no"}' }));
    const fault = await faultOf(client.call(call()));
    expect(fault.kind).toBe('refused');
    expect(fault.todo).not.toBeNull();
    expect(server.asked).toHaveLength(1);
  },
);

test('a 403 that means a limit is a limit', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(START / 1000 + 20) };
  const { client, clock } = await clientFor((_, count) => (count === 1 ? { status: 403, headers } : ok));
  await client.call(call());
  expect(clock.slept[0]).toBeGreaterThanOrEqual(20_000);
});

test.each([
  ['seconds', '7'],
  ['a date', new Date(START + 7_000).toUTCString()],
])('Retry-After in %s is the minimum wait', async (_, value) => {
  const trouble = { status: 429, headers: { 'retry-after': value } };
  const { client, clock } = await clientFor((_asked, count) => (count === 1 ? trouble : ok));
  await client.call(call());
  expect(clock.slept[0]).toBeGreaterThanOrEqual(7_000);
  expect(clock.slept[0]).toBeLessThanOrEqual(7_500);
});

test('a wait past the deadline ends at once and says how long', async () => {
  const { client, server, clock } = await clientFor(() => ({
    status: 429,
    headers: { 'retry-after': '3600' },
  }));
  const fault = await faultOf(client.call(call()));
  expect(fault.retryAfterMs).toBe(3_600_000);
  expect(server.asked).toHaveLength(1);
  expect(clock.slept).toEqual([]);
});

test('limits inside a 200 are limits, and other errors are not retried', async () => {
  const rpc = call({ expected: { format: 'json', protocol: 'json_rpc' }, body: '{}' });
  const limit = { jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'daily request count exceeded' } };
  const wrong = {
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32602, message: 'block range extends beyond head' },
  };
  const first = await clientFor((_, count) => (count === 1 ? json(limit) : json({ id: 1, result: null })));
  expect((await first.client.call(rpc)).body.text()).toBe('{"id":1,"result":null}');
  const second = await clientFor(() => json(wrong));
  expect((await faultOf(second.client.call(rpc))).message).toContain('-32602');
  expect(second.server.asked).toHaveLength(1);
  const graphql = call({ expected: { format: 'json', protocol: 'graphql' }, body: '{}' });
  const third = await clientFor(() => json({ data: null, errors: [{ message: 'Cannot query field "x"' }] }));
  expect((await faultOf(third.client.call(graphql))).kind).toBe('refused');
  const fourth = await clientFor((_, count) =>
    count === 1 ? json({ errors: [{ message: 'Rate limit exceeded' }] }) : json({ data: { votes: [] } }),
  );
  expect((await fourth.client.call(graphql)).status).toBe(200);
});

test('a body beyond the limit is rejected before it is buffered', async () => {
  const { client } = await clientFor(() => ({ body: `"${'x'.repeat(2_000)}"` }));
  const limits = { timeoutMs: 2_000, maxBytes: 1_000 };
  expect((await faultOf(client.call(call({ limits })))).kind).toBe('too_large');
  const bomb = await clientFor(() => ({
    body: gzipSync(`"${'x'.repeat(100_000)}"`),
    headers: { 'content-encoding': 'gzip' },
  }));
  expect((await faultOf(bomb.client.call(call({ limits })))).kind).toBe('too_large');
});

test('a host that never responds costs no more than the timeout', async () => {
  const { client } = await clientFor(() => ({ isSilent: true }));
  const fault = await faultOf(client.call(call({ limits: { timeoutMs: 100, maxBytes: 1_000 } })));
  expect(fault.kind).toBe('timeout');
});

test('redirects are followed, and credentials stay with their host', async () => {
  const other = await replayServer(() => ok);
  servers.push(other);
  const { client, server } = await clientFor(({ path }) =>
    path === '/x' ? { status: 302, headers: { location: `${other.address}/y` } } : ok,
  );
  const base = call();
  await client.call({ ...base, request: { ...base.request, headers: { authorization: 'Bearer secret' } } });
  expect(server.asked[0]?.headers.authorization).toBe('Bearer secret');
  expect(other.asked[0]?.headers.authorization).toBeUndefined();
  const loop = await clientFor(() => ({ status: 302, headers: { location: '/x' } }));
  expect((await faultOf(loop.client.call(call()))).kind).toBe('redirect');
});

test('a body, which may hold credentials, is not sent on to another host', async () => {
  const other = await replayServer(() => ok);
  servers.push(other);
  const post = { ...call().request, method: 'POST' as const, body: '{"key": "secret"}' };
  const to = async (status: number, location: string) => {
    const { client } = await clientFor(({ path }) =>
      path === '/x' ? { status, headers: { location } } : ok,
    );
    return client.call(call({ request: post })).then(
      () => 'sent',
      (fault: NetFault) => fault.kind,
    );
  };
  for (const status of [307, 308]) {
    expect(await to(status, `${other.address}/y`)).toBe('redirect');
    expect(await to(status, '/y')).toBe('sent');
  }
  expect(other.asked).toEqual([]);
  expect(await to(303, `${other.address}/y`)).toBe('sent');
  expect(other.asked[0]?.method).toBe('GET');
});

test('a host that keeps failing is left alone for a while, then probed with one request', async () => {
  const { client, server, clock } = await clientFor(() => ({ status: 500 }));
  await faultOf(client.call(call()));
  expect(server.asked).toHaveLength(5);
  expect((await faultOf(client.call(call()))).kind).toBe('circuit');
  expect(server.asked).toHaveLength(5);
  await clock.sleep(60_001);
  await faultOf(client.call(call()));
  expect(server.asked).toHaveLength(6);
  await clock.sleep(60_001);
  expect((await faultOf(client.call(call()))).kind).toBe('circuit');
});

test('the daily budget of bytes stops history first', async () => {
  const server = await replayServer(() => json('x'.repeat(98)));
  servers.push(server);
  const clock = virtualClock(START);
  const hosts = {
    'api.example': {
      in_flight: 1,
      requests_per_minute: 6_000_000,
      bytes_per_day: 400,
      address: server.address,
    },
  };
  const client = new NetClient({ exchange: undiciExchange(agent), clock, random: () => 0, hosts });
  const results: string[] = [];
  for (const urgency of ['history', 'history', 'history', 'tip', 'tip', 'tip'] as const)
    results.push(
      await client.call(call({ urgency })).then(
        () => 'sent',
        (fault: NetFault) => fault.kind,
      ),
    );
  expect(results).toEqual(['sent', 'sent', 'budget', 'sent', 'sent', 'budget']);
  await clock.sleep(86_400_000);
  expect((await client.call(call())).status).toBe(200);
});

test('the bytes of responses that are no data count towards the daily budget', async () => {
  const { client } = await clientFor(() => ({ status: 503, body: 'x'.repeat(1_000) }));
  await faultOf(client.call(call()));
  expect(client.uses()['api.example']?.bytes).toBe(5_000);
  const large = await clientFor(() => ({ body: 'x'.repeat(3_000) }));
  const fault = await faultOf(large.client.call(call({ limits: { timeoutMs: 1_000, maxBytes: 1_000 } })));
  expect([fault.kind, (large.client.uses()['api.example']?.bytes ?? 0) > 1_000]).toEqual(['too_large', true]);
});

test('requests to a host are spaced out and take turns', async () => {
  const server = await replayServer(() => ok);
  servers.push(server);
  const clock = virtualClock(START);
  const hosts = { 'api.example': { ...DEFAULT_HOST, requests_per_minute: 10, address: server.address } };
  const client = new NetClient({ exchange: undiciExchange(agent), clock, random: () => 0, hosts });
  await Promise.all(Array.from({ length: 5 }, () => client.call(call())));
  expect(clock.nowMs() - START).toBe(4 * 6_000);
});

test('a redirect counts as a request, and the next request is spaced from it', async () => {
  const server = await replayServer(({ path }) =>
    path === '/x' ? { status: 302, headers: { location: '/y' } } : ok,
  );
  servers.push(server);
  const clock = virtualClock(START);
  const hosts = { 'api.example': { ...DEFAULT_HOST, requests_per_minute: 10, address: server.address } };
  const client = new NetClient({ exchange: undiciExchange(agent), clock, random: () => 0, hosts });
  for (let count = 0; count < 3; count++) await client.call(call());
  expect(client.uses()['api.example']?.requests).toBe(6);
  expect(clock.nowMs() - START).toBe(4 * 6_000);
});

describeRealData('recorded responses', () => {
  const recorded = (path: string) => readFileSync(realData(`recorded/${path}`));
  const mapping = (name: string) =>
    JSON.parse(recorded(`github/hub4j/${name}.mapping.json`).toString()).response;

  test('55 kB of HTML with status 503 is a server fault, not data', async () => {
    const { status, body, headers } = mapping('503-html');
    const { client } = await clientFor(() => ({
      status,
      body,
      headers: { 'content-type': headers['Content-Type'] ?? 'text/html' },
    }));
    const fault = await faultOf(client.call(call()));
    expect(fault.kind).toBe('server');
    expect(fault.message.length).toBeLessThan(100);
  });

  test.each(['403-rate-limit', '403-secondary-limit', '429-no-retry-after'])(
    '%s is a limit',
    async (name) => {
      const { status, headers, body = '', jsonBody } = mapping(name);
      const plain = Object.fromEntries(
        Object.entries(headers as { [name: string]: string | string[] }).flatMap(([key, value]) =>
          String(value).includes('{{') || /content-(encoding|length)|transfer/i.test(key)
            ? []
            : [[key, String(value)]],
        ),
      );
      const text = jsonBody === undefined ? body : JSON.stringify(jsonBody);
      const { client } = await clientFor(() => ({ status, headers: plain, body: text }));
      expect((await faultOf(client.call(call()))).kind).toBe('limit');
    },
  );
});

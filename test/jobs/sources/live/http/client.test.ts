import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeRealData, realData } from '../../../../support/real-data.ts';
import { call, clientFor, closeServersAfterEach, faultOf, START } from './client-fixture.ts';
import { json, type Reply } from './replay-server.ts';

closeServersAfterEach();

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

const UNCONVERTIBLE = '{"toString":1,"valueOf":1}';
test.each([
  ['graphql', `{"errors":[{"message":${UNCONVERTIBLE}}]}`, 'GraphQL: an error without a message.'],
  ['graphql', `{"errors":[[${UNCONVERTIBLE}],null,7]}`, 'GraphQL: an error without a message; null; 7.'],
  ['graphql', `{"errors":[{}]}`, 'GraphQL: an error without a message.'],
  ['json_rpc', `{"error":{"message":${UNCONVERTIBLE}}}`, 'JSON-RPC error: an error without a message.'],
  ['json_rpc', `{"error":{"code":${UNCONVERTIBLE},"message":"x"}}`, 'JSON-RPC error: x.'],
  ['json_rpc', `{"error":[${UNCONVERTIBLE}]}`, 'JSON-RPC error: an error without a message.'],
  ['json_rpc', '{"error":{"message":"x"}}', 'JSON-RPC error: x.'],
] as const)('an error of %s that is %s is a refusal, not a failure of ours', async (protocol, body, text) => {
  const { client } = await clientFor(() => ({ body }));
  const fault = await faultOf(client.call(call({ expected: { format: 'json', protocol } })));
  expect(fault).toMatchObject({ kind: 'refused', message: expect.stringContaining(text) });
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

test.each([202, 205, 206, 207, 226, 304])('%i is no complete document', async (status) => {
  const headers = { 'content-range': 'bytes 0-9/100' };
  const { client } = await clientFor(() => ({ status, headers, body: '[1, 2]' }));
  expect(['server', 'refused', 'cut']).toContain((await faultOf(client.call(call()))).kind);
});

test('the user and password of an address are sent as basic authentication', async () => {
  const { client, server } = await clientFor(() => ok);
  const base = call();
  const url = 'https://me:p%40ss%zz@api.example/x';
  await client.call({ ...base, request: { ...base.request, url } });
  const [, pair = ''] = String(server.asked[0]?.headers.authorization).split('Basic ');
  expect(Buffer.from(pair, 'base64').toString()).toBe('me:p@ss%zz');
});

test('what is no address is a fault, not an error', async () => {
  const { client } = await clientFor(() => ok);
  const base = call();
  const fault = await faultOf(client.call({ ...base, request: { ...base.request, url: 'https://a b/x' } }));
  expect(fault.message).toContain('is not an address');
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServerFixture } from '../server-fixture.ts';
import { raw, rawHttp, rawHttpToTheEnd } from './raw-http.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
});
afterEach(() => fixture.remove());

const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
const idOf = (text: string) => /x-request-id: (\S+)/i.exec(text)?.[1];

test.each([
  '//',
  '/nothing',
  '/data',
  '/data/oracle/chainlink',
  '/data/oracle/chainlink/ETH-USD/more',
  '/v2',
  '/v2/data-manifest/',
  '/V2/data-manifest',
  '/v1/health/',
  '/scores/nothing/aave',
  '/__proto__',
  '/v1/%2e%2e/health',
  '//v1/health',
])('%s is 404 not_found in the standard body', async (path) => {
  const { url } = await fixture.serve();
  const answer = await raw(url, path);
  expect(answer.status).toBe(404);
  expect(JSON.parse(answer.body.toString())).toEqual({
    error: {
      code: 'not_found',
      message: 'There is nothing at this path.',
      request_id: answer.headers['x-request-id'],
      documentation_url: 'https://docs.example/errors/not_found',
    },
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
  '%s on a read-only path is 400 invalid_request, in the body of its family',
  async (method) => {
    const { url } = await fixture.serve();
    const v2 = await raw(url, '/v2/data-manifest', {}, method);
    expect([v2.status, v2.headers['allow']]).toEqual([400, 'GET, HEAD']);
    expect(JSON.parse(v2.body.toString())).toMatchObject({ error: { code: 'invalid_request' } });
    const legacy = await raw(url, '/data/oracle/chainlink/pairs', {}, method);
    expect(JSON.parse(legacy.body.toString())).toMatchObject({
      status: false,
      data: [],
      error: { code: 'invalid_request' },
    });
  },
);

test.each([
  '/%',
  '/v2/data-manifest?cursor=%E0%A4%A',
  '/data/oracle/chainlink/%FF',
  '/data/oracle/%C0%AF/pairs',
])('the malformed encoding in %s is 400 invalid_request', async (path) => {
  const answer = await raw((await fixture.serve()).url, path);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'invalid_request' } });
});

test('a URL that is too long is 400 invalid_request', async () => {
  const { url } = await fixture.serve();
  const answer = await raw(url, `/v2/data-manifest/coverage?scope_id=${'x'.repeat(5_000)}`);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'invalid_request' } });
});

test.each([
  ['a body with a length', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello'],
  [
    'a body in chunks',
    'GET /v2/data-manifest HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  ],
  ['no Host', 'GET /v1/nothing HTTP/1.1\r\n\r\n'],
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['another protocol', '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'],
  ['a method that does not exist', 'FETCH /v1/health HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a header without a name', 'GET /v1/health HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
  ['two lengths', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'],
  [
    'length and chunks',
    'POST /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['headers that are too long', `GET /v1/health HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['a space in the target', 'GET /v1/a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an expectation', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n'],
])('%s is 400 invalid_request with a request id', async (_, bytes) => {
  const text = await rawHttp((await fixture.serve()).port, bytes);
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(bodyOf(text)).toMatchObject({ error: { code: 'invalid_request', request_id: idOf(text) } });
});

describe('the Host header', () => {
  const PATHS = [
    '/v1/health', // open
    '/docs', // a page
    '/data/oracle/chainlink/pairs', // prepared
    '/data/oracle/chainlink/pairs?x=1', // the same, routed
    '/v2/data-manifest',
    '/v2/data-manifest/coverage?limit=5',
    '/v2/events/replay',
    '/v2/ws/risk-events',
    '/nowhere',
    'http://other/v1/health',
  ];
  const HOSTS: readonly (readonly [string, string])[] = [
    ['none', ''],
    ['two', 'Host: a\r\nHost: b\r\n'],
    ['two that are the same', 'Host: a\r\nHost: a\r\n'],
    ['two in other letters', 'host: a\r\nAccept: */*\r\nHOST: a\r\n'],
    ['an empty one and another', 'Host:\r\nHost: a\r\n'],
    ['a list', 'Host: a, b\r\n'],
    ['a path', 'Host: a/b\r\n'],
    ['a user', 'Host: me@a\r\n'],
  ];
  const refused = async (port: number, bytes: string) => {
    const text = await rawHttp(port, bytes);
    expect(text, bytes).toMatch(/^HTTP\/1\.1 400 /);
    const { error } = bodyOf(text) as { error: object };
    expect(error, bytes).toMatchObject({ code: 'invalid_request', request_id: idOf(text) });
  };

  test.each(HOSTS)('%s is 400 on every path, in the standard body', async (_, lines) => {
    const { port } = await fixture.serve();
    for (const path of PATHS) await refused(port, `GET ${path} HTTP/1.1\r\n${lines}\r\n`);
    for (const path of PATHS)
      await refused(port, `GET ${path} HTTP/1.1\r\n${lines}X-Request-ID: mine\r\n\r\n`);
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nOrigin: https://page.example\r\n';
    await refused(port, `GET /v2/ws/risk-events HTTP/1.1\r\n${lines}${upgrade}\r\n`);
    await refused(port, `POST /v2/webhooks HTTP/1.1\r\n${lines}Content-Length: 0\r\n\r\n`);
  });

  test('HTTP/1.0 needs none, but may not have two', async () => {
    const { port } = await fixture.serve();
    for (const path of ['/v1/health', '/data/oracle/chainlink/pairs', '/v2/data-manifest']) {
      expect(await rawHttp(port, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
      await refused(port, `GET ${path} HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n`);
    }
  });

  test.each(['a', 'a.example:8080', '127.0.0.1', '[::1]:80', '', 'xn--bcher-kva.example'])(
    '"%s" is fine',
    async (host) => {
      const { port } = await fixture.serve();
      for (const path of ['/v1/health', '/data/oracle/chainlink/pairs'])
        expect(await rawHttp(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toMatch(
          /^HTTP\/1\.1 200 /,
        );
    },
  );
});

test('the absolute target of a proxy request is understood', async () => {
  const { port } = await fixture.serve();
  expect(await rawHttp(port, 'GET http://other/v1/health HTTP/1.1\r\nHost: other\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 200 /,
  );
  expect(await rawHttp(port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /);
});

test('an upgrade request is served as an ordinary request', async () => {
  const { port } = await fixture.serve();
  const bytes = 'GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  expect(await rawHttp(port, bytes)).toMatch(/^HTTP\/1\.1 200 /);
});

test('several requests in one packet are answered in order', async () => {
  const { port } = await fixture.serve();
  const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const text = await rawHttp(
    port,
    one('/v1/version') + one('/data/oracle/chainlink/pairs') + one('/nothing', 'Connection: close\r\n'),
  );
  expect(text.match(/HTTP\/1\.1 \d+/g)?.[0]).toBe('HTTP/1.1 200');
});

test('an error leaves the connection open for the next request', async () => {
  const { port } = await fixture.serve();
  const path = '/data/oracle/chainlink/pairs';
  const one = (more: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const bytes = one('Authorization: Bearer nonsense\r\n') + one('Connection: close\r\n');
  const text = await rawHttpToTheEnd(port, bytes);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
});

test('an unexpected error of a handler is not disclosed', async () => {
  const { ENDPOINTS } = await import('../../../server/endpoints.ts');
  const broken = ENDPOINTS.map((endpoint) =>
    endpoint.path === '/v1/version'
      ? {
          ...endpoint,
          handle: () => {
            throw new Error('the password is 1234');
          },
        }
      : endpoint,
  );
  const { url } = await fixture.serve({ endpoints: broken });
  const answer = await raw(url, '/v1/version');
  expect(answer.status).toBe(500);
  expect(JSON.parse(answer.body.toString())).toMatchObject({
    error: { code: 'internal_error', message: 'Unexpected server error.' },
  });
  expect(fixture.logged.some((line) => line.startsWith('request failed'))).toBe(true);
});

test('a response that violates its schema is caught if responses are checked', async () => {
  const { ENDPOINTS } = await import('../../../server/endpoints.ts');
  const wrong = ENDPOINTS.map((endpoint) =>
    endpoint.path === '/v1/health'
      ? { ...endpoint, handle: () => ({ payload: { status: 'great' } }) }
      : endpoint,
  );
  expect((await raw((await fixture.serve({ endpoints: wrong })).url, '/v1/health')).status).toBe(500);
});

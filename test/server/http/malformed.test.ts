// Thousands of malformed requests derived from the endpoints, and dozens of raw ones: never a 5xx, always a body of the right form (checked
// against the API document if it covers the response), and a server that responds to the next good request.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, pathOf } from '../../../server/define/endpoint.ts';
import { listsOf } from '../../../server/define/list-shape.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { raw, rawHttpToTheEnd } from './raw-http.ts';

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  // All datasets are published, because without one its endpoints would rightly be unavailable.
  const given = fixtureDatasets();
  const named = [
    ...ENDPOINTS.flatMap(({ datasets = [] }) => datasets),
    ...ENDPOINTS.flatMap(({ histories = [] }) => histories).map(({ dataset }) => dataset),
    ...listsOf(ENDPOINTS).map(({ dataset }) => dataset),
  ];
  const others = new Set(named).difference(new Set(given.map(({ id }) => id)));
  await fixture.publish([...given, ...[...others].map((id) => datasetOf(id, []))]);
  key = await fixture.key('enterprise');
  server = await fixture.serve({ anonymousPlan: null });
});
afterAll(() => fixture.remove());

const NASTY = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  '\u0000',
  '%00',
  '%',
  '%zz',
  '%ff%fe',
  '..',
  '../..',
  '%2e%2e%2f',
  '/etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\'"<script>',
  "' or 1=1 --",
  '#{7*7}',
  '😀',
  '\u202e',
  'é'.repeat(50),
  'A'.repeat(3_000),
  '9'.repeat(400),
  '01HZX3K9Q4T2V7B8N6M5P1R0SD',
  'ETH-USD',
  'aave',
  '2026-13-45T99:99:99Z',
  '\r\nX-Injected: 1',
] as const;
const nasty = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
const encoded = fc.boolean();

const textOf = (text: string, isEncoded: boolean) =>
  isEncoded
    ? encodeURIComponent(text.toWellFormed())
    : Buffer.from(text)
        .toString('latin1')
        .replace(/[^!-~]|#/g, '%');

const queryOf = (endpoint: Endpoint) =>
  fc
    .array(
      fc.tuple(fc.constantFrom('x', '__proto__', ...Object.keys(endpoint.query.properties)), nasty, encoded),
      { maxLength: 4 },
    )
    .map((pairs) =>
      pairs
        .map(([name, value, isEncoded]) => `${encodeURIComponent(name)}=${textOf(value, isEncoded)}`)
        .join('&'),
    );

const bodyOf = fc.oneof(
  fc.json(),
  nasty,
  fc.constant(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  fc.constant('{"__proto__":{"is_admin":true},"url":"x","url":"y"}'),
  fc
    .dictionary(
      fc.constantFrom('url', 'events', 'description', 'status', 'type', 'grace_period_seconds'),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value)),
);

const requestArbitrary = fc.constantFrom(...ENDPOINTS).chain((endpoint) =>
  fc.record({
    path: fc
      .array(fc.tuple(nasty, encoded), { minLength: 3, maxLength: 3 })
      .map((values) => pathWith(endpoint, values)),
    query: queryOf(endpoint),
    method,
    body: fc.option(bodyOf, { nil: undefined }),
    type: fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'application/x-www-form-urlencoded',
      '',
    ),
    encoding: fc.constantFrom(undefined, undefined, 'gzip', 'br', 'nonsense'),
    isKeyed: fc.boolean(),
    idempotency: fc.option(nasty, { nil: undefined }),
    accept: fc.option(
      fc.constantFrom('application/xml', '*/*', ';;;', 'text/csv;q=0', 'application/json;q=2'),
      { nil: undefined },
    ),
  }),
);

function pathWith(endpoint: Endpoint, values: readonly (readonly [string, boolean])[]): string {
  const names = Object.keys(endpoint.params.properties);
  const pattern = names.reduce((path, name, index) => {
    const [text, isEncoded] = values[index] ?? ['x', true];
    return path.replace(`:${name}`, () => textOf(text, isEncoded) || 'x');
  }, endpoint.path);
  return pattern.includes(':') && names.length === 0 ? pathOf(endpoint, {}) : pattern;
}

const headerValue = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -~]/g, '')
    .trim();

test('no request derived from the document causes a 5xx or a body of the wrong form', async () => {
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(requestArbitrary, async (made) => {
      const headers: Record<string, string> = {};
      if (made.isKeyed) headers['Authorization'] = `Bearer ${key}`;
      if (made.idempotency !== undefined) headers['X-Idempotency-Key'] = headerValue(made.idempotency);
      if (made.accept !== undefined) headers['Accept'] = made.accept;
      if (made.encoding !== undefined) headers['Content-Encoding'] = made.encoding;
      if (made.body !== undefined && made.type !== '') headers['Content-Type'] = made.type;
      if (made.body !== undefined)
        headers['Content-Length'] = String(Buffer.byteLength(made.body.toWellFormed()));
      const path = `${made.path}${made.query === '' ? '' : `?${made.query}`}`;
      const answer = await raw(server.url, path, headers, made.method, made.body?.toWellFormed());
      sent += 1;
      expect(answer.status, `${made.method} ${path}`).toBeLessThan(500);
      if (answer.status >= 400 && made.method !== 'HEAD') expectErrorBody(answer);
    }),
    { numRuns: COUNTS.malformedRequests },
  );
  expect(sent).toBeGreaterThanOrEqual(COUNTS.malformedRequests);
  expect((await raw(server.url, '/v1/health')).status).toBe(200);
});

function expectErrorBody({ body, headers }: Awaited<ReturnType<typeof raw>>): void {
  const { error } = JSON.parse(body.toString());
  const code = typeof error === 'string' ? error : error.code;
  expect(code).toMatch(/^[A-Za-z_ -]+/);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['x-request-id']).toBeDefined();
}

const HOST = 'Host: localhost\r\n';
const post = (head: string, body = '') =>
  `POST /v2/webhooks HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${head}\r\n${body}`;

const RAW: Readonly<Record<string, string | Buffer>> = {
  'no request line': '\r\n\r\n\r\n',
  'binary noise': Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x0d, 0x0a, 0x0d, 0x0a]),
  'HTTP/0.9': 'GET /v1/health\r\n\r\n',
  'HTTP/3.7': `GET /v1/health HTTP/3.7\r\n${HOST}\r\n`,
  'a lower-case method': `get /v1/health HTTP/1.1\r\n${HOST}\r\n`,
  'an unknown method': `BREW /v1/health HTTP/1.1\r\n${HOST}\r\n`,
  'a space in the target': `GET /v1/ health HTTP/1.1\r\n${HOST}\r\n`,
  'a target without a slash': `GET v1/health HTTP/1.1\r\n${HOST}\r\n`,
  'a star as target': `GET * HTTP/1.1\r\n${HOST}\r\n`,
  TRACE: `TRACE /v1/health HTTP/1.1\r\n${HOST}\r\n`,
  CONNECT: 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'no Host': 'GET /v1/health HTTP/1.1\r\n\r\n',
  'two Hosts': `GET /v1/health HTTP/1.1\r\n${HOST}${HOST}\r\n`,
  'a header without a colon': `GET /v1/health HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`,
  'a header name with a space': `GET /v1/health HTTP/1.1\r\n${HOST}Bad Name: 1\r\n\r\n`,
  'a null byte in a header': `GET /v1/health HTTP/1.1\r\n${HOST}X-A: a\0b\r\n\r\n`,
  'a null byte in the target': `GET /v1/\0health HTTP/1.1\r\n${HOST}\r\n`,
  'a folded header': `GET /v1/health HTTP/1.1\r\n${HOST}X-A: 1\r\n 2\r\n\r\n`,
  'headers of 100 KB': `GET /v1/health HTTP/1.1\r\n${HOST}X-A: ${'a'.repeat(100_000)}\r\n\r\n`,
  'ten thousand headers': `GET /v1/health HTTP/1.1\r\n${HOST}${'A: b\r\n'.repeat(10_000)}\r\n`,
  'a target of 100 KB': `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`,
  'lines that end in LF': `GET /v1/health HTTP/1.1\nHost: localhost\n\n`,
  'length and chunks': post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  'two lengths': post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
  'a negative length': post('Content-Length: -1\r\n', '{}'),
  'a length that is not a number': post('Content-Length: two\r\n', '{}'),
  'a length with a plus': post('Content-Length: +2\r\n', '{}'),
  'an invalid chunk size': post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'),
  'a chunk size of 2^64': post('Transfer-Encoding: chunked\r\n', 'ffffffffffffffff\r\n{}\r\n0\r\n\r\n'),
  'a chunk without an end': post('Transfer-Encoding: chunked\r\n', '2\r\n{}xx0\r\n\r\n'),
  'an unknown coding': post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
  'chunked twice': post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'),
  'an upgrade to something else': `GET /v1/health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an absolute target': `GET http://other.example/v1/health HTTP/1.1\r\n${HOST}\r\n`,
  'an absolute target of another scheme': `GET file:///etc/passwd HTTP/1.1\r\n${HOST}\r\n`,
  'a body on GET': `GET /v1/health HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`,
  'a proxy line before the request': 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\n\r\n',
  'an unknown expectation': `GET /v1/health HTTP/1.1\r\n${HOST}Expect: a-miracle\r\n\r\n`,
  'a range': `GET /openapi-public.json HTTP/1.1\r\n${HOST}Range: bytes=0-1,5-\r\n\r\n`,
  'two keys': `GET /v1/usage HTTP/1.1\r\n${HOST}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`,
  'a key of another coding': `GET /v1/usage HTTP/1.1\r\n${HOST}Authorization: Bearer \xe9\xff\r\n\r\n`,
  'a date before 1970': `GET /v1/health HTTP/1.1\r\n${HOST}If-Modified-Since: Thu, 01 Jan 1601 00:00:00 GMT\r\n\r\n`,
  'a very long ETag list': `GET /v2/data-manifest HTTP/1.1\r\n${HOST}If-None-Match: ${'"a",'.repeat(3_000)}\r\n\r\n`,
  'a forwarded address of nonsense': `GET /v1/health HTTP/1.1\r\n${HOST}X-Forwarded-For: ${','.repeat(5_000)}\r\n\r\n`,
};

test.each(Object.keys(RAW))(
  '%s gets an orderly response or a closed connection, and the next request is served',
  async (name) => {
    const answer = await rawHttpToTheEnd(server.port, RAW[name] ?? '');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 400);
    expect(status, answer.slice(0, 300)).toBeLessThan(500);
    if (answer !== '' && status >= 400) expect(answer).toMatch(/"code":"[a-z_]+"/);
    expect((await raw(server.url, '/v1/health')).status).toBe(200);
  },
);

test.each([
  ['a bomb of gzip', gzipSync(Buffer.alloc(5_000_000)), { 'Content-Encoding': 'gzip' }],
  ['a hundred thousand brackets', Buffer.from('['.repeat(60_000)), {}],
  ['a million bytes', Buffer.alloc(1_000_000, 0x20), {}],
  ['half a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), {}],
] as const)('%s as a body is refused in the standard form', async (_, body, headers) => {
  const answer = await fetch(`${server.url}/v2/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body,
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: 'invalid_request' } });
});

test('a body that ends early has no effect', async () => {
  await rawHttpToTheEnd(
    server.port,
    post(`Authorization: Bearer ${key}\r\nContent-Length: 500\r\nConnection: close\r\n`, '{"url":'),
  );
  const store = await fixture.store();
  expect((await store.audit.list(0, 1_000)).filter(({ action }) => action.startsWith('webhook'))).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, pathOf } from '../../../server/define/endpoint.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { answerProblems, type SeenAnswer } from '../../support/openapi-answers.ts';
import { preparedPaths } from '../../support/prepared-paths.ts';
import { datasetOf, eventCandidate, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
let server: RunningServer;
let empty: RunningServer;
const keys = new Map<string, string>();

beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.append([eventCandidate(0), eventCandidate(1)]);
  empty = await fixture.serve();
  await fixture.publish([...fixtureDatasets(), datasetOf('corrections', [])]);
  for (const plan of ['free', 'team'] as const) keys.set(plan, await fixture.key(plan));
  keys.set('no scope', await fixture.key('team', { scopes: [] }));
  server = await fixture.serve();
});
afterAll(() => fixture.remove());

/** A path that matches the endpoint and most likely identifies nothing. */
const strayPath = (endpoint: Endpoint) =>
  pathOf(
    endpoint,
    Object.fromEntries(Object.keys(endpoint.params.properties).map((name) => [name, 'nothing'])),
  );

// The fetch of server-fixture.ts checks every response below against the document.
test('every prepared response, and its 304, is as documented', async () => {
  const paths = await preparedPaths(fixture.dir);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const answer = await fetch(server.url + path);
    expect([path, answer.status]).toEqual([path, 200]);
    const etag = answer.headers.get('etag');
    if (etag !== null) {
      const again = await fetch(server.url + path, { headers: { 'If-None-Match': etag } });
      expect([path, again.status]).toEqual([path, 304]);
    }
  }
});

test.each(ENDPOINTS.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s responds as documented with any key, with wrong queries and methods, and before there is data',
  async (_, endpoint) => {
    const { method } = endpoint;
    const path = strayPath(endpoint);
    const headers = (key: string | undefined) =>
      key === undefined ? {} : { Authorization: `Bearer ${key}` };
    for (const key of [...keys.values(), 'nonsense', undefined]) {
      const answer = await fetch(server.url + path, { method, headers: headers(key) });
      expect([500, 505]).not.toContain(answer.status);
    }
    const team = headers(keys.get('team'));
    await fetch(`${server.url}${path}?limit=x&cursor=%00&as_of=y&type=z`, { method, headers: team });
    await fetch(`${server.url}${path}?${'a'.repeat(5_000)}`, { method, headers: team });
    expect((await fetch(server.url + path, { method: 'PUT', headers: team })).status).toBe(400);
    await fetch(empty.url + path, { method, headers: team });
  },
);

const health = (more: Partial<SeenAnswer> = {}): SeenAnswer => {
  const headers: Record<string, string> = {
    'x-request-id': 'req_1',
    'x-ratelimit-limit': '30',
    'x-ratelimit-remaining': '29',
    'x-ratelimit-reset': '1772366460',
    'cache-control': 'no-store',
    'content-type': 'application/json',
  };
  const header = (name: string) => headers[name.toLowerCase()];
  return { method: 'GET', target: '/v1/health', status: 200, header, body: '{"status":"ok"}', ...more };
};
const without = (name: string) => (asked: string) =>
  asked.toLowerCase() === name ? undefined : health().header(asked);
const errorBody = (code: string, request_id = 'req_1') =>
  JSON.stringify({ error: { code, message: 'm', request_id } });

test('a response that matches the document has no problems', () => {
  expect(answerProblems(health())).toEqual([]);
  expect(answerProblems(health({ status: 400, body: errorBody('invalid_request') }))).toEqual([]);
});

test.each<[string, Partial<SeenAnswer>, RegExp]>([
  ['a member that is not documented', { body: '{"status":"ok","more":1}' }, /additional properties/],
  ['a value that is not documented', { body: '{"status":"fine"}' }, /enum/],
  ['a status', { status: 201 }, /status is not documented/],
  ['a missing header', { header: without('x-request-id') }, /X-Request-ID is missing/],
  ['a missing limit', { header: without('x-ratelimit-limit') }, /X-RateLimit-Limit is missing/],
  [
    'a media type',
    { header: (name) => (/type/i.test(name) ? 'text/html' : health().header(name)) },
    /media type text/,
  ],
  [
    'an error of another operation',
    { status: 400, body: errorBody('INVALID_CURSOR') },
    /INVALID_CURSOR is not documented/,
  ],
  ['the id of another request', { status: 400, body: errorBody('invalid_request', 'req_2') }, /req_2 is not/],
  ['a success at an unknown path', { target: '/nothing' }, /nothing is documented here/],
])('%s is found', (_, more, words) => {
  expect(answerProblems(health(more)).join()).toMatch(words);
});

// A page of a list that was requested before is answered without routing: nothing but the time it takes may differ.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Endpoint } from '../../../server/define/endpoint.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { opportunities } from '../data/paging/yield-model.ts';
import { AS_OF, AS_OF_MS, datasetOf, isoSeconds, ServerFixture } from '../server-fixture.ts';

const PATH = '/v2/yield/opportunities?page[limit]=2&sort=-netApy';
const rows = (count: number, at = AS_OF) => [
  datasetOf(
    'yield-opportunities',
    opportunities(count).map((value) => ({ key: value.id, value })),
    at,
  ),
];

let fixture: ServerFixture;
let server: RunningServer;
let key: string;
let otherKey: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish(rows(20));
  key = await fixture.key('free');
  otherKey = await fixture.key('free', { scopes: ['data:read'] });
  server = await fixture.serve({ anonymousPlan: null });
});
afterEach(() => fixture.remove());

const get = (path = PATH, headers: Record<string, string> = { Authorization: `Bearer ${key}` }) =>
  fetch(server.url + path, { headers });

/** Status, body and headers, without those that every response has of its own. */
async function answerTo(path?: string, headers?: Record<string, string>) {
  const response = await get(path, headers);
  const own = new Set(['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset']);
  const kept = [...response.headers].filter(([name]) => !own.has(name));
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() };
}

test('the second response is the first, and each has an id and a rate of its own', async () => {
  const first = await answerTo();
  expect(first.status).toBe(200);
  expect(await answerTo()).toEqual(first);
  const ids = await Promise.all([get(), get()].map(async (one) => (await one).headers.get('x-request-id')));
  expect(new Set(ids).size).toBe(2);
});

test('the list is asked once a version and target', async () => {
  const asked: string[] = [];
  const counting = (endpoint: Endpoint): Endpoint => ({
    ...endpoint,
    handle(input, services) {
      asked.push(endpoint.path);
      return endpoint.handle(input, services);
    },
  });
  server = await fixture.serve({ anonymousPlan: null, endpoints: ENDPOINTS.map(counting) });
  for (const path of [PATH, PATH, `${PATH}&search=usdc`, `${PATH}&search=usdc`]) await answerTo(path);
  expect(asked).toEqual(['/v2/yield/opportunities', '/v2/yield/opportunities']);
});

test('its age follows the clock', async () => {
  const age = async () => {
    const { meta } = JSON.parse((await answerTo()).body);
    return meta._agentic.freshness.age_seconds;
  };
  expect(await age()).toBe(0);
  fixture.nowMs = AS_OF_MS + 7_000;
  expect(await age()).toBe(7);
});

test('a new version ends it, and a page by cursor stays that of its version', async () => {
  const first = JSON.parse((await answerTo()).body);
  const next = `${PATH}&page[cursor]=${encodeURIComponent(first.meta.cursor)}`;
  const second = await answerTo(next);
  await fixture.publish(rows(30, isoSeconds(AS_OF_MS + 60_000)), isoSeconds(AS_OF_MS + 60_000));
  await server.refresh();
  expect(JSON.parse((await answerTo()).body).meta.total).toBe(30);
  const later = await answerTo(next);
  expect(JSON.parse(later.body).data).toEqual(JSON.parse(second.body).data);
  expect(await answerTo(next)).toEqual(later);
});

test('every caller is checked again', async () => {
  expect((await answerTo()).status).toBe(200);
  expect((await answerTo(PATH, {})).status).toBe(401);
  expect((await answerTo(PATH, { Authorization: `Bearer ${otherKey}` })).status).toBe(403);
});

test('a client that has it gets 304', async () => {
  const { headers } = await answerTo();
  const again = await get(PATH, { Authorization: `Bearer ${key}`, 'If-None-Match': headers['etag'] ?? '' });
  expect(again.status).toBe(304);
});

test('a request that is refused is refused again', async () => {
  const wrong = `${PATH}&unknown=1`;
  expect([(await answerTo(wrong)).status, (await answerTo(wrong)).status]).toEqual([400, 400]);
});

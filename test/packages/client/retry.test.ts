import { expect, test } from 'vitest';
import { Client } from '../../../packages/client/src/client.ts';

interface Scripted {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A service that answers one after the other of these, then 200. */
function service(...answers: readonly (Scripted | Error)[]) {
  const pauses: number[] = [];
  const requests: RequestInit[] = [];
  const client = new Client({
    baseUrl: 'http://service.example/',
    fetch: async (_, init) => {
      const response = answers[requests.length] ?? { status: 200 };
      requests.push(init);
      if (response instanceof Error) throw response;
      return Response.json(response.body ?? {}, { status: response.status, headers: response.headers ?? {} });
    },
    retry: {
      wait: async (ms) => void pauses.push(ms),
      random: () => 1,
      attempts: 4,
      firstPauseMs: 500,
      longestPauseMs: 1_500,
      longestRetryAfterMs: 90_000,
    },
  });
  const get = () => client.get('/v2/pegs');
  const post = (idempotencyKey?: string) =>
    client.post('/v2/simulator/run', { body: { scenario_id: 'x', positions: [] }, idempotencyKey });
  const keys = () => requests.map(({ headers }) => new Headers(headers).get('X-Idempotency-Key'));
  return { pauses, requests, get, post, keys };
}

test.each([
  ['90', [90_000]],
  ['0', [0]],
])('429 waits for Retry-After: %s', async (seconds, expected) => {
  const { get, pauses } = service({ status: 429, headers: { 'Retry-After': seconds } });
  expect((await get()).status).toBe(200);
  expect(pauses).toEqual(expected);
});

test('429 waits until the time that Retry-After names', async () => {
  const at = new Date(Date.now() + 30_000).toUTCString();
  const { get, pauses } = service({ status: 429, headers: { 'Retry-After': at } });
  await get();
  expect(pauses[0]).toBeGreaterThan(28_000);
  expect(pauses[0]).toBeLessThanOrEqual(30_000);
});

test.each([
  ['without a time, which is that of a month', {}],
  ['that asks for more patience than is allowed', { 'Retry-After': '91' }],
  ['with a time that cannot be read', { 'Retry-After': 'soon' }],
])('a 429 %s is an error at once', async (_, headers) => {
  const { get, pauses } = service({ status: 429, headers });
  await expect(get()).rejects.toMatchObject({ name: 'ApiError', status: 429 });
  expect(pauses).toEqual([]);
});

test('5xx pauses longer each time, up to a maximum, and then is an error', async () => {
  const { get, pauses } = service(...[500, 502, 503, 505, 500].map((status) => ({ status })));
  await expect(get()).rejects.toMatchObject({ status: 505, code: 'unknown' });
  expect(pauses).toEqual([500, 1_000, 1_500]);
});

test('503 waits at least for Retry-After', async () => {
  const { get, pauses } = service({ status: 503, headers: { 'Retry-After': '7' } });
  await get();
  expect(pauses).toEqual([7_000]);
});

test.each([301, 400, 401, 402, 403, 404, 410])('%i is never tried again', async (status) => {
  const { get, requests } = service({ status });
  await expect(get()).rejects.toMatchObject({ status });
  expect(requests).toHaveLength(1);
});

test('409 is tried again while a request is in flight, and not when it is a conflict', async () => {
  const busy = service({ status: 409, headers: { 'Retry-After': '1' }, body: { error: 'in flight' } });
  expect((await busy.post()).status).toBe(200);
  expect(busy.pauses).toEqual([1_000]);
  const conflict = service({ status: 409, body: { error: { code: 'conflict' } } });
  await expect(conflict.post()).rejects.toMatchObject({ code: 'conflict' });
  expect(conflict.requests).toHaveLength(1);
});

test('what changes something keeps its body and one key over all attempts', async () => {
  const { post, requests, keys } = service({ status: 500 }, { status: 500 });
  await post();
  expect(new Set(keys())).toHaveLength(1);
  expect(keys()).toHaveLength(3);
  expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(requests[2]?.body).toBe('{"scenario_id":"x","positions":[]}');
  const own = service();
  await own.post('mine');
  expect(own.keys()).toEqual(['mine']);
});

test('a broken connection is retried, and reported with its cause when it persists', async () => {
  const broken = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  expect((await service(broken).get()).status).toBe(200);
  await expect(service(broken, broken, broken, broken).get()).rejects.toMatchObject({
    name: 'ConnectionError',
    message: 'The service cannot be reached, in 4 attempts: fetch failed (connect ECONNREFUSED)',
    cause: broken,
  });
});

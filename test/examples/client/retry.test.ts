import { expect, test } from 'vitest';
import { type RetryRules, retryingFetch } from '../../../packages/client/src/retry.ts';

interface Scripted {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A service that answers one after the other of these, then 200. */
function service(...answers: readonly (Scripted | Error)[]) {
  const pauses: number[] = [];
  const asked: Request[] = [];
  const rules: RetryRules = {
    fetch: async (request) => {
      const response = answers[asked.length] ?? { status: 200 };
      asked.push(request);
      if (response instanceof Error) throw response;
      return Response.json(response.body ?? {}, { status: response.status, headers: response.headers ?? {} });
    },
    wait: async (ms) => void pauses.push(ms),
    random: () => 1,
    newKey: () => 'key-1',
    attempts: 4,
    firstPauseMs: 500,
    longestPauseMs: 1_500,
  };
  return { pauses, asked, ask: retryingFetch(rules) };
}

const get = () => new Request('http://service.example/x');
const post = (headers = {}) =>
  new Request('http://service.example/x', { method: 'POST', body: '{"a":1}', headers });

test('429 waits for Retry-After', async () => {
  const { ask, pauses } = service({ status: 429, headers: { 'Retry-After': '60' } });
  expect((await ask(get())).status).toBe(200);
  expect(pauses).toEqual([60_000]);
});

test('a 429 without a time, which is that of a month, is not tried again', async () => {
  const { ask, pauses } = service({ status: 429 });
  expect((await ask(get())).status).toBe(429);
  expect(pauses).toEqual([]);
});

test('5xx pauses longer each time, up to a most, and then gives the answer as it is', async () => {
  const { ask, pauses } = service(...[500, 502, 503, 505, 500].map((status) => ({ status })));
  expect((await ask(get())).status).toBe(505);
  expect(pauses).toEqual([500, 1_000, 1_500]);
});

test('503 waits at least for Retry-After', async () => {
  const { ask, pauses } = service({ status: 503, headers: { 'Retry-After': '7' } });
  await ask(get());
  expect(pauses).toEqual([7_000]);
});

test.each([400, 401, 402, 403, 404, 410])('%i is never tried again', async (status) => {
  const { ask, asked } = service({ status });
  expect((await ask(get())).status).toBe(status);
  expect(asked).toHaveLength(1);
});

test('409 is tried again while a request is in flight, and not when it is a conflict', async () => {
  const busy = service({ status: 409, headers: { 'Retry-After': '1' }, body: { error: 'in flight' } });
  expect((await busy.ask(post())).status).toBe(200);
  expect(busy.pauses).toEqual([1_000]);
  const conflict = service({ status: 409, body: { error: { code: 'conflict' } } });
  expect((await conflict.ask(post())).status).toBe(409);
});

test('what changes something keeps its body and one key over all tries', async () => {
  const { ask, asked } = service({ status: 500 }, { status: 500 });
  await ask(post());
  expect(asked.map(({ headers }) => headers.get('X-Idempotency-Key'))).toEqual(['key-1', 'key-1', 'key-1']);
  expect(await asked[2]?.text()).toBe('{"a":1}');
  const own = service();
  await own.ask(post({ 'X-Idempotency-Key': 'mine' }));
  expect(own.asked[0]?.headers.get('X-Idempotency-Key')).toBe('mine');
});

test('a broken connection is retried, and reported with its cause when it persists', async () => {
  const broken = new TypeError('fetch failed');
  expect((await service(broken).ask(get())).status).toBe(200);
  await expect(service(broken, broken, broken, broken).ask(get())).rejects.toMatchObject({ cause: broken });
});

// Usage: what an organisation used of its plan, by day, and how long requests took.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { ServerFixture } from '../server-fixture.ts';

const OPEN = '/v2/data-manifest';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
});
afterEach(() => fixture.remove());

const closed = (more: Parameters<ServerFixture['serve']>[0] = {}) =>
  fixture.serve({ anonymousPlan: null, ...more });
const ask = (server: RunningServer, path: string, key?: string) =>
  fetch(server.url + path, { headers: { ...(key && { Authorization: `Bearer ${key}` }) } });

test('usage reports the plan, its limits and what was used, across a restart', async () => {
  const key = await fixture.key('team');
  const server = await closed();
  for (let i = 0; i < 3; i++) await (await ask(server, OPEN, key)).arrayBuffer();
  await server.stop();
  const again = await closed({ steadyMs: () => 0 });
  const { data } = (await (await ask(again, '/v1/usage', key)).json()) as { data: object };
  expect(data).toMatchObject({
    org: 'acme',
    plan: 'team',
    rate_limit: { limit: 1000, remaining: 999 },
    month: { requests: 3, resets_at: '2026-04-01T00:00:00.000Z' },
    limits: { replay_window_days: 30 },
  });
  expect((await ask(again, '/v1/usage')).status).toBe(401);
});

test('daily usage counts requests and errors of the organisation, across midnight and a restart', async () => {
  const key = await fixture.key('team');
  const other = await fixture.key('team', { org: 'other' });
  const server = await closed();
  const history = async (at: RunningServer, query = '', by = key) =>
    (await (await ask(at, `/v1/usage/history${query}`, by)).json()) as object;
  expect(await history(server, '', other)).toEqual({ data: [], meta: { counted_since: null }, error: null });
  for (const path of [OPEN, OPEN, '/nowhere']) await (await ask(server, path, key)).arrayBuffer();
  await server.stop();
  const first = new Date(fixture.nowMs).toISOString().slice(0, 10);
  fixture.nowMs += 2 * 86_400_000;
  const later = await closed();
  const today = new Date(fixture.nowMs).toISOString().slice(0, 10);
  await (await ask(later, OPEN, key)).arrayBuffer();
  const { data } = (await history(later)) as { data: object[] };
  const took = { p50_ms: expect.any(Number), p95_ms: expect.any(Number), p99_ms: expect.any(Number) };
  expect(data).toEqual([
    { day: first, requests: 3, errors: 1, ...took },
    { day: expect.any(String), requests: 0, errors: 0, p50_ms: null, p95_ms: null, p99_ms: null },
    { day: today, requests: 1, errors: 0, ...took },
  ]);
  expect(await history(later, '?days=1')).toMatchObject({
    data: [{ day: today, requests: 2 }],
    meta: { counted_since: first },
  });
  const csv = await (await ask(later, '/v1/usage/history?format=csv', key)).text();
  expect(csv).toMatch(
    new RegExp(
      `^day,requests,errors,p50_ms,p95_ms,p99_ms\r\n${first},3,1,[\\d.,]+\r\n[-\\d]+,0,0,,,\r\n${today},3,0,[\\d.,]+\r\n$`,
    ),
  );
  for (const query of ['?days=0', '?days=401', '?days=x', '?day=1', '?format=parquet'])
    expect(await history(later, query)).toMatchObject({ error: { code: 'validation_failed' } });
  expect((await ask(later, '/v1/usage/history')).status).toBe(401);
});

test('response times are public, over all callers together, excluding pages and paths outside the API', async () => {
  let steadyMs = 0;
  // Every reading of the clock is 5 ms later than the previous one.
  const server = await closed({ steadyMs: () => (steadyMs += 5) });
  const latency = async (query = '') =>
    (await (await ask(server, `/v1/status/latency${query}`)).json()) as object;
  for (const path of ['/', '/healthz', '/nowhere', '/llms.txt'])
    await (await ask(server, path)).arrayBuffer();
  expect(await latency()).toEqual({ data: [], meta: { measured_since: null }, error: null });
  for (const path of [OPEN, OPEN]) await (await ask(server, path, await fixture.key('team'))).arrayBuffer();
  const today = new Date(fixture.nowMs).toISOString().slice(0, 10);
  const took = expect.closeTo(5, 0);
  const csv = await (await ask(server, '/v1/status/latency?format=csv')).text();
  expect(csv).toMatch(new RegExp(`^day,p50_ms,p95_ms,p99_ms\r\n${today},[\\d.]+,[\\d.]+,[\\d.]+\r\n$`));
  expect(await latency('?days=1')).toEqual({
    data: [{ day: today, p50_ms: took, p95_ms: took, p99_ms: took }],
    meta: { measured_since: today },
    error: null,
  });
  expect(await latency('?days=0')).toMatchObject({ error: { code: 'validation_failed' } });
});

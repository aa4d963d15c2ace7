// What a host is sent: redirects and what they may carry, pauses after failures, and budgets of bytes and requests.
import { expect, test } from 'vitest';
import { destinationOf } from '../../../../../jobs/sources/live/http/exchange.ts';
import type { NetFault } from '../../../../../jobs/sources/live/http/net-fault.ts';
import { call, clientFor, closeServersAfterEach, faultOf, serverFor, START } from './client-fixture.ts';
import { json } from './replay-server.ts';

closeServersAfterEach();

const ok = json({ ok: true });

test('redirects are followed, and credentials stay with their host', async () => {
  const other = await serverFor(() => ok);
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
  const other = await serverFor(() => ok);
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
  const { client, clock } = await clientFor(() => json('x'.repeat(98)), { in_flight: 1, bytes_per_day: 400 });
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
  const { client, clock } = await clientFor(() => ok, { requests_per_minute: 10, random: 0 });
  await Promise.all(Array.from({ length: 5 }, () => client.call(call())));
  expect(clock.nowMs() - START).toBe(4 * 6_000);
});

test('a redirect counts as a request, and the next request is spaced from it', async () => {
  const { client, clock } = await clientFor(
    ({ path }) => (path === '/x' ? { status: 302, headers: { location: '/y' } } : ok),
    { requests_per_minute: 10, random: 0 },
  );
  for (let count = 0; count < 3; count++) await client.call(call());
  expect(client.uses()['api.example']?.requests).toBe(6);
  expect(clock.nowMs() - START).toBe(4 * 6_000);
});

test.each([
  ['without a Location', undefined, 'api.example redirects without a Location'],
  ['to no address', 'http://[bad', 'not an http or https address'],
  ['to another scheme', 'file:///etc/passwd', 'not an http or https address'],
])('a redirect %s is a fault that names the host, not the address', async (_, location, words) => {
  const { client, server } = await clientFor(() => ({
    status: 302,
    headers: location === undefined ? {} : { location },
  }));
  const fault = await faultOf(client.call(call({ path: '/x?key=0123456789' })));
  expect(fault.kind).toBe('redirect');
  expect(fault.message).toContain(words.replace('api.example', new URL(server.address).host));
  expect(fault.message).not.toContain('0123456789');
});

test('a redirect from https to http is never followed', () => {
  const lead = (from: string, to: string) => () => destinationOf(to, from, 'redirect');
  expect(lead('https://a.example/x', 'http://a.example/x')).toThrow(/insecure http:\/\/a\.example/);
  expect(lead('https://a.example/x', '//a.example/y')()).toMatchObject({ isTrusted: true });
  expect(lead('https://a.example/x', 'https://a.example:8443/')()).toMatchObject({ isTrusted: false });
  expect(lead('https://a.example/x', 'https://b.example/')()).toMatchObject({ isTrusted: false });
  expect(lead('http://a.example/x', 'https://a.example/')()).toMatchObject({ isTrusted: true });
});

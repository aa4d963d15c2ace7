// Which clients the stream refuses, and how they learn it: programs from the HTTP response, browser pages from the close frame.
import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STREAM_ERRORS } from '../../../schemas/stream.ts';
import { actorAt } from '../../support/ops-store.ts';
import { rawHttp } from '../http/raw-http.ts';
import { AS_OF_MS, eventCandidate, ServerFixture } from '../server-fixture.ts';
import { endForBrowser, HandClock, openStream, refusalOf } from './stream-client.ts';

let fixture: ServerFixture;
let clock: HandClock;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  clock = new HandClock();
  await fixture.append([eventCandidate(0)]);
  await fixture.publish();
});
afterEach(() => fixture.remove());

const serve = (more: Parameters<ServerFixture['serve']>[0] = {}) =>
  fixture.serve({ anonymousPlan: null, ...clock.deps, ...more });
const codeOf = (body: unknown): string => {
  const { error } = body as { error: string | { code: string } };
  const code = typeof error === 'string' ? error : error.code;
  // The document names every reason.
  expect(STREAM_ERRORS).toContain(code);
  return code;
};

test('each state of a key, plan and scope has its status and code, and its close code for pages', async () => {
  const keys: readonly (readonly [string | undefined, number, string, number])[] = [
    [undefined, 401, 'missing_auth', 4001],
    ['rk_live_short', 401, 'invalid_key', 4001],
    [await fixture.key('team', { expires_ms: AS_OF_MS }), 401, 'expired_key', 4001],
    [await fixture.key('team', { revoked_ms: AS_OF_MS - 1 }), 401, 'revoked_key', 4001],
    [await fixture.key('free'), 402, 'plan_upgrade_required', 4003],
    [await fixture.key('team', { scopes: ['events:read'] }), 403, 'insufficient_scope', 4003],
  ];
  const server = await serve();
  for (const [key, status, code, closeCode] of keys) {
    const { body, headers, status: answered } = await refusalOf(server.url, { key });
    expect([answered, codeOf(body)]).toEqual([status, code]);
    expect(body).toMatchObject({ error: { request_id: headers['x-request-id'] } });
    expect(headers['x-ratelimit-limit']).toMatch(/^[0-9]+$/);
    const ended = await endForBrowser(server.url, { query: key === undefined ? '' : `token=${key}` });
    expect([ended.code, ended.reason.split(':')[0]]).toEqual([closeCode, code]);
  }
});

test.each([
  ['an unknown type', 'types=oracle.nothing', 400, 'INVALID_EVENT_TYPE'],
  ['a wildcard', 'types=*', 400, 'INVALID_EVENT_TYPE'],
  ['an empty element in the list of types', 'types=oracle.stale,,peg.depeg.end', 400, 'validation_failed'],
  ['no type', 'types=', 400, 'validation_failed'],
  ['types twice', 'types=oracle.stale&types=peg.depeg.end', 400, 'validation_failed'],
  ['an unknown severity', 'severity=worst', 400, 'validation_failed'],
  ['a severity in capitals', 'severity=HIGH', 400, 'validation_failed'],
  ['a subject that no event can have', 'subject_id=pge:ethereum:USDC', 400, 'validation_failed'],
  ['a chain that nothing has', 'chain=etherium', 400, 'validation_failed'],
  ['a protocol that nothing has', 'protocol=avae&chain=ethereum', 400, 'validation_failed'],
  ['no subject', 'subject_id=', 400, 'validation_failed'],
  ['an invalid value of control', 'control=yes', 400, 'validation_failed'],
  ['a cursor that is not a ULID', 'since_event_id=1', 400, 'INVALID_CURSOR'],
  ['a parameter of another name', 'since=01HZX3K9Q4T2V7B8N6M5P1R0SD', 400, 'validation_failed'],
  ['an old cursor', 'since_event_id=00000000000000000000000000', 410, 'REPLAY_WINDOW_EXPIRED'],
  ['a broken percent-encoding', 'chain=%E0%A4%A', 400, 'invalid_request'],
  ['an address that is too long', `chain=${'x'.repeat(5_000)}`, 400, 'invalid_request'],
])('%s is refused, and connected clients lose nothing', async (_, query, status, code) => {
  const key = await fixture.key('team');
  const server = await serve();
  const healthy = await openStream(server.url, { key });
  const refused = await refusalOf(server.url, { key, query });
  expect([refused.status, codeOf(refused.body)]).toEqual([status, code]);
  const ended = await endForBrowser(server.url, { query: `${query}&token=${key}` });
  expect([ended.code, ended.reason.split(':')[0]]).toEqual([4004, code]);
  const published = await fixture.append([eventCandidate(1)]);
  await fixture.publish();
  await server.refresh();
  expect(await healthy.first(1)).toEqual(published);
});

test('before the log has been read, and while the server stops, a client is asked to reconnect', async () => {
  const empty = await ServerFixture.create();
  const key = await empty.key('team');
  const server = await empty.serve({ anonymousPlan: null });
  expect(await refusalOf(server.url, { key })).toMatchObject({ status: 503 });
  expect(await endForBrowser(server.url, { key })).toMatchObject({ code: 1013 });
  await empty.remove();
});

test('attempts to connect count as requests in the minute limit of an organisation', async () => {
  const key = await fixture.key('team', { limits: { requests_per_minute: 1 } });
  const server = await serve();
  (await openStream(server.url, { key })).socket.terminate();
  const refused = await refusalOf(server.url, { key });
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'retry-after': '60', 'x-ratelimit-remaining': '0' },
  });
  expect(codeOf(refused.body)).toBe('rate_limit_exceeded');
  expect(await endForBrowser(server.url, { key })).toMatchObject({ code: 1013 });
});

test('an organisation has as many connections as its plan includes, whichever of its keys opens them', async () => {
  const [key, other] = [await fixture.key('analyst'), await fixture.key('analyst')];
  const foreign = await fixture.key('analyst', { org: 'other' });
  const server = await serve();
  const [first, second] = [
    await openStream(server.url, { key }),
    await openStream(server.url, { key: other }),
  ];
  const third = await openStream(server.url, { key, query: 'control=1' });
  expect(await third.ended).toEqual({ code: 4009, reason: 'too_many_connections: the plan includes 2' });
  expect(JSON.parse(third.frames[0] ?? '')).toMatchObject({ op: 'error', code: 'too_many_connections' });
  const elsewhere = await openStream(server.url, { key: foreign });
  await first.close();
  const fourth = await openStream(server.url, { key });
  const fifth = await openStream(server.url, { key });
  expect((await fifth.ended).code).toBe(4009);
  for (const client of [second, elsewhere, fourth])
    expect(await client.close()).toMatchObject({ code: 1005 });
});

test('a revoked key loses its open sockets within a second, others do not', async () => {
  const key = await fixture.key('team', { id: 'key_leaving' });
  const staying = await fixture.key('team');
  const server = await serve();
  const leaving = await openStream(server.url, { key, query: 'control=1' });
  const stays = await openStream(server.url, { key: staying });
  await (await fixture.store()).keys.revoke('key_leaving', actorAt(AS_OF_MS));
  clock.pass(1);
  expect(await leaving.ended).toEqual({ code: 4001, reason: 'revoked_key: the key has been revoked' });
  expect(JSON.parse(leaving.frames.at(-1) ?? '')).toMatchObject({ op: 'error', code: 'revoked_key' });
  expect(await refusalOf(server.url, { key })).toMatchObject({ status: 401 });
  expect(await stays.close()).toMatchObject({ code: 1005 });
});

test('an expired key loses its open sockets within a second', async () => {
  const key = await fixture.key('team', { expires_ms: AS_OF_MS + 5_000 });
  const server = await serve();
  const client = await openStream(server.url, { key });
  fixture.nowMs = AS_OF_MS + 5_000;
  clock.pass(1);
  expect(await client.ended).toEqual({ code: 4001, reason: 'expired_key: the key has expired' });
});

test('when origins are configured, pages from other origins are refused, except those from this host', async () => {
  const key = await fixture.key('team');
  const server = await serve({ streamOrigins: ['https://app.example'] });
  const from = (Origin: string) => openStream(server.url, { key, headers: { Origin } });
  expect(await (await from('https://evil.example')).ended).toMatchObject({ code: 4003 });
  expect(await (await from('null')).ended).toMatchObject({ code: 4003 });
  for (const origin of ['https://app.example', server.url]) (await from(origin)).socket.terminate();
});

test('a key in the URL appears in no log line', async () => {
  const key = await fixture.key('team');
  const lines: string[] = [];
  const record = (facts: object, message: string) => lines.push(`${message} ${JSON.stringify(facts)}`);
  const server = await serve({ log: { debug: record, info: record, warn: record, error: record } });
  await endForBrowser(server.url, { query: `token=${key}&types=wrong` });
  await refusalOf(server.url, { query: `token=${key}&types=wrong` });
  const client = await openStream(server.url, { query: `token=${key}` });
  await client.close();
  expect(lines.filter((line) => line.includes('risk-events')).length).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes(key))).toEqual([]);
});

const handshake = (more: string) =>
  `GET /v2/ws/risk-events HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n${more}\r\n`;

test.each([
  ['no key of its own', 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'],
  [
    'a key that is too short',
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: abc\r\n',
  ],
  [
    'an old version',
    'Upgrade: websocket\r\nSec-WebSocket-Version: 7\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
  ],
  [
    'another protocol',
    'Upgrade: h2c\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
  ],
])('a handshake with %s is answered as a malformed request', async (_, headers) => {
  const key = await fixture.key('team');
  const server = await serve();
  const answer = await rawHttp(server.port, handshake(`Authorization: Bearer ${key}\r\n${headers}`));
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain('"code":"invalid_request"');
  expect(answer.toLowerCase()).toContain('x-request-id:');
});

test('on other paths an Upgrade header has no effect', async () => {
  const server = await serve();
  const { port } = new URL(server.url);
  const sent = request({
    port,
    path: '/v1/health',
    headers: { Connection: 'Upgrade', Upgrade: 'h2c' },
    agent: false,
  });
  sent.end();
  const [answer] = await once(sent, 'response');
  expect(answer.statusCode).toBe(200);
  answer.resume();
});

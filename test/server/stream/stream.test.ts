// The stream end to end: real sockets, the real event log, keys and plans.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import {
  AS_OF_MS,
  DAY_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  ServerFixture,
} from '../server-fixture.ts';
import { HandClock, openStream, refusalOf, type StreamClient } from './stream-client.ts';

let fixture: ServerFixture;
let clock: HandClock;
let key: string;
let ids: readonly string[];
const clients: StreamClient[] = [];

/** A chain and a protocol without events. */
const OTHERS = datasetOf('pegs', [{ key: 'base|AAA', value: { chain: 'base', protocol: 'aave' } }]);

const idOf = (envelope: string): string => (JSON.parse(envelope) as { event_id: string }).event_id;
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

async function publish(from: number, count: number, atMs = AS_OF_MS): Promise<readonly string[]> {
  const envelopes = await fixture.append(
    range(from, count).map((n) => eventCandidate(n)),
    atMs,
  );
  await fixture.publish([...fixtureDatasets(), OTHERS]);
  return envelopes;
}

beforeEach(async () => {
  fixture = await ServerFixture.create();
  clock = new HandClock();
  key = await fixture.key('team');
  ids = (await publish(0, 10)).map(idOf);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await fixture.remove();
});

const serve = (more: Parameters<ServerFixture['serve']>[0] = {}) =>
  fixture.serve({ anonymousPlan: null, ...clock.deps, ...more });

async function open(server: RunningServer, query = '', more: { key?: string } = {}): Promise<StreamClient> {
  const client = await openStream(server.url, { key: more.key ?? key, query });
  clients.push(client);
  return client;
}

test('a client gets new events, byte for byte as they were published, and no earlier ones', async () => {
  const server = await serve();
  const client = await open(server);
  const published = await publish(10, 3);
  await server.refresh();
  expect(await client.first(3)).toEqual(published);
});

test('the key may be in the URL, for clients that cannot set a header', async () => {
  const server = await serve();
  const client = await openStream(server.url, { query: `token=${key}` });
  clients.push(client);
  const published = await publish(10, 1);
  await server.refresh();
  expect(await client.first(1)).toEqual(published);
});

test('since_event_id sends what was missed first and then continues, without repeats', async () => {
  const server = await serve();
  const client = await open(server, `since_event_id=${ids[3]}`);
  expect((await client.first(6)).map(idOf)).toEqual(ids.slice(4));
  const published = await publish(10, 2);
  await server.refresh();
  expect((await client.first(8)).map(idOf)).toEqual([...ids.slice(4), ...published.map(idOf)]);
});

test('a client that is ahead of the server gets only events after its own', async () => {
  const server = await serve();
  const published = await publish(10, 4);
  const client = await open(server, `since_event_id=${idOf(published[1] ?? '')}`);
  await server.refresh();
  expect(await client.first(2)).toEqual(published.slice(2));
});

test.each([
  ['types=oracle.stale', (n: number) => n % 2 === 1],
  ['types=oracle.stale,oracle.feed.invalid', () => true],
  ['types=peg.depeg.start', () => false],
  ['severity=high', (n: number) => n % 2 === 0],
  ['severity=high,warn', () => true],
  ['severity=critical', () => false],
  ['subject_id=oracle:ethereum:0xf1:0xf1', (n: number) => n % 3 === 1],
  ['types=oracle.stale&subject_id=oracle:ethereum:0xf1:0xf1', (n: number) => n % 6 === 1],
  ['chain=ethereum', () => true],
  ['chain=base', () => false],
  ['protocol=aave', () => false],
])('%s filters past and new events alike', async (query, isWanted) => {
  const server = await serve();
  const before = await open(server, `since_event_id=${ids[0]}&${query}`);
  const live = await open(server, query);
  const published = await publish(10, 12);
  await server.refresh();
  const envelopes = [...ids, ...published.map(idOf)];
  const wanted = (from: number) => range(from, 22 - from).filter(isWanted);
  const expectedIds = (from: number) => wanted(from).map((n) => envelopes[n]);
  expect((await before.first(wanted(1).length)).map(idOf)).toEqual(expectedIds(1));
  expect((await live.first(wanted(10).length)).map(idOf)).toEqual(expectedIds(10));
});

test('control=1 sends hello, heartbeats, and the reason before a close', async () => {
  const server = await serve();
  const client = await open(server, `control=1&since_event_id=${ids[8]}`);
  const [hello, event] = await client.first(2);
  expect(JSON.parse(hello ?? '')).toEqual({
    op: 'hello',
    connection_id: client.headers['x-request-id'],
    after_event_id: ids[8],
    as_of: '2026-03-01T12:00:00Z',
    replay_window_days: 30,
    heartbeat_seconds: 30,
  });
  expect(idOf(event ?? '')).toBe(ids[9]);
  clock.pass(30);
  const [, , heartbeat] = await client.first(3);
  expect(JSON.parse(heartbeat ?? '')).toEqual({
    op: 'heartbeat',
    ts: '2026-03-01T12:00:00Z',
    last_event_id: ids[9],
  });
  void server.stop();
  const [, , , error] = await client.first(4);
  expect(JSON.parse(error ?? '')).toMatchObject({
    op: 'error',
    close_code: 1001,
    code: 'stopping',
    last_event_id: ids[9],
  });
  expect(await client.ended).toMatchObject({ code: 1001 });
});

test('a heartbeat names the last event of the log, even for a client whose filter lets none through', async () => {
  const server = await serve();
  const client = await open(server, 'control=1&types=peg.depeg.end');
  const everything = await open(server);
  const published = await publish(10, 2);
  await server.refresh();
  await everything.first(2);
  clock.pass(30);
  const [, heartbeat] = await client.first(2);
  expect(JSON.parse(heartbeat ?? '')).toMatchObject({ last_event_id: idOf(published[1] ?? '') });
});

test('a cursor older than the window is refused, or with control=1 reported as a gap before the events', async () => {
  const analyst = await fixture.key('analyst', { org: 'small' });
  const old = (await publish(10, 1, AS_OF_MS - 1)).map(idOf);
  await fixture.publish(undefined, '2026-03-09T12:00:00Z');
  const fresh = await fixture.append([eventCandidate(11)], AS_OF_MS + 8 * DAY_MS);
  await fixture.publish(undefined, '2026-03-09T12:00:00Z');
  const server = await serve();
  const refused = await refusalOf(server.url, { key: analyst, query: `since_event_id=${ids[0]}` });
  expect(refused).toMatchObject({
    status: 410,
    body: { error: 'REPLAY_WINDOW_EXPIRED', details: { window_days: 7 } },
  });
  const client = await open(server, `control=1&since_event_id=${ids[0]}`, { key: analyst });
  const [hello, gap, event] = await client.first(3);
  expect(JSON.parse(hello ?? '').op).toBe('hello');
  expect(JSON.parse(gap ?? '')).toEqual({
    op: 'gap',
    since_event_id: ids[0],
    from: '2026-03-02T12:00:00Z',
    replay_window_days: 7,
  });
  expect([event]).toEqual(fresh);
  expect(old).toHaveLength(1);
});

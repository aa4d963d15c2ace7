// Clients that never read: their queues are bounded, they are closed with the last id they were sent, and clients that read get
// everything.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventCandidate } from '../../../snapshots/events.ts';
import type { Json } from '../../../platform/base/json.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { eventCandidate, ServerFixture } from '../server-fixture.ts';
import { clientFrame, type ServerFrame, serverFrames } from './raw-client.ts';
import { HandClock, openStream, type StreamClient } from './stream-client.ts';

/** More than the kernel buffers for a local connection, both directions together. */
const WRITTEN_BYTES = 16 * 1_048_576;
const EVENT_BYTES = 16_384;
const EVENTS = WRITTEN_BYTES / EVENT_BYTES;
const EVENTS_AT_ONCE = 32;

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

function bigEvent(n: number): EventCandidate {
  const { key, envelope } = eventCandidate(n);
  const data = envelope['data'] as Record<string, Json>;
  return { key, envelope: { ...envelope, data: { ...data, padding: 'x'.repeat(EVENT_BYTES) } } };
}

/** Opens the stream, reads the handshake and nothing more. */
async function openDeaf(port: number, key: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  const opened = once(socket, 'data');
  socket.write(
    [
      'GET /v2/ws/risk-events HTTP/1.1',
      ...['Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      ...['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==', `Authorization: Bearer ${key}`, '\r\n'],
    ].join('\r\n'),
  );
  const [answer] = await opened;
  expect(String(answer)).toMatch(/^HTTP\/1.1 101 .*\r\n\r\n$/s);
  return socket.pause();
}

/** Bytes in buffers once all unreferenced objects have been collected. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  // Memory that one collection finds is freed concurrently and counted until then; the next collection waits for it.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** All frames still on their way to the socket. */
async function hearAll(socket: Socket): Promise<readonly ServerFrame[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => {
    socket.once('close', resolve);
    socket.once('end', () => socket.destroy());
    socket.resume();
  });
  const bytes = Buffer.concat(chunks);
  return serverFrames(bytes);
}

/** Gives reading clients time: they share a process with the server and all other clients, and read only between turns. */
async function publishAll(refresh: () => Promise<void>, reader: StreamClient): Promise<string[]> {
  const log: string[] = [];
  for (let from = 1; from <= EVENTS; from += EVENTS_AT_ONCE) {
    log.push(
      ...(await fixture.append(Array.from({ length: EVENTS_AT_ONCE }, (_, index) => bigEvent(from + index)))),
    );
    await fixture.publish();
    await refresh();
    await reader.first(log.length);
  }
  return log;
}

test('a client that never reads is closed with 4008 and its last id; memory is bounded; others lose nothing', async () => {
  await fixture.append([eventCandidate(0)]);
  await fixture.publish();
  const limits = { stream_connections: 100_000, requests_per_minute: 10_000_000 };
  const key = await fixture.key('enterprise', { limits });
  const clock = new HandClock();
  const server = await fixture.serve({ anonymousPlan: null, ...clock.deps });
  const healthy = await openStream(server.url, { key });
  const deaf = await Promise.all(
    Array.from({ length: COUNTS.deafClients }, () => openDeaf(server.port, key)),
  );
  const before = await heldBytes();
  const log = await publishAll(() => server.refresh(), healthy);
  expect(await healthy.first(EVENTS)).toEqual(log);
  // Queued events are shared: a thousand clients need hardly more than one. Each client here holds one chunk that it does not read.
  expect((await heldBytes()) - before).toBeLessThan(8 * 1_048_576 + COUNTS.deafClients * (65_536 + 4_096));
  for (const frames of await Promise.all(deaf.map(hearAll))) {
    const events = frames.filter(({ opcode }) => opcode === 1).map(({ payload }) => payload.toString());
    expect(events.length).toBeLessThan(EVENTS);
    expect(events).toEqual(log.slice(0, events.length));
    const close = frames.find(({ opcode }) => opcode === 8);
    if (close === undefined) throw new Error(`no close frame after ${events.length} events`);
    const last = (JSON.parse(events.at(-1) ?? '') as { event_id: string }).event_id;
    expect(close.payload.readUInt16BE(0)).toBe(4008);
    expect(close.payload.subarray(2).toString()).toBe(`slow_consumer: last_event_id=${last}`);
  }
  await healthy.close();
});

/** What a client may send in a second without reading: pings, and a pong to a ping it has not read. */
const LIVELY = Buffer.concat([
  ...Array.from({ length: 6 }, () => clientFrame(0x9, 'x'.repeat(125))),
  clientFrame(0xa),
  clientFrame(0xa, Buffer.alloc(8)),
]);

/** One client after another that pings and never reads; each is replaced when it is cut off. */
class DeafPlace {
  readonly #open: () => Promise<Socket>;
  #socket: Promise<Socket>;
  visits = 0;

  constructor(open: () => Promise<Socket>) {
    this.#open = open;
    this.#socket = this.#visit();
  }

  async ping(): Promise<void> {
    (await this.#socket).write(LIVELY);
  }

  /** Reopens the connection if it was cut off. */
  async settle(): Promise<void> {
    const socket = await this.#socket;
    if (!socket.destroyed && socket.readyState === 'open') return;
    this.#socket = this.#visit();
    await this.#socket;
  }

  async leave(): Promise<void> {
    (await this.#socket).destroy();
  }

  async #visit(): Promise<Socket> {
    this.visits++;
    const socket = await this.#open();
    socket.once('end', () => socket.destroy());
    return socket;
  }
}

test('a client that keeps pinging and never reads is cut off after two unread pings and holds almost no memory', async () => {
  await fixture.append([eventCandidate(0)]);
  await fixture.publish();
  const limits = { stream_connections: 100_000, requests_per_minute: 1_000_000_000 };
  const key = await fixture.key('enterprise', { limits });
  const clock = new HandClock();
  const server = await fixture.serve({ anonymousPlan: null, ...clock.deps });
  const positions = Array.from(
    { length: COUNTS.deafClients },
    () => new DeafPlace(() => openDeaf(server.port, key)),
  );
  await Promise.all(positions.map((location) => location.ping()));
  const before = await heldBytes();
  const rounds = COUNTS.deafHours * 120;
  let max = before;
  for (let round = 1; round <= rounds; round++) {
    clock.leap(30);
    await Promise.all(positions.map((location) => location.settle()));
    await Promise.all(positions.map((location) => location.ping()));
    if (round % 40 === 0) max = Math.max(max, await heldBytes());
  }
  expect(max - before).toBeLessThan(64 * 1_048_576);
  // Each stays for three rounds, plus or minus one in which its end has not been seen yet.
  for (const { visits } of positions) expect(visits).toBeGreaterThan(rounds / 5);
  await Promise.all(positions.map((location) => location.leave()));
});

test('a client that answers no ping is cut off after two of them; one that answers stays', async () => {
  await fixture.append([eventCandidate(0)]);
  await fixture.publish();
  const key = await fixture.key('team');
  const clock = new HandClock();
  const server = await fixture.serve({ anonymousPlan: null, ...clock.deps });
  const alive = await openStream(server.url, { key });
  const deaf = await openDeaf(server.port, key);
  let isGone = false;
  deaf.once('close', () => {
    isGone = true;
  });
  deaf.resume();
  for (let round = 1; round <= 2; round++) {
    const answered = new Promise((resolve) => alive.socket.once('ping', () => setImmediate(resolve)));
    clock.leap(30);
    await answered;
    expect(isGone).toBe(false);
  }
  const gone = once(deaf, 'close');
  clock.leap(30);
  await gone;
  expect(await alive.close()).toMatchObject({ code: 1005 });
});

test('a connection is not closed for being quiet, but is after a day', async () => {
  await fixture.append([eventCandidate(0)]);
  await fixture.publish();
  const key = await fixture.key('team');
  const clock = new HandClock();
  const server = await fixture.serve({ anonymousPlan: null, ...clock.deps });
  const client = await openStream(server.url, { key });
  for (const hours of [1, 22.9]) {
    const pinged = once(client.socket, 'ping');
    fixture.nowMs += hours * 3_600_000;
    clock.leap(hours * 3_600);
    await pinged;
  }
  clock.leap(360);
  expect(await client.ended).toEqual({ code: 1001, reason: 'too_old: reconnect with the last id' });
});

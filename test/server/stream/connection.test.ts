// One connection over a socket that accepts as many bytes as the test allows.
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { PLANS } from '../../../schemas/plans.ts';
import { Connection, closeReason } from '../../../server/stream/connection.ts';
import { batchOf, type Frame, textFrame } from '../../../server/stream/frame.ts';
import { serverFrames } from './raw-client.ts';

class Socket extends EventEmitter {
  writableLength = 0;
  written = Buffer.alloc(0);
  /** Accepts writes until this many bytes are full. */
  room = 0;

  write(bytes: Buffer): boolean {
    this.written = Buffer.concat([this.written, bytes]);
    this.room -= bytes.length;
    this.writableLength = Math.max(0, -this.room);
    return this.room > 0;
  }

  isEnded = false;

  end(): void {
    this.isEnded = true;
  }

  cork(): void {}

  uncork(): void {}

  take(bytes: number): void {
    this.room = bytes;
    this.writableLength = 0;
    this.emit('drain');
  }
}

class FakeWebSocket extends EventEmitter {
  readyState = 1;
  readonly closes: (readonly [number, string])[] = [];

  isTerminated = false;

  terminate(): void {
    this.readyState = 3;
    this.isTerminated = true;
  }

  close(code: number, reason: string): void {
    this.readyState = 2;
    this.closes.push([code, reason]);
  }
}

let socket: Socket;
let webSocket: FakeWebSocket;
let steadyMs: number;
beforeEach(() => {
  steadyMs = 0;
  socket = new Socket();
  webSocket = new FakeWebSocket();
});

const AFTER = '0'.repeat(26);

const open = (isControl = false): Connection => {
  const caller = { plan: 'team', limits: PLANS.team } as const;
  const sockets = { webSocket: webSocket as unknown as WebSocket, socket: socket as unknown as Duplex };
  const facts = { id: 'req_1', caller, owner: 'org a', isControl, after: AFTER };
  return new Connection(facts, sockets, { steadyMs: () => steadyMs, randomBytes });
};

const idOf = (n: number) => String(n).padStart(26, '0');
const frame = (n: number, bytes = 100): Frame & { id: string } => ({
  id: idOf(n),
  bytes: textFrame(Buffer.from(`${n} `.padEnd(bytes, 'x'))),
});
const send = (connection: Connection, frames: readonly Frame[]) => connection.send(batchOf(frames));
const numbers = () =>
  serverFrames(socket.written).map(({ payload }) => Number.parseInt(payload.toString(), 10));
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

test('frames wait while the socket accepts nothing and continue in order when it does', () => {
  const connection = open();
  socket.take(150);
  for (const n of range(1, 50)) send(connection, [frame(n)]);
  expect(numbers()).toEqual([1, 2]);
  expect(connection.lastId).toBe(idOf(2));
  socket.take(500);
  send(connection, [frame(51), frame(52)]);
  expect(numbers().slice(0, 50)).toEqual(range(1, 50));
  socket.take(10_000);
  expect(numbers()).toEqual(range(1, 52));
  expect(connection.lastId).toBe(idOf(52));
  expect(webSocket.closes).toEqual([]);
});

test('a thousand frames may wait; one more closes with 4008 and the last id that the socket took', () => {
  const connection = open();
  socket.take(1);
  for (const n of range(1, 1_001)) send(connection, [frame(n)]);
  expect([webSocket.closes, connection.isHalfFull]).toEqual([[], true]);
  send(connection, [frame(1_002)]);
  expect(webSocket.closes).toEqual([[4008, `slow_consumer: last_event_id=${idOf(1)}`]]);
  expect(socket.isEnded).toBe(true);
  socket.take(1_000_000);
  expect(numbers()).toEqual([1]);
});

test('a mebibyte may wait, including bytes the socket still holds', () => {
  const connection = open();
  socket.take(1);
  for (const n of range(1, 16)) send(connection, [frame(n, 65_000)]);
  expect(webSocket.closes).toEqual([]);
  send(connection, [frame(17, 65_000)]);
  expect(webSocket.closes).toEqual([[4008, `slow_consumer: last_event_id=${idOf(1)}`]]);
});

test('a frame larger than the queue limit is sent to a client that is not behind', () => {
  const connection = open();
  socket.take(1);
  send(connection, [frame(1, 3_000_000)]);
  expect([numbers(), webSocket.closes]).toEqual([[1], []]);
});

test('a client with control frames receives the reason before the close, and nothing after it', () => {
  const connection = open(true);
  socket.take(1);
  for (const n of range(1, 5)) send(connection, [frame(n)]);
  connection.close(1001, 'stopping: reconnect with the last id');
  socket.take(1_000_000);
  send(connection, [frame(6)]);
  const last = serverFrames(socket.written).at(-1);
  expect(JSON.parse(last?.payload.toString() ?? '')).toEqual({
    op: 'error',
    close_code: 1001,
    code: 'stopping',
    message: 'reconnect with the last id',
    last_event_id: idOf(1),
  });
  expect(serverFrames(socket.written)).toHaveLength(2);
});

const PING = 0x9;
const PONG = 0xa;
const framesOf = (opcode: number) => serverFrames(socket.written).filter((sent) => sent.opcode === opcode);
const pongs = () => framesOf(PONG).map(({ payload }) => payload.toString());

/** Ten pings a second are allowed. */
function ping(payload: string): void {
  steadyMs += 1_000;
  webSocket.emit('ping', Buffer.from(payload));
}

test('pings are answered while the socket accepts data; of waiting pings only the newest is answered', () => {
  const connection = open();
  socket.take(10_000);
  for (const n of range(1, 3)) ping(`a${n}`);
  expect(pongs()).toEqual(['a1', 'a2', 'a3']);
  socket.take(1);
  send(connection, [frame(1)]);
  send(connection, [frame(2)]);
  for (const n of range(1, 5_000)) ping(`b${n}`);
  expect(pongs()).toEqual(['a1', 'a2', 'a3']);
  socket.take(10_000);
  expect(pongs()).toEqual(['a1', 'a2', 'a3', 'b5000']);
  expect(framesOf(1)).toHaveLength(2);
  expect(webSocket.closes).toEqual([]);
});

test('a waiting pong counts towards the queue, and one without room is dropped', () => {
  const connection = open();
  socket.take(1);
  for (const n of range(1, 16)) send(connection, [frame(n, 65_000)]);
  send(connection, [frame(17, 8_400)]);
  // 109 bytes are left: not enough for the first pong, enough for the second, which leaves 27.
  ping('x'.repeat(120));
  ping('y'.repeat(80));
  expect(webSocket.closes).toEqual([]);
  send(connection, [frame(18, 60)]);
  expect(webSocket.closes).toEqual([[4008, `slow_consumer: last_event_id=${idOf(1)}`]]);
});

test('for a client that pings for a day and never reads, one pong is held', () => {
  open();
  socket.take(1);
  ping('first');
  const before = socket.written.length;
  for (const n of range(1, 86_400)) ping(`${n}`.padStart(125, '0'));
  expect(socket.written.length).toBe(before);
  socket.take(1_000_000);
  expect(pongs()).toEqual(['first', '86400'.padStart(125, '0')]);
});

test('only a pong with the payload of a ping counts as a sign of life', () => {
  const connection = open();
  socket.take(10_000);
  const due = () => {
    steadyMs += 30_000;
    return connection.check();
  };
  const sent = () => framesOf(PING).map(({ payload }) => payload);
  expect([due(), due(), sent().length]).toEqual([true, true, 2]);
  expect(sent()[0]).not.toEqual(sent()[1]);
  webSocket.emit('pong', sent()[0]);
  expect(due()).toBe(true);
  for (const forged of [Buffer.alloc(0), sent()[0], randomBytes(8), Buffer.alloc(8)])
    webSocket.emit('pong', forged);
  expect([due(), webSocket.isTerminated]).toEqual([false, true]);
});

test('the server’s pings wait like all other frames, ahead of events, and are dropped when there is no room', () => {
  const connection = open();
  socket.take(1);
  send(connection, [frame(1)]);
  send(connection, [frame(2)]);
  steadyMs += 30_000;
  expect(connection.check()).toBe(true);
  expect(framesOf(PING)).toEqual([]);
  socket.take(10_000);
  expect(serverFrames(socket.written).map(({ opcode }) => opcode)).toEqual([1, PING, 1]);
});

test('there is room when nothing waits, or when the connection is closed', async () => {
  const connection = open();
  await connection.room();
  socket.take(1);
  send(connection, [frame(1)]);
  send(connection, [frame(2)]);
  let isThere = false;
  const room = connection.room().then(() => {
    isThere = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isThere).toBe(false);
  socket.take(1_000);
  await room;
  socket.take(1);
  send(connection, [frame(3)]);
  const gone = connection.room();
  webSocket.emit('close');
  await gone;
});

test('a close reason that is too long is cut between characters', () => {
  expect(closeReason('short')).toBe('short');
  const long = closeReason(`x${'é'.repeat(100)}`);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(123);
  expect(long).toBe(`x${'é'.repeat(61)}`);
});

test.each([0, 125, 126, 65_535, 65_536, 70_000])(
  'a payload of %i bytes is framed as the protocol requires',
  (length) => {
    const payload = Buffer.alloc(length, 'a');
    const [only, ...more] = serverFrames(textFrame(payload));
    expect([only?.opcode, only?.payload.equals(payload), more]).toEqual([1, true, []]);
  },
);

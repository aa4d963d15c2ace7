// The processes of the stream's benchmark: `raw` and `hub` send 600 bytes to every connection and report the cost; `clients` open
// connections and count what arrives.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { PLANS } from '../../schemas/plans.ts';
import { Connection } from '../../server/stream/connection.ts';
import type { EventFilter } from '../../server/stream/event-filter.ts';
import { textFrame } from '../../server/stream/frame.ts';
import { Hub } from '../../server/stream/hub.ts';

const FRAME_BYTES = 600;
const FRAME_HEAD_BYTES = 4;
const ALL: EventFilter = {
  types: undefined,
  severities: undefined,
  subject: undefined,
  chain: undefined,
  protocol: undefined,
};

/** An order to a server process, which replies with the CPU time that it took. */
interface Order {
  readonly events: number;
}

const say = (message: object) => process.send?.(message);
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const idOf = (n: number) => String(n).padStart(26, '0');

function envelopeOf(n: number): Buffer {
  const head = `{"event_id":"${idOf(n)}","type":"oracle.stale","severity":"warn","chain":"ethereum","subject_id":"s:${n}","data":"`;
  return Buffer.from(`${head.padEnd(FRAME_BYTES - FRAME_HEAD_BYTES - 2, 'x')}"}`);
}

function serve(listening: { address(): unknown }, sendAll: (order: Order) => Promise<void>): void {
  say({ port: (listening.address() as AddressInfo).port });
  process.on('message', async (order: Order) => {
    const before = process.cpuUsage();
    await sendAll(order);
    const { user, system } = process.cpuUsage(before);
    say({ cpu_seconds: (user + system) / 1e6 });
  });
  process.on('disconnect', () => process.exit());
}

/** Only writes ready frames: the least that any way of sending must do. */
async function raw(): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const frames: Buffer[] = [];
  serve(server, async ({ events }) => {
    for (let n = 0; n < events; n++) {
      const frame = frames[n] ?? textFrame(envelopeOf(n));
      frames[n] = frame;
      for (const socket of sockets) socket.write(frame);
      await nextTurn();
    }
  });
}

async function hub(): Promise<void> {
  const ids: string[] = [idOf(0)];
  const read = (from: number) =>
    ids.slice(from).map((id, index) => ({ id, bytes: envelopeOf(from + index) }));
  const events = {
    asOfMs: 0,
    get lastId() {
      return ids.at(-1);
    },
    envelopes: async (after: string | undefined) => read(Number(after) + 1),
    stretch: () => Promise.reject(new Error('no one resumes here')),
  };
  const sender = new Hub({ events, wait: () => nextTurn(), log: { warn: console.error } });
  await sender.wake();
  const caller = { plan: 'team', is_keyed: false, limits: PLANS.team } as const;
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false });
  const server = createHttpServer().on('upgrade', (request, socket, head) => {
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const facts = { id: '', caller, owner: '', isControl: false, after: sender.head ?? '' };
      const connection = new Connection(
        facts,
        { webSocket, socket },
        { steadyMs: () => performance.now(), randomBytes },
      );
      webSocket.once('close', () => sender.leave(connection));
      void sender.follow(connection, ALL);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  serve(server, async ({ events: count }) => {
    for (let n = 0; n < count; n++) {
      ids.push(idOf(ids.length));
      await sender.wake();
    }
  });
}

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

async function clients(port: number, count: number, kind: string): Promise<void> {
  let [received, expected] = [0, Number.POSITIVE_INFINITY];
  for (let n = 0; n < count; n++) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    if (kind === 'hub') {
      socket.write(HANDSHAKE);
      await once(socket, 'data');
    }
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received >= expected) say({ received });
    });
  }
  process.on('message', ({ events }: Order) => {
    received = 0;
    expected = events * count * FRAME_BYTES;
    say({ ready: true });
  });
  process.on('disconnect', () => process.exit());
  say({ connected: count });
}

const [role = '', port = '0', count = '0', kind = ''] = process.argv.slice(2);
if (role === 'raw') await raw();
else if (role === 'hub') await hub();
else await clients(Number(port), Number(count), kind);

// One event to 1,000 and 5,000 WebSocket clients: our hub, Socket.IO and Centrifugo, each in a process of its own that alone is measured.
// Every message arrives before a round ends. None of the peers keeps a log to resume from here, filters, or bounds a slow client by id.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { median } from '../report.ts';
import { closeSide, openSide, sendFrames } from '../stream-side.ts';
import { cpuSecondsOf, installGo, installNpm, startProgram, stopProgram } from './programs.ts';

const ROUNDS = 5;
const FRAMES_A_ROUND = 50_000;
const CENTRIFUGO = 'github.com/centrifugal/centrifugo/v6';
const CENTRIFUGO_VERSION = 'v6.9.1';
/** Ends each payload, and is nowhere else in what the servers send. */
const MARK = '^';
const PAYLOAD = `${'x'.repeat(580)}${MARK}`;

/** `send(n)` sends n events to all clients, and resolves to the CPU seconds that this process needed. */
const SOCKET_IO = `
import { createServer } from 'node:http';
import { Server } from 'socket.io';
const http = createServer();
const io = new Server(http, { transports: ['websocket'], perMessageDeflate: false });
http.listen(Number(process.argv[2]), '127.0.0.1');
process.on('message', async (events) => {
  for (let n = 0; n < events; n++) {
    io.emit('event', ${JSON.stringify(PAYLOAD)});
    await new Promise((resolve) => setImmediate(resolve));
  }
});
process.on('disconnect', () => process.exit());
`;

/** Clients as bare sockets, which answer pings and count marks: port, path, count, and what each says after the handshake. */
const CLIENTS = `
import { connect } from 'node:net';
import { once } from 'node:events';
const [port, path, count, ...says] = process.argv.slice(2);
const handshake = 'GET ' + path + ' HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n';
const frame = (text) => { const data = Buffer.from(text); return Buffer.concat([Buffer.from([0x81, 0x80 | data.length, 0, 0, 0, 0]), data]); };
let [received, expected] = [0, Infinity];
for (let n = 0; n < Number(count); n++) {
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(handshake);
  await once(socket, 'data');
  for (const say of says) { socket.write(frame(say)); await once(socket, 'data'); }
  socket.on('data', (chunk) => {
    for (let at = chunk.indexOf(94); at !== -1; at = chunk.indexOf(94, at + 1)) received++;
    if (received >= expected) { expected = Infinity; process.send('received'); }
    if (chunk.length < 8) socket.write(frame(path.startsWith('/socket.io') ? '3' : '{}'));
  });
}
process.on('message', (frames) => { received = 0; expected = frames; process.send('ready'); });
process.on('disconnect', () => process.exit());
process.send('connected');
`;

interface Peer {
  readonly port: number;
  readonly path: string;
  /** What a client says after the handshake, each answered. */
  readonly says: readonly string[];
  readonly server: ChildProcess;
  readonly send: (events: number) => void;
}

const answerOf = async (child: ChildProcess): Promise<unknown> => (await once(child, 'message'))[0];

async function framesPerCpuSecond(peer: Peer, count: number): Promise<number> {
  const script = join(temporaryFolder('peers-clients'), 'clients.mjs');
  writeFileSync(script, CLIENTS);
  const clients = fork(script, [String(peer.port), peer.path, String(count), ...peer.says]);
  await answerOf(clients);
  const events = Math.max(1, Math.round(FRAMES_A_ROUND / count));
  // The sum of all rounds, because the CPU time of a foreign process is counted in hundredths of a second.
  let seconds = 0;
  for (let round = -1; round < ROUNDS; round++) {
    const ready = answerOf(clients);
    clients.send(events * count);
    await ready;
    const before = cpuSecondsOf(peer.server);
    const received = answerOf(clients);
    peer.send(events);
    await received;
    if (round >= 0) seconds += cpuSecondsOf(peer.server) - before;
  }
  clients.disconnect();
  await once(clients, 'exit');
  return (events * count * ROUNDS) / seconds;
}

async function ourFramesPerCpuSecond(count: number): Promise<number> {
  const side = await openSide('hub', count);
  const rates: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const speed = await sendFrames(side, { clients: count, frames: FRAMES_A_ROUND });
    if (round >= 0) rates.push(speed.framesPerCpuSecond);
  }
  await closeSide(side);
  return median(rates);
}

async function startSocketIo(): Promise<{ peer: Peer; versions: string }> {
  const { folder, versions } = await installNpm(['socket.io']);
  const port = await freePort();
  const script = join(folder, 'server.js');
  writeFileSync(script, SOCKET_IO);
  const server = fork(script, [String(port)], { cwd: folder });
  const path = '/socket.io/?EIO=4&transport=websocket';
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return { peer: { port, path, says: ['40'], server, send: (events) => void server.send(events) }, versions };
}

/** Anyone may subscribe and publish; without history, as Socket.IO. */
async function startCentrifugo(): Promise<{ peer: Peer; versions: string }> {
  const program =
    process.env['CENTRIFUGO'] ?? (await installGo(`${CENTRIFUGO}@${CENTRIFUGO_VERSION}`, 'centrifugo'));
  const port = await freePort();
  const config = join(temporaryFolder('peers-centrifugo'), 'config.json');
  const settings = {
    http_server: { address: '127.0.0.1', port },
    client: { insecure: true },
    http_api: { insecure: true },
    log: { level: 'error' },
  };
  writeFileSync(config, JSON.stringify(settings));
  const server = await startProgram(program, ['--config', config], port);
  const publish = { channel: 'events', data: { event: PAYLOAD } };
  const send = async (events: number) => {
    for (let n = 0; n < events; n++)
      await fetch(`http://127.0.0.1:${port}/api/publish`, { method: 'POST', body: JSON.stringify(publish) });
  };
  const says = ['{"id":1,"connect":{}}', '{"id":2,"subscribe":{"channel":"events"}}'];
  const path = '/connection/websocket';
  return {
    peer: { port, path, says, server, send: (events) => void send(events) },
    versions: `centrifugo ${CENTRIFUGO_VERSION}`,
  };
}

const PEERS = { 'socket.io': startSocketIo, centrifugo: startCentrifugo } as const;

/** Frames per CPU second of the server by number of clients; ours are measured right before each peer's. @throws if it is not available */
export async function compareStreaming(name: keyof typeof PEERS) {
  const { peer, versions } = await PEERS[name]();
  try {
    const rates: { clients: number; ours: number; peer: number }[] = [];
    for (const clients of [1_000, 5_000]) {
      const ours = await ourFramesPerCpuSecond(clients);
      rates.push({ clients, ours, peer: await framesPerCpuSecond(peer, clients) });
    }
    return { versions, rates };
  } finally {
    await stopProgram(peer.server);
  }
}

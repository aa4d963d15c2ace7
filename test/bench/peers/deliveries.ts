// Signed deliveries with a durable record: ours, against a BullMQ worker on Redis or Valkey that signs by Standard Webhooks and posts with
// the same HTTP client to the same receiver. Both write a record of each delivery that survives a crash of their process.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { median } from '../report.ts';
import type { SendResult, SendTask } from '../webhook-child.ts';
import { cpuSecondsOf, installNpm, redisProgram, startProgram, stopProgram } from './programs.ts';

const ROUNDS = 5;
const REQUESTS = Number(process.env['BENCH_ANSWERS'] ?? 5_000);
const IN_FLIGHT = 200;
const CHILD = new URL('../webhook-child.ts', import.meta.url);

/** What such a service would do: a job for each delivery, kept when it is done, without fairness, health, address checks or breakers. */
const WORKER = `
import { createHmac } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
const connect = () => new Redis(Number(process.argv[2]), '127.0.0.1', { maxRetriesPerRequest: null });
const [url, requests, inFlight] = [new URL(process.argv[3]), Number(process.argv[4]), Number(process.argv[5])];
const pool = new Pool(url.origin, { connections: inFlight, pipelining: 1 });
const key = Buffer.alloc(32, 7);
const queue = new Queue('deliveries', { connection: connect() });
const deliver = async ({ id, data }) => {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(id + '.' + seconds + '.' + data.body).digest('base64');
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': 'v1,' + signature };
  const { statusCode, body } = await pool.request({ method: 'POST', path: url.pathname, headers, body: data.body });
  await body.dump();
  if (statusCode !== 204) throw new Error('status ' + statusCode);
  return statusCode;
};
let finish;
let left = 0;
const worker = new Worker('deliveries', deliver, { connection: connect(), concurrency: inFlight });
worker.on('completed', () => { if (--left === 0) finish(); });
await worker.waitUntilReady();
const body = JSON.stringify({ pad: 'x'.repeat(590) }).slice(0, 600);
const options = { attempts: 10, backoff: { type: 'exponential', delay: 5000 } };
process.on('message', async (round) => {
  const before = process.cpuUsage();
  left = requests;
  const done = new Promise((resolve) => { finish = resolve; });
  for (let from = 0; from < requests; from += 200)
    await queue.addBulk(Array.from({ length: Math.min(200, requests - from) }, (_, n) => ({ name: 'deliver', data: { body }, opts: { ...options, jobId: 'round' + round + 'n' + (from + n) } })));
  await done;
  const { user, system } = process.cpuUsage(before);
  process.send((user + system) / 1e6);
});
process.on('disconnect', () => process.exit());
process.send('ready');
`;

async function startChild(args: readonly string[]): Promise<{ child: ChildProcess; said: unknown }> {
  const child = fork(CHILD, [...args]);
  const [said] = await once(child, 'message');
  return { child, said };
}

interface Peer {
  readonly versions: string;
  /** CPU seconds of the worker and the database for one round. */
  readonly run: (round: number) => Promise<number>;
  readonly stop: () => Promise<void>;
}

async function startPeer(url: string): Promise<Peer> {
  const program = await redisProgram();
  const { folder, versions } = await installNpm(['bullmq', 'ioredis', 'undici']);
  const port = await freePort();
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
  const redis = await startProgram(program, ['--port', String(port), ...durable], port);
  const script = join(folder, 'worker.js');
  writeFileSync(script, WORKER);
  const worker = fork(script, [String(port), url, String(REQUESTS), String(IN_FLIGHT)], { cwd: folder });
  const [first] = await Promise.race([once(worker, 'message'), once(worker, 'exit')]);
  if (first !== 'ready') {
    await stopProgram(redis);
    throw new Error(`the worker ended with ${first}`);
  }
  return {
    versions: `${versions}, ${program}`,
    async run(round) {
      const before = cpuSecondsOf(redis);
      const answer = once(worker, 'message');
      worker.send(round);
      const [seconds] = (await answer) as [number];
      return seconds + cpuSecondsOf(redis) - before;
    },
    async stop() {
      worker.disconnect();
      await stopProgram(redis);
    },
  };
}

/** Deliveries per CPU second of both. @throws if the peer is not available */
export async function compareDeliveries() {
  const receiver = await startChild(['receiver']);
  const url = `http://127.0.0.1:${(receiver.said as { port: number }).port}/hook`;
  const ours = await startChild(['sender']);
  const peer = await startPeer(url);
  const rates = { ours: [] as number[], peer: [] as number[] };
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const task: SendTask = { kind: 'durable', url, requests: REQUESTS, inFlight: IN_FLIGHT };
      const answer = once(ours.child, 'message');
      ours.child.send(task);
      const [{ cpu_seconds }] = (await answer) as [SendResult];
      const peerSeconds = await peer.run(round);
      if (round < 0) continue;
      rates.ours.push(REQUESTS / cpu_seconds);
      rates.peer.push(REQUESTS / peerSeconds);
    }
  } finally {
    await peer.stop();
    for (const { child } of [receiver, ours]) child.disconnect();
  }
  return { versions: peer.versions, ours: median(rates.ours), peer: median(rates.peer) };
}

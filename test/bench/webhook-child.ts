// One side of the webhook benchmarks in its own process: `receiver` answers 204 to everything and `hanging` nothing; `plain` sends as many
// unsigned requests as it is told to, `signed` signs each, and `durable` dispatches them with their records.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { AddressGuard } from '../../server/webhooks/address-guard.ts';
import { startDispatcher } from '../../server/webhooks/dispatcher.ts';
import type { EventSource } from '../../server/webhooks/event-feed.ts';
import { secretPlace } from '../../server/webhooks/lane.ts';
import { Sender } from '../../server/webhooks/send.ts';
import { makeSecret, signatureHeaders, signingKey } from '../../server/webhooks/sign.ts';
import { webhookRecord } from '../server/store/webhook-records.ts';
import { actorAt, addKey, openTestStore, TEST_SEALER } from '../support/ops-store.ts';

const BODY_BYTES = 600;
const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

export interface SendTask {
  readonly kind: 'plain' | 'signed' | 'durable';
  readonly url: string;
  readonly requests: number;
  readonly inFlight: number;
}

export interface SendResult {
  readonly cpu_seconds: number;
  readonly wall_seconds: number;
}

const idOf = (n: number) => `01HZX3K9Q4T2V7B8N6${String(n).padStart(8, '0')}`;
const bodyOf = (n: number): Buffer => {
  const event = {
    event_id: idOf(n),
    data: { pad: '' },
    subject_id: 's',
    ts: '2026-03-01T12:00:00Z',
    type: 'oracle.stale',
  };
  const pad = 'x'.repeat(BODY_BYTES - JSON.stringify(event).length);
  return Buffer.from(JSON.stringify({ ...event, data: { pad } }));
};

const after = (ms: number, work: () => void) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

function newSender(connections: number): Sender {
  const resolve = async () => ['127.0.0.1'];
  const guard = new AddressGuard({ resolve, isLoopbackAllowed: true });
  return new Sender({ guard, nowMs: Date.now, after, connections });
}

/** So many under way at a time until all are done. */
async function keepSending(task: SendTask, send: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < task.requests) await send(next++);
  };
  await Promise.all(Array.from({ length: task.inFlight }, one));
}

async function sendPlain(task: SendTask): Promise<void> {
  const { origin, pathname } = new URL(task.url);
  const pool = new Pool(origin, {
    connections: task.inFlight,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const body = bodyOf(0);
  const headers = ['Content-Type', 'application/json', 'User-Agent', 'bench'];
  await keepSending(
    task,
    () =>
      new Promise((resolve, reject) => {
        pool.dispatch(
          { method: 'POST', path: pathname, headers, body },
          {
            onRequestStart: () => undefined,
            onResponseStart: () => undefined,
            onResponseData: () => undefined,
            onResponseEnd: () => resolve(),
            onResponseError: (_, error) => reject(error),
          },
        );
      }),
  );
  await pool.close();
}

/** Signing and sending alone: what an attempt does without the dispatcher and its records. */
async function sendSigned(task: SendTask): Promise<void> {
  const sender = newSender(task.inFlight);
  const keys = [signingKey(makeSecret(randomBytes))];
  const body = bodyOf(0);
  await keepSending(task, async (n) => {
    const message = { id: idOf(n), body, sentSeconds: Math.floor(Date.now() / 1_000) };
    const headers = ['Content-Type', 'application/json', ...signatureHeaders(message, keys, false)];
    const { status } = await sender.send({ endpoint: 'one', url: task.url, headers, body });
    if (status !== 204) throw new Error(`The receiver answered ${status}.`);
  });
  sender.close();
}

class BenchLog implements EventSource {
  readonly asOfMs = NOW_MS;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  get lastId(): string {
    return idOf(this.#count);
  }

  async envelopes(after: string | undefined, limit: number) {
    const start = after === undefined || after === '' ? 1 : Number(after.slice(18)) + 1;
    const length = Math.max(0, Math.min(limit, this.#count - start + 1));
    return Array.from({ length }, (_, n) => ({ id: idOf(start + n), bytes: bodyOf(start + n) }));
  }

  async envelope(id: string) {
    return bodyOf(Number(id.slice(18)));
  }

  idBefore(id: string): string {
    return idOf(Number(id.slice(18)) - 1);
  }
}

/** The whole way: enqueued, read, signed, sent, recorded. Each of ten subscriptions gets a tenth of the requests. */
async function sendDurable(task: SendTask): Promise<void> {
  const subscriptions = 10;
  const { store, remove } = await openTestStore();
  await addKey(store, 'team');
  for (let n = 0; n < subscriptions; n++) {
    const id = `wh_${n}`;
    const secrets = [
      { sealed: TEST_SEALER.seal(Buffer.from(makeSecret(randomBytes)), secretPlace(id)), ends_ms: null },
    ];
    await store.webhooks.create(webhookRecord({ id, url: task.url, secrets }), actorAt(NOW_MS));
  }
  await store.deliveries.enqueue({ cursor: '', revision: await store.webhooks.revision() }, []);
  const perEndpoint = Math.ceil(task.inFlight / subscriptions);
  const dispatcher = startDispatcher({
    store,
    events: new BenchLog(task.requests / subscriptions),
    sender: newSender(perEndpoint),
    sealer: TEST_SEALER,
    nowMs: Date.now,
    random: Math.random,
    after,
    every: () => () => undefined,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    log: { info: () => undefined, warn: console.error, error: console.error },
    legacyFromMs: null,
    caps: { inFlight: task.inFlight, perOrg: task.inFlight, perEndpoint },
  });
  await dispatcher.settle();
  const rows = await store.deliveries.list('wh_0', { limit: 1_000_000 });
  const delivered = rows.filter(({ status }) => status === 'delivered').length;
  if (delivered !== task.requests / subscriptions) throw new Error(`${delivered} were delivered.`);
  await dispatcher.stop();
  await remove();
}

const SENDERS = { plain: sendPlain, signed: sendSigned, durable: sendDurable };

if (process.argv[2] === 'receiver' || process.argv[2] === 'hanging') {
  const isHanging = process.argv[2] === 'hanging';
  const server = createServer((request, response) => {
    request.resume();
    if (!isHanging) request.on('end', () => response.writeHead(204).end());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.once('disconnect', () => process.exit(0));
} else if (process.argv[2] === 'sender') {
  process.on('message', async (task: SendTask) => {
    const before = process.cpuUsage();
    const startMs = performance.now();
    await SENDERS[task.kind](task);
    const { user, system } = process.cpuUsage(before);
    process.send?.({ cpu_seconds: (user + system) / 1e6, wall_seconds: (performance.now() - startMs) / 1e3 });
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
}

// One side of the webhook benchmarks in its own process: `receiver` responds with 204 to everything and `hanging` never responds. On
// command, `plain` sends identical requests with the headers and bytes of a delivery, `signed` signs each, and `durable` dispatches them
// with their records.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { type DueDelivery, secretBinding } from '../../server/store/webhook-store.ts';
import { AddressGuard } from '../../server/webhooks/address-guard.ts';
import { Dispatcher } from '../../server/webhooks/dispatch.ts';
import type { EventSource } from '../../server/webhooks/event-feed.ts';
import { requestOf } from '../../server/webhooks/post.ts';
import { DeliveryQueue } from '../../server/webhooks/queue.ts';
import { type DeliveryRequest, Sender } from '../../server/webhooks/send.ts';
import { makeSecret } from '../../server/webhooks/sign.ts';
import { webhookRecord } from '../server/store/webhook-records.ts';
import { actorAt, addKey, openTestStore, TEST_SEALER } from '../support/ops-store.ts';
import { testMessages } from '../support/test-messages.ts';

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

/** Keeps the given number of requests under way until all are done. */
async function keepSending(task: SendTask, send: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < task.requests) await send(next++);
  };
  await Promise.all(Array.from({ length: task.inFlight }, one));
}

/** Runs before the measurement; resolves to the measured work, which resolves to what runs after it. */
type Prepare = (task: SendTask) => Promise<() => Promise<() => Promise<void>>>;

function queueTo(url: string, id: string): DeliveryQueue {
  const secret = Buffer.from(makeSecret(randomBytes));
  const secrets = [{ sealed: TEST_SEALER.seal(secret, secretBinding(id)), ends_ms: null }];
  const queue = new DeliveryQueue(webhookRecord({ id, url, secrets }), TEST_SEALER, 1);
  queue.replayCursor = idOf(0);
  return queue;
}

const deliveryOf = (n: number): DueDelivery => ({
  id: `dlv_${String(n).padStart(16, '0')}`,
  event_id: idOf(n),
  event_type: 'oracle.stale',
  origin: 'event',
  attempt: 0,
  most_attempts: 10,
  next_ms: NOW_MS,
  body: null,
});

const postTo = (queue: DeliveryQueue, body: Buffer, n: number): DeliveryRequest =>
  requestOf({
    delivery: deliveryOf(n),
    queue,
    body,
    startedMs: Date.now(),
    legacySignature: { state: 'off' } as const,
  });

const preparePlain: Prepare = async (task) => {
  const { origin, pathname: path } = new URL(task.url);
  const pool = new Pool(origin, {
    connections: task.inFlight,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { headers, body } = postTo(queueTo(task.url, 'wh_0'), bodyOf(0), 0);
  const send = () =>
    new Promise<void>((resolve, reject) => {
      pool.dispatch(
        { method: 'POST', path, headers, body },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: () => undefined,
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  return async () => {
    await keepSending(task, send);
    return () => pool.close();
  };
};

/** Signing and sending alone: what an attempt does without the dispatcher and its records. */
const prepareSigned: Prepare = async (task) => {
  const sender = newSender(task.inFlight);
  const [queue, body] = [queueTo(task.url, 'wh_0'), bodyOf(0)];
  const send = async (n: number) => {
    const { status } = await sender.send(postTo(queue, body, n));
    if (status !== 204) throw new Error(`The receiver responded with ${status}.`);
  };
  return async () => {
    await keepSending(task, send);
    return async () => sender.close();
  };
};

class BenchLog implements EventSource {
  readonly asOfMs = NOW_MS;
  readonly #events: readonly { id: string; bytes: Buffer }[];

  constructor(count: number) {
    this.#events = Array.from({ length: count }, (_, n) => ({ id: idOf(n + 1), bytes: bodyOf(n + 1) }));
  }

  get lastId(): string | undefined {
    return this.#events.at(-1)?.id;
  }

  async envelopes(after: string | undefined, limit: number) {
    const start = after === undefined || after === '' ? 0 : Number(after.slice(18));
    return this.#events.slice(start, start + limit);
  }

  async envelope(id: string) {
    return this.#events[Number(id.slice(18)) - 1]?.bytes;
  }

  idBefore(id: string): string {
    return idOf(Number(id.slice(18)) - 1);
  }
}

const SUBSCRIPTIONS = 10;

async function subscribedStore(url: string) {
  const ops = await openTestStore();
  await addKey(ops.store, 'team');
  for (let n = 0; n < SUBSCRIPTIONS; n++)
    await ops.store.webhooks.create(queueTo(url, `wh_${n}`).record, actorAt(NOW_MS));
  await ops.store.deliveries.enqueue({ cursor: '', revision: await ops.store.webhooks.revision() }, []);
  return ops;
}

/** The whole path: enqueued, read, signed, sent, recorded. Each of ten subscriptions gets a tenth of the requests. */
const prepareDurable: Prepare = async (task) => {
  const { store, remove } = await subscribedStore(task.url);
  const perEndpoint = Math.ceil(task.inFlight / SUBSCRIPTIONS);
  const deps = {
    store,
    events: new BenchLog(task.requests / SUBSCRIPTIONS),
    sender: newSender(perEndpoint),
    sealer: TEST_SEALER,
    nowMs: Date.now,
    random: Math.random,
    after,
    every: () => () => undefined,
    wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    log: { info: () => undefined, warn: console.error, error: console.error },
    messages: testMessages(Date.now, { info: () => undefined, warn: console.error, error: console.error }),
    legacySignature: { state: 'off' } as const,
    caps: { inFlight: task.inFlight, perOrg: task.inFlight, perEndpoint },
  };
  return async () => {
    const dispatcher = Dispatcher.start(deps);
    await dispatcher.settle();
    return async () => {
      const rows = await store.deliveries.list('wh_0', { limit: 1_000_000 });
      const delivered = rows.filter(({ status }) => status === 'delivered').length;
      if (delivered !== task.requests / SUBSCRIPTIONS) throw new Error(`${delivered} were delivered.`);
      await dispatcher.stop();
      await remove();
    };
  };
};

const SENDERS = { plain: preparePlain, signed: prepareSigned, durable: prepareDurable };

async function measured(task: SendTask): Promise<SendResult> {
  const run = await SENDERS[task.kind](task);
  const before = process.cpuUsage();
  const startMs = performance.now();
  const finish = await run();
  const { user, system } = process.cpuUsage(before);
  const wall_seconds = (performance.now() - startMs) / 1e3;
  await finish();
  return { cpu_seconds: (user + system) / 1e6, wall_seconds };
}

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
  process.on('message', async (task: SendTask) => process.send?.(await measured(task)));
  process.once('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verify } from '../../../examples/webhooks/verify.ts';
import { secretPlace } from '../../../server/webhooks/lane.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { actorAt, addKey, openTestStore, TEST_SEALER, type TestStore } from '../../support/ops-store.ts';
import { AS_OF_MS, eventCandidate, World } from '../published-world.ts';
import { webhookRecord } from '../store/webhook-records.ts';

const CHILD = new URL('./kill-child.ts', import.meta.url).pathname;
const RECEIVERS = 3;
const FAULT_SHARE = 0.3;
/** From this attempt on a receiver always accepts, so that nothing is given up. */
const SURE_ATTEMPT = 5;
const SPEED = 2_000;
/** What was answered longer than that before a kill must have been recorded. */
const RECORDED_WITHIN_MS = 2_000;

interface Accepted {
  readonly atMs: number;
  readonly again: number[];
}

/** Fails three attempts of ten in one of six ways, and remembers what it accepted and when. */
class FaultyReceiver {
  readonly accepted = new Map<string, Accepted>();
  readonly secret = makeSecret((bytes) => Buffer.alloc(bytes, 9));
  received = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray().catch(() => []));
      const time = Number(/t=(\d+)/.exec(String(request.headers['service-signature']))?.[1]);
      const signature = String(request.headers['service-signature']);
      expect(verify({ body, signature }, [this.secret], time)).toBe('good');
      this.received++;
      const id: string = JSON.parse(body.toString()).event_id;
      const attempt = Number(request.headers['service-delivery-attempt']);
      const chance =
        createHash('sha256').update(`${id} ${attempt} ${this.port}`).digest().readUInt16BE() / 65_536;
      if (attempt < SURE_ATTEMPT && chance < FAULT_SHARE) return fail(request.socket, chance / FAULT_SHARE);
      // A request that came while this end of the connection was closing cannot be answered.
      if (request.socket.writableEnded) return;
      const before = this.accepted.get(id);
      if (before === undefined) this.accepted.set(id, { atMs: Date.now(), again: [] });
      else before.again.push(Date.now());
      response.writeHead(204).end();
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function fail(socket: Socket, kind: number): void {
  const way = Math.floor(kind * 50);
  // Rare, because each takes as long as an attempt may: to say nothing at all.
  if (way === 0) return;
  if (way < 10) socket.resetAndDestroy();
  else if (way < 20) socket.end();
  else if (way < 30) socket.end('HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n');
  else if (way < 40) socket.end('HTTP/1.1 503 Later\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n');
  else socket.end('HTTP/1.1 204 No Content\r\nContent-Length: nonsense\r\n\r\n');
}

let world: World;
let ops: TestStore;
let receivers: FaultyReceiver[];
beforeEach(async () => {
  world = await World.create();
  await world.publish();
  ops = await openTestStore();
  receivers = Array.from({ length: RECEIVERS }, () => new FaultyReceiver());
  for (const receiver of receivers) await receiver.listen();
});
afterEach(async () => {
  for (const receiver of receivers) receiver.stop();
  await ops.remove();
  await world.remove();
});

async function subscribeAll(): Promise<void> {
  await addKey(ops.store, 'team');
  const { webhooks, deliveries } = ops.store;
  for (const [n, { port, secret }] of receivers.entries()) {
    const id = `wh_${n}`;
    const sealed = TEST_SEALER.seal(Buffer.from(secret), secretPlace(id));
    const url = `http://127.0.0.1:${port}/`;
    const events = ['oracle.stale', 'oracle.feed.invalid'];
    const record = webhookRecord({ id, url, events, secrets: [{ sealed, ends_ms: null }] });
    await webhooks.create(record, actorAt(AS_OF_MS));
  }
  await deliveries.enqueue({ cursor: '', revision: await webhooks.revision() }, []);
}

const receivedInAll = () => receivers.reduce((sum, { received }) => sum + received, 0);
const acceptedInAll = () => receivers.reduce((sum, { accepted }) => sum + accepted.size, 0);

async function ended(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

test(`${COUNTS.webhookKills} kills lose nothing, and repeat only what was under way`, {
  timeout: 7_200_000,
}, async () => {
  await subscribeAll();
  const startMs = Date.now();
  const start = () =>
    spawn(process.execPath, [CHILD, world.dir, ops.path, String(startMs), String(SPEED)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const ids: string[] = [];
  const kills: Kill[] = [];
  for (let kill = 0; kill <= COUNTS.webhookKills; kill++) {
    const child = start();
    const share = Math.ceil(COUNTS.webhookEvents / (COUNTS.webhookKills + 1));
    const next = Array.from(
      { length: Math.min(share, COUNTS.webhookEvents - ids.length) },
      (_, n) => ids.length + n,
    );
    for (const envelope of await world.append(next.map((n) => eventCandidate(n))))
      ids.push(JSON.parse(envelope).event_id);
    await world.publish();
    if (kill === COUNTS.webhookKills) {
      while (acceptedInAll() < ids.length * RECEIVERS) await wait(20);
      await ended(child, 'SIGTERM');
      break;
    }
    const until = receivedInAll() + 1 + ((kill * 397) % Math.max(2, share * 2));
    while (receivedInAll() < until && acceptedInAll() < ids.length * RECEIVERS) await wait(1);
    const killMs = Date.now();
    await ended(child, 'SIGKILL');
    // What it had sent is still read from the sockets.
    await wait(50);
    kills.push({ killMs, quietMs: Date.now() });
  }
  await expectEachOnce(ids, kills);
});

async function expectEachOnce(ids: readonly string[], kills: readonly Kill[]): Promise<void> {
  for (const { accepted } of receivers) {
    expect([...accepted.keys()].toSorted()).toEqual(ids.toSorted());
    expect([...accepted].filter(([, facts]) => !isExcused(facts, kills))).toEqual([]);
  }
  const rows = await Promise.all(
    receivers.map((_, n) => ops.store.deliveries.list(`wh_${n}`, { limit: 1_000_000 })),
  );
  expect(rows.map((list) => list.length)).toEqual(receivers.map(() => ids.length));
  expect(rows.flat().filter(({ status }) => status !== 'delivered')).toEqual([]);
}

interface Kill {
  readonly killMs: number;
  /** When nothing of the killed process could come any more. */
  readonly quietMs: number;
}

/** Each repetition has a kill of its own shortly after what it repeats. */
function isExcused({ atMs, again }: Accepted, kills: readonly Kill[]): boolean {
  const times = [atMs, ...again];
  return again.every((_, n) => {
    const [from = 0, to = 0] = times.slice(n, n + 2);
    return kills.some(
      ({ killMs, quietMs }) => from <= quietMs && killMs - from <= RECORDED_WITHIN_MS && to >= killMs,
    );
  });
}

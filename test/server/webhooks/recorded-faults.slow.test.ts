// Misbehaving receivers, all at once, under the whole dispatcher: each first attempt is recorded in time, and memory stays bounded.
// Release runs use the time limits of the service, other runs short ones.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DeliveryRecord, secretBinding } from '../../../server/store/webhook-store.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { actorAt, TEST_SEALER, testWebhookOptions } from '../../support/ops-store.ts';
import { AS_OF_MS, eventCandidate, ServerFixture } from '../server-fixture.ts';
import { webhookRecord } from '../store/webhook-records.ts';
import { FAULTS } from './faulty-receivers.ts';

const CHILD = new URL('./faults-child.ts', import.meta.url).pathname;
/** Listens with room for one connection, and accepts none. */
const DEAF_LISTENER = `
  const server = require('net').createServer();
  server.listen(0, '127.0.0.1', 1, () => {
    require('fs').writeSync(1, server.address().port + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;
const MAX_GROWTH_BYTES = 96 * 1_048_576;
const LIMITS = COUNTS.isWithRealLimits
  ? { connectMs: 5_000, totalMs: 15_000 }
  : { connectMs: 1_000, totalMs: 1_500 };
/** With short limits a busy machine gets extra time: the test then only requires that each attempt ends. */
const RECORDED_IN_MS = LIMITS.totalMs + (COUNTS.isWithRealLimits ? 1_000 : 10_000);

let fixture: ServerFixture;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
});
afterEach(async () => {
  await fixture.remove();
  for (const close of closers.splice(0)) close();
});

async function lineOf(child: ChildProcess): Promise<string> {
  closers.push(() => child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('the child has no output');
  return String((await once(createInterface(child.stdout), 'line'))[0]);
}

/** An address at which no connection is ever made: waiting connections fill its backlog. */
async function fullPlace(): Promise<string> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const port = Number(await lineOf(spawn(process.execPath, ['-e', DEAF_LISTENER], { stdio: [...stdio] })));
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  closers.push(...waiting.map((socket) => () => socket.destroy()));
  await Promise.race(waiting.map((socket) => once(socket, 'connect')));
  return `http://127.0.0.1:${port}/hook`;
}

type Place = readonly [name: string, url: string];

async function allPlaces(): Promise<readonly Place[]> {
  const child = spawn(process.execPath, [CHILD], { stdio: ['ignore', 'pipe', 'inherit'] });
  const faulty: Place[] = JSON.parse(await lineOf(child));
  return [
    ...faulty,
    ['takes no connection', await fullPlace()],
    ['refuses', 'http://127.0.0.1:1/hook'],
    ['has no name', 'https://unknown.example.com/hook'],
    ['has a name that no server answers for', 'https://silent.example.com/hook'],
  ];
}

const EXPECTED: Readonly<Record<string, readonly [number | null, string | null]>> = {
  ...Object.fromEntries(FAULTS.map(({ name, status, code }) => [name, [status, code]])),
  'hangs in TLS': [null, 'connect_timeout'],
  'speaks no TLS': [null, 'tls'],
  'resets in TLS': [null, 'connection_closed'],
  'takes no connection': [null, 'connect_timeout'],
  refuses: [null, 'connection_refused'],
  'has no name': [null, 'unresolved_name'],
  'has a name that no server answers for': [null, 'timeout'],
};

async function subscribeAll(positions: readonly Place[]): Promise<void> {
  await fixture.key('team');
  const { webhooks } = await fixture.store();
  for (const [n, [, url]] of positions.entries()) {
    const id = `wh_${n}`;
    const secret = makeSecret((bytes) => Buffer.alloc(bytes, 9));
    const secrets = [{ sealed: TEST_SEALER.seal(Buffer.from(secret), secretBinding(id)), ends_ms: null }];
    const record = webhookRecord({ id, url, events: ['oracle.stale'], secrets });
    await webhooks.create(record, actorAt(AS_OF_MS));
  }
}

async function serve() {
  const startMs = performance.now();
  const every = (ms: number, work: () => void) => {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  };
  const resolve = (host: string) =>
    host.startsWith('silent')
      ? new Promise<never>(() => undefined)
      : Promise.reject(new Error('no such name'));
  return fixture.serve({
    anonymousPlan: null,
    every,
    nowMs: () => AS_OF_MS + Math.round(performance.now() - startMs),
    webhooks: testWebhookOptions({ resolve, limits: LIMITS }),
  });
}

interface First {
  readonly row: DeliveryRecord;
  /** From publishing the event to first seeing the record. */
  readonly afterMs: number;
}

/** The first recorded attempt at each receiver, and the peak growth of memory. */
async function firstAttempts(
  positions: readonly Place[],
): Promise<{ firsts: Map<string, First>; growth: number }> {
  const { deliveries } = await fixture.store();
  const firsts = new Map<string, First>();
  const [startMs, before] = [performance.now(), process.memoryUsage.rss()];
  let peak = before;
  while (firsts.size < positions.length && performance.now() - startMs < RECORDED_IN_MS * 3) {
    for (const [n, [name]] of positions.entries()) {
      if (firsts.has(name)) continue;
      const [row] = await deliveries.list(`wh_${n}`, { limit: 2 });
      if (row !== undefined && row.attempt > 0)
        firsts.set(name, { row, afterMs: performance.now() - startMs });
    }
    peak = Math.max(peak, process.memoryUsage.rss());
    await wait(50);
  }
  return { firsts, growth: peak - before };
}

test(`first attempts at receivers with every fault are recorded within ${RECORDED_IN_MS} ms, in bounded memory`, {
  timeout: 120_000,
}, async () => {
  const positions = await allPlaces();
  await subscribeAll(positions);
  const server = await serve();
  await fixture.append([eventCandidate(1)]);
  await fixture.publish();
  await server.refresh();
  const { firsts, growth } = await firstAttempts(positions);
  const seen = [...firsts].map(([name, { row }]) => [name, [row.response_status, row.error?.code ?? null]]);
  expect(Object.fromEntries(seen)).toEqual(EXPECTED);
  for (const [name, { row, afterMs }] of firsts) {
    expect([name, row.attempt]).toEqual([name, 1]);
    expect([name, Math.max(afterMs, row.duration_ms ?? 0) <= RECORDED_IN_MS, afterMs]).toEqual([
      name,
      true,
      afterMs,
    ]);
    expect(Buffer.byteLength(row.response_body ?? '')).toBeLessThanOrEqual(1_024);
  }
  const slowest = Math.round(Math.max(...[...firsts.values()].map(({ afterMs }) => afterMs)));
  console.info({ faults: firsts.size, slowest_ms: slowest, growth_mib: Math.round(growth / 1_048_576) });
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
});

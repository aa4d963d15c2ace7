// Slow connections by the hundred, in four ways: each is closed by the deadlines of a running server, and meanwhile the requests of others
// take hardly longer.
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEADLINES } from '../../../server/http/protocol-errors.ts';
import { latencies } from '../../bench/load.ts';
import { COUNTS } from '../../reliability/counts.ts';
import { ServerFixture } from '../server-fixture.ts';

const MAX_OPEN_MS = 17_000;
const DRIP_MS = 500;
const PATH = '/v2/data-manifest';
const REQUESTS = { path: PATH, connections: 8, answers: Math.min(2_000, COUNTS.slowSockets * 10) };

/** What a client sends at once, and whether it then goes on byte by byte. */
const WAYS = [
  { sent: '', isDripping: false },
  { sent: 'GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n', isDripping: false },
  { sent: 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Slow: ', isDripping: true },
  {
    sent: 'POST /v2/webhooks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"url":"',
    isDripping: true,
  },
] as const;

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

async function serve() {
  await fixture.publish();
  const key = await fixture.key('custom', { limits: { requests_per_minute: 1e9 } });
  const { url, port } = await fixture.serve({
    deadlines: DEADLINES,
    nowMs: () => performance.now(),
    every: (ms, work) => {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
  });
  return { url, port, headers: { Authorization: `Bearer ${key}` } };
}

/** Milliseconds until the server closed the connection. */
function openTime(port: number, { sent, isDripping }: (typeof WAYS)[number]): Promise<number> {
  return new Promise((resolve) => {
    const openedMs = performance.now();
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    const drip = isDripping ? setInterval(() => socket.write('x'), DRIP_MS) : undefined;
    socket.on('error', () => undefined).resume();
    socket.on('close', () => {
      clearInterval(drip);
      resolve(performance.now() - openedMs);
    });
  });
}

const p99Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;

test(`${COUNTS.slowSockets} slow connections are each closed in time and hold up no one`, {
  timeout: 300_000,
}, async () => {
  const server = await serve();
  await latencies(server, REQUESTS);
  const before = p99Of(await latencies(server, REQUESTS));
  const slow: Promise<number>[] = [];
  for (let index = 0; index < COUNTS.slowSockets; index++) {
    slow.push(openTime(server.port, WAYS[index % WAYS.length] ?? WAYS[0]));
    // More at once than the queue of the operating system holds would not all be accepted.
    if (index % 100 === 99) await wait(100);
  }
  const during = p99Of(await latencies(server, REQUESTS));
  const longest = Math.max(...(await Promise.all(slow)));
  const after = p99Of(await latencies(server, REQUESTS));
  const quiet = Math.max(before, after);
  console.info({ sockets: slow.length, longest_ms: Math.round(longest), p99_ms: { before, during, after } });
  expect(longest).toBeLessThanOrEqual(MAX_OPEN_MS);
  if (COUNTS.slowSockets >= 1_000) expect(during).toBeLessThanOrEqual(2 * quiet);
});

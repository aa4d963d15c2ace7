import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServerDeps } from '../../../server/deps.ts';
import { DEADLINES } from '../../../server/http/protocol-errors.ts';
import { datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const SHORT = { headersMs: 150, requestMs: 200, responseMs: 250, quietMs: 150, checkEveryMs: 20 };
const everyReally: ServerDeps['every'] = (ms, work) => {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
};

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const serve = () => fixture.serve({ deadlines: SHORT, every: everyReally, nowMs: () => performance.now() });

/** Resolves with the received text once the server has closed the connection. */
function untilClosed(port: number, use: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => use(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

test('the deadlines of a running server close any slow connection within 17 seconds', () => {
  const longest = Math.max(DEADLINES.headersMs, DEADLINES.requestMs, DEADLINES.responseMs, DEADLINES.quietMs);
  expect(longest + DEADLINES.checkEveryMs).toBeLessThanOrEqual(17_000);
});

test('a silent connection is closed', async () => {
  await fixture.publish();
  await untilClosed((await serve()).port, () => undefined);
});

test('headers that arrive byte by byte end in an error body', async () => {
  await fixture.publish();
  const text = await untilClosed((await serve()).port, (socket) => {
    socket.write('GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const drip = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('did not arrive in time');
});

test('a kept-alive connection is closed when no request follows', async () => {
  await fixture.publish();
  const text = await untilClosed((await serve()).port, (socket) =>
    socket.write('GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n'),
  );
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
});

test('a client that reads a large response too slowly is cut off', async () => {
  const big = Array.from({ length: 20_000 }, () => ({ text: 'x'.repeat(1_000) }));
  const parameters = datasetOf('oracle-parameters', [{ key: 'big/BIG-USD', value: big }]);
  await fixture.publish([...fixtureDatasets().filter(({ id }) => id !== parameters.id), parameters]);
  const { port } = await serve();
  const received = await new Promise<number>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write('GET /data/oracle/big/BIG-USD HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(bytes));
  });
  expect(received).toBeLessThan(20_000_000);
});

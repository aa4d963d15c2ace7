// Spans as they reach a collector over HTTP: what is sent, what is read of the answer, and what ends a request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { postSpans } from '../../../platform/tracing/post-spans.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

async function collector(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return postSpans(`http://127.0.0.1:${port}/v1/traces`, { 'x-key': 'secret' }, () => NOW_MS);
}

const never = new AbortController().signal;

test('a body is posted as JSON with the headers of the operator', async () => {
  const seen: unknown[] = [];
  const post = await collector((request, response) => {
    const { method, url, headers } = request;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ method, url, key: headers['x-key'], type: headers['content-type'], body });
      response.end('{}');
    });
  });
  expect(await post('{"resourceSpans":[]}', never)).toEqual({
    status: 200,
    retryAfterMs: undefined,
    body: '{}',
  });
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/v1/traces',
      key: 'secret',
      type: 'application/json',
      body: '{"resourceSpans":[]}',
    },
  ]);
});

test.each([
  ['0', 0],
  ['7', 7_000],
  ['301', 300_000],
  ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
  ['soon', undefined],
])('a collector that asks to wait with Retry-After: %s', async (retryAfter, ms) => {
  const post = await collector((request, response) => {
    request.resume();
    response.writeHead(503, { 'retry-after': retryAfter }).end();
  });
  expect(await post('{}', never)).toMatchObject({ status: 503, retryAfterMs: ms });
});

test('a redirect is an answer, and is not followed', async () => {
  let requests = 0;
  const post = await collector((request, response) => {
    requests++;
    request.resume();
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect((await post('{}', never)).status).toBe(302);
  expect(requests).toBe(1);
});

test('no more of an endless answer is read than its beginning', async () => {
  const post = await collector((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    const chunk = 'x'.repeat(16_384);
    const write = () => {
      if (!response.destroyed) response.write(chunk, () => setImmediate(write));
    };
    write();
  });
  const { body } = await post('{}', never);
  expect(body.length).toBeGreaterThan(65_536);
  expect(body.length).toBeLessThan(1_000_000);
});

test('a request that gets no answer ends with its signal', async () => {
  const arrived = Promise.withResolvers<void>();
  const post = await collector(() => arrived.resolve());
  const cut = new AbortController();
  const posted = post('{}', cut.signal);
  await arrived.promise;
  cut.abort();
  await expect(posted).rejects.toThrow(/abort/i);
});

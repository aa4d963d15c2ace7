import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { otlpBody, postSpans } from '../../../platform/tracing/otlp.ts';
import type { Span } from '../../../platform/tracing/tracer.ts';

const SPAN: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentId: '00f067aa0ba902b7',
  name: 'GET /v2/events',
  kind: 'server',
  startMs: 1_767_225_600_000.25,
  endMs: 1_767_225_600_001.5,
  attributes: { route: '/v2/events', status: 200, ratio: 0.5, is_new: true },
  isError: true,
  links: [{ traceId: 'f'.repeat(32), spanId: 'e'.repeat(16) }],
};
const spansOf = (...spans: readonly Span[]) =>
  JSON.parse(otlpBody({}, spans)).resourceSpans[0].scopeSpans[0].spans;

test('a span in the form of the protocol', () => {
  expect(JSON.parse(otlpBody({ 'service.name': 'defi-risk-server' }, [SPAN]))).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'defi-risk-server' } }] },
        scopeSpans: [
          {
            scope: { name: 'defi-risk-data-service' },
            spans: [
              {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: 'b7ad6b7169203331',
                parentSpanId: '00f067aa0ba902b7',
                name: 'GET /v2/events',
                kind: 2,
                startTimeUnixNano: '1767225600000250000',
                endTimeUnixNano: '1767225600001500000',
                attributes: [
                  { key: 'route', value: { stringValue: '/v2/events' } },
                  { key: 'status', value: { intValue: '200' } },
                  { key: 'ratio', value: { doubleValue: 0.5 } },
                  { key: 'is_new', value: { boolValue: true } },
                ],
                links: [{ traceId: 'f'.repeat(32), spanId: 'e'.repeat(16) }],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  });
});

test('a root has no parent, and what went well no status', () => {
  const [root] = spansOf({ ...SPAN, parentId: null, isError: false });
  expect(root).not.toHaveProperty('parentSpanId');
  expect(root).not.toHaveProperty('status');
});

test('a clock that goes back makes no span that ends before it starts', () => {
  const [span] = spansOf({ ...SPAN, startMs: 2_000, endMs: 1_000 });
  expect(span.endTimeUnixNano).toBe(span.startTimeUnixNano);
});

test('fractions of a millisecond never round to a whole one', () => {
  const [span] = spansOf({ ...SPAN, startMs: 7.9999999, endMs: 8 });
  expect([span.startTimeUnixNano, span.endTimeUnixNano]).toEqual(['7999999', '8000000']);
});

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

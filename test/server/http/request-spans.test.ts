import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SpanExporter } from '../../../platform/tracing/exporter.ts';
import { TraceIds } from '../../../platform/tracing/trace-context.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { testWebhookOptions } from '../../support/ops-store.ts';
import { ServerFixture } from '../server-fixture.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status?: object;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const SECRET = 'rk_live_0123456789abcdef';

let fixture: ServerFixture;
let bodies: string[] = [];
let ratio = 1;
let random = 0;

async function traced(ask: (server: RunningServer) => Promise<unknown>): Promise<readonly OtlpSpan[]> {
  const exporter = new SpanExporter({
    post: async (body) => {
      bodies.push(body);
      return { status: 200, retryAfterMs: undefined, body: '' };
    },
    resource: {},
    steadyMs: () => 0,
    random: () => 0,
    after: () => () => undefined,
    warn: () => undefined,
  });
  const traces = { exporter, ids: new TraceIds(randomBytes), ratio };
  const webhooks = { ...testWebhookOptions(), random: () => random };
  const server = await fixture.serve({ traces, webhooks });
  await ask(server);
  await server.stop();
  return bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans as OtlpSpan[]);
}

const get =
  (path: string, headers: Readonly<Record<string, string>> = {}) =>
  (server: RunningServer) =>
    fetch(`${server.url}${path}`, { headers });
const attributesOf = ({ attributes }: OtlpSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish();
});
beforeEach(() => {
  [bodies, ratio, random] = [[], 1, 0];
});
afterAll(() => fixture.remove());

test.each([
  ['a prepared document', '/v2/data-manifest', '/v2/data-manifest', '200'],
  ['a path with a parameter', '/v2/datasets/coverage', '/v2/datasets/:id', '404'],
  ['an unknown path', '/v2/nothing', 'none', '404'],
  ['a wrong query', '/v2/data-manifest/coverage?limit=many', '/v2/data-manifest/coverage', '400'],
])('%s is a span with its route, never its path', async (_what, path, route, status) => {
  const [span, ...others] = await traced(get(path));
  expect(others).toEqual([]);
  expect(span).toMatchObject({ name: `GET ${route}`, kind: 2 });
  expect(span).not.toHaveProperty('parentSpanId');
  expect(span === undefined ? {} : attributesOf(span)).toEqual({
    'http.request.method': 'GET',
    'http.route': route,
    'http.response.status_code': status,
    'request.id': expect.stringMatching(/^req_/),
  });
});

test('joins the trace of the caller', async () => {
  const [span] = await traced(get('/v1/health', { traceparent: `00-${TRACE}-${PARENT}-01` }));
  expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  expect(span?.spanId).not.toBe(PARENT);
});

test.each([
  '00-0-0-01',
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-01-x`,
  'x'.repeat(1_000),
])('the malformed traceparent %s is ignored, and the request answered', async (traceparent) => {
  let status = 0;
  const [span] = await traced(async (server) => {
    status = (await get('/v1/health', { traceparent })(server)).status;
  });
  expect(status).toBe(200);
  expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(span?.traceId).not.toBe(TRACE);
  expect(span).not.toHaveProperty('parentSpanId');
});

test('nothing is recorded of a caller that records nothing', async () => {
  expect(await traced(get('/v1/health', { traceparent: `00-${TRACE}-${PARENT}-00` }))).toEqual([]);
});

test('the ratio decides: alone without a trace, and by the id of the trace that a caller sends', async () => {
  const asked = (digits: string) =>
    get('/v1/health', { traceparent: `00-${digits.padStart(32, '1')}-${PARENT}-01` });
  ratio = 0.25;
  random = 0.25;
  const none = await traced(async (server) => {
    await get('/v1/health')(server);
    await asked('bffffffffffff')(server);
  });
  expect(none).toEqual([]);
  random = 0.249;
  const both = await traced(async (server) => {
    await get('/v1/health')(server);
    await asked('c000000000000')(server);
  });
  expect(both).toHaveLength(2);
});

test('no key in a query, a path or a header reaches the collector', async () => {
  await traced(async (server) => {
    await get(`/v2/events?token=${SECRET}`)(server);
    await get(`/v2/datasets/${SECRET}`)(server);
    await get('/v2/data-manifest', { Authorization: `Bearer ${SECRET}`, 'X-Request-ID': SECRET })(server);
  });
  expect(bodies.join('')).not.toContain(SECRET);
});

test('pages may send traceparent', async () => {
  let allowed: string | null = '';
  await traced(async (server) => {
    const response = await fetch(`${server.url}/v2/data-manifest`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
    });
    allowed = response.headers.get('access-control-allow-headers');
  });
  expect(allowed?.split(', ')).toContain('traceparent');
});

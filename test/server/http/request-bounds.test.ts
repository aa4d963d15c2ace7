// What one request can cost all others: no request schema is open-ended, and the worst request that each endpoint admits takes one turn of
// the event loop and no more. Error responses are small, whatever was sent.
import { threadCpuUsage } from 'node:process';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../schemas/plans.ts';
import { STREAM_PARAMETERS } from '../../../schemas/stream.ts';
import { type Endpoint, pathOf } from '../../../server/define/endpoint.ts';
import { Failure } from '../../../server/define/failure.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { bodyChecker } from '../../../server/http/validate.ts';
import { errorResponse, MAX_ERROR_BYTES } from '../../../server/replies/error-response.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { rawHttp } from './raw-http.ts';
import { openEnds } from './request-schemas.ts';
import { isUnsafePattern, minCpuMs } from './unsafe-patterns.ts';

const MAX_TURN_MS = 20;
/** Number of tries, of which the best counts, because the first includes compilation and any may include a garbage collection. */
const TRIES = 8;

describe('schemas of requests', () => {
  test.each(ENDPOINTS.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s leaves nothing open',
    (_, { params, query, body }) => {
      expect(openEnds(params, 'query')).toEqual([]);
      expect(openEnds(query, 'query')).toEqual([]);
      expect(body === undefined ? [] : openEnds(body, 'body')).toEqual([]);
    },
  );

  test('the parameters of the stream are all bounded', () => {
    expect(openEnds(Type.Object({ ...STREAM_PARAMETERS }, { additionalProperties: false }), 'query')).toEqual(
      [],
    );
  });

  test.each([
    ['an array without an end', Type.Array(Type.Integer()), 'no maxItems'],
    ['a long array', Type.Array(Type.Integer(), { maxItems: 5_000 }), 'no maxItems'],
    ['unique items of no type', Type.Array(Type.Enum(['a']), { maxItems: 9, uniqueItems: true }), 'unique'],
    ['a text without an end', Type.String(), 'no maxLength'],
    ['a slow pattern', Type.String({ maxLength: 100, pattern: '^(a+)+$' }), 'slow pattern'],
    ['another slow pattern', Type.String({ maxLength: 100, pattern: '^([a-z]|[a-y])*!$' }), 'slow pattern'],
    ['a map', Type.Record(Type.String(), Type.Integer()), 'any number of members'],
    ['anything', Type.Unknown(), 'may be anything'],
  ])('%s is found anywhere', (_, schema, words) => {
    const inside = Type.Object({ a: Type.Optional(schema) }, { additionalProperties: false });
    const nested = Type.Object({ b: Type.Union([Type.Null(), inside]) }, { additionalProperties: false });
    for (const location of [inside, nested]) expect(openEnds(location, 'body').join()).toContain(words);
  });

  test('unbounded nesting is found', () => {
    const deep = [1, 2, 3, 4, 5, 6].reduce<object>(
      (inner) => ({ type: 'object', additionalProperties: false, properties: { a: inner } }),
      { type: 'integer' },
    );
    expect(openEnds(deep, 'body').join()).toContain('nested');
    expect(openEnds({ $ref: '#' }, 'body').join()).toContain('refers');
  });

  test('safe patterns are accepted', () => {
    for (const pattern of ['^[0-7][0-9A-HJKMNP-TV-Z]{25}$', '^-?[0-9]+(\\.[0-9]+)?$', 'Z$'])
      expect(isUnsafePattern(pattern, 4_096)).toBe(false);
  });
});

const filled = (piece: (at: number) => string, bytes = LIMITS.body_bytes - 200): string => {
  const pieces: string[] = [];
  for (let index = 0, length = 0; length < bytes; index++) {
    const next = piece(index);
    length += next.length + 1;
    if (length < bytes) pieces.push(next);
  }
  return pieces.join(',');
};

/** Values that fill a body, as JSON. */
const WORST: readonly (readonly [string, string])[] = [
  ['distinct objects', `[${filled((at) => `{"a":${at}}`)}]`],
  ['equal objects', `[${filled(() => '{}')}]`],
  ['distinct strings', `[${filled((at) => `"${at.toString(36)}"`)}]`],
  ['equal strings', `[${filled(() => '""')}]`],
  ['numbers', `[${filled(() => '0')}]`],
  ['arrays', `[${filled((at) => `[${at}]`)}]`],
  ['deep arrays', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['a deep object', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`],
  ['a wide object', `{${filled((at) => `"k${at}":0`)}}`],
  ['a long text', `"${'a'.repeat(64_000)}"`],
  ['a long text of escapes', `"${'\\u0000'.repeat(10_000)}"`],
  ['a long address', `"https://${'a.'.repeat(30_000)}com/"`],
  ['a long number', '1'.repeat(60_000)],
];

describe('a body', () => {
  const bodies = ENDPOINTS.filter(({ body }) => body !== undefined);

  function answerTo({ body }: Endpoint, text: string): Buffer {
    try {
      bodyChecker(body ?? Type.Object({}))(JSON.parse(text));
      return Buffer.alloc(0);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return errorResponse(error, { requestId: 'r', docsUrl: 'd' }).body;
    }
  }

  test.each(bodies.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    'of %s has at most ten problems, one per member',
    (_, endpoint) => {
      const names = Object.keys(endpoint.body?.properties ?? {});
      const all = `{${[...names.map((name) => `"${name}":[[]]`), filled((at) => `"x${'y'.repeat(at % 90)}${at}":0`, 9_000)].join(',')}}`;
      const { error } = JSON.parse(answerTo(endpoint, all).toString());
      const fields = error.details.fields.map(({ field }: { field: string }) => field);
      expect(fields).toHaveLength(10);
      expect(new Set(fields).size).toBe(10);
      for (const field of fields) expect(field.length).toBeLessThanOrEqual(80);
    },
  );
});

test('an error response has at most 64 KiB, without details that do not fit', () => {
  const huge = new Failure('validation_failed', 'm'.repeat(100_000), {
    details: { fields: Array.from({ length: 9_000 }, (_, index) => ({ field: `f${index}`, problem: 'p' })) },
    headers: ['X-A', 'b'],
  });
  const { body, headers, status } = errorResponse(huge, { requestId: 'req', docsUrl: 'd' });
  expect([status, body.length <= MAX_ERROR_BYTES, headers]).toEqual([
    400,
    true,
    expect.arrayContaining(['X-A']),
  ]);
  expect(JSON.parse(body.toString())).toMatchObject({
    error: { code: 'validation_failed', request_id: 'req' },
  });
});

describe('over HTTP', () => {
  let fixture: ServerFixture;
  let server: RunningServer;
  let key: string;
  beforeAll(async () => {
    fixture = await ServerFixture.create();
    await fixture.publish(everyDataset(fixtureDatasets()));
    key = await fixture.key('enterprise', { limits: { requests_per_minute: 1e9 } });
    server = await fixture.serve({ anonymousPlan: null, isResponseChecked: false });
  });
  afterAll(() => fixture.remove());

  const head = (method: string, target: string, more = '') =>
    `${method} ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${more}`;
  const pathFor = (endpoint: Endpoint, value: string) =>
    pathOf(
      endpoint,
      Object.fromEntries(Object.keys(endpoint.params.properties).map((name) => [name, value])),
    );

  /** Minimum CPU time of the whole process's event loop for a request, including its client, and the size of the largest error. */
  async function cost(request: string): Promise<{ ms: number; errorBytes: number }> {
    let [ms, errorBytes] = [Number.POSITIVE_INFINITY, 0];
    for (let tried = 0; tried < TRIES && ms > MAX_TURN_MS; tried++) {
      const start = threadCpuUsage();
      const text = await rawHttp(server.port, request);
      const { user, system } = threadCpuUsage(start);
      ms = Math.min(ms, (user + system) / 1_000);
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
      expect(status, request.slice(0, 200)).toBeDefined();
      expect(Number(status), request.slice(0, 200)).toBeLessThan(500);
      if (Number(status) >= 400) errorBytes = Math.max(errorBytes, text.length);
    }
    return { ms, errorBytes };
  }

  async function expectCheap(requests: readonly (readonly [string, string])[]): Promise<void> {
    const costly: string[] = [];
    for (const [name, request] of requests) {
      const { ms, errorBytes } = await cost(request);
      if (ms > MAX_TURN_MS || errorBytes > MAX_ERROR_BYTES + 2_048)
        costly.push(`${name}: ${ms.toFixed(1)} ms, ${errorBytes} bytes`);
    }
    expect(costly).toEqual([]);
  }

  const withBody = ENDPOINTS.filter(({ body }) => body !== undefined);
  test.each(withBody.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    'the worst bodies of %s take one turn and no more',
    async (_, endpoint) => {
      const names = Object.keys(endpoint.body?.properties ?? {});
      const texts = WORST.flatMap(([name, value]) => [
        [name, value] as const,
        ...names.map((member) => [`${member}: ${name}`, `{"${member}":${value}}`] as const),
      ]);
      const target = pathFor(endpoint, 'wh_01HZX3K9Q4T2V7B8N6M5P1R0SD');
      await expectCheap(
        texts.map(([name, text]) => {
          const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
          return [name, head(endpoint.method, target, length) + text];
        }),
      );
    },
  );

  const reads = ENDPOINTS.filter(({ method }) => method === 'GET');
  test.each(reads.map((endpoint) => [endpoint.path, endpoint] as const))(
    'the worst targets of GET %s take one turn and no more',
    async (_, endpoint) => {
      const room = LIMITS.url_bytes - pathFor(endpoint, 'x').length - 200;
      const values = [
        'a'.repeat(room),
        '1'.repeat(room),
        'a,'.repeat(room / 2),
        '%00'.repeat(room / 3),
        `${'-'.repeat(room - 1)}!`,
      ];
      const plain = pathFor(endpoint, 'x');
      const targets = [
        ...Object.keys(endpoint.query.properties).flatMap((name) =>
          values.map((value) => `${plain}?${encodeURIComponent(name)}=${value}`.slice(0, LIMITS.url_bytes)),
        ),
        `${plain}?${'a=1&'.repeat(room / 4)}`,
        ...Object.keys(endpoint.params.properties)
          .slice(0, 1)
          .map(() => pathFor(endpoint, 'a'.repeat(1_000))),
      ];
      await expectCheap(targets.map((target) => [target.slice(0, 80), head('GET', target, '\r\n')] as const));
    },
  );

  test('a higher cost is noticed', async () => {
    const slow = () => /^(a+)+$/.test(`${'a'.repeat(23)}!`);
    expect(minCpuMs(slow)).toBeGreaterThan(MAX_TURN_MS);
  });
});

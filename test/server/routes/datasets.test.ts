import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import { collectGarbage } from '../../../snapshots/gc.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { entropyOf, ulidAt } from '../../../platform/base/ulid.ts';
import { inFolder } from '../../support/in-folder.ts';
import { AS_OF, datasetOf, ServerFixture } from '../server-fixture.ts';

const LATER = '2026-03-01T12:05:00Z';

const nullable = (schema: { readonly [member: string]: string }) => ({ anyOf: [schema, { type: 'null' }] });
const table: TableInfo = {
  title: 'Prices of pairs',
  key: ['provider', 'pair'],
  separator: '/',
  shape: 'list',
  row: {
    type: 'object',
    additionalProperties: false,
    required: ['timestamp'],
    properties: {
      timestamp: { type: 'string' },
      updates: nullable({ type: 'integer' }),
      volume: nullable({ type: 'number' }),
      is_open: nullable({ type: 'boolean' }),
      amount: nullable({ type: 'string' }),
      price: {
        type: 'object',
        additionalProperties: false,
        properties: { min: nullable({ type: 'number' }), count: nullable({ type: 'integer' }) },
      },
      tags: { type: 'array', items: { type: 'string' } },
      extra: {},
    },
  },
};
const full = {
  timestamp: '2026-03-01T00:00:00Z',
  updates: 0,
  volume: 0.1,
  is_open: false,
  amount: '123456789012345678901234567890.5',
  price: { min: 1.5, count: 9_007_199_254_740_991 },
  tags: ['a', 'b,"c"'],
  extra: { any: [1, null] },
};
const empty = {
  timestamp: 'é, "quoted"\nline',
  updates: null,
  volume: null,
  is_open: null,
  amount: null,
  price: { min: null, count: null },
  tags: [],
  extra: null,
};
const blank = { ...empty, timestamp: '2026-02-28T00:00:00Z', amount: '', volume: 0 };

const CSV = [
  'provider,pair,timestamp,updates,volume,is_open,amount,price,tags,extra',
  'p,A-USD,2026-03-01T00:00:00Z,0,0.1,false,123456789012345678901234567890.5,"{""min"":1.5,""count"":9007199254740991}","[""a"",""b,\\""c\\""""]","{""any"":[1,null]}"',
  'p,A-USD,"é, ""quoted""\nline",,,,,"{""min"":null,""count"":null}",[],',
  'p,B/C,2026-02-28T00:00:00Z,,0,,"","{""min"":null,""count"":null}",[],',
  '',
].join('\r\n');

let fixture: ServerFixture;
let server: RunningServer;
let first: string;

const prices = (computed_at = AS_OF, rows = [full, empty]) =>
  datasetOf(
    'prices',
    [
      { key: 'p/B/C', value: [blank] },
      { key: 'p/A-USD', value: rows },
    ],
    computed_at,
    { table, rows: rows.length + 1, parquet: async () => Buffer.from(`PAR1 ${rows.length}`) },
  );
const plain = (computed_at = AS_OF) => datasetOf('undescribed', [{ key: 'a', value: 1 }], computed_at);

beforeEach(async () => {
  fixture = await ServerFixture.create();
  first = await fixture.publish([prices(), plain()]);
  server = await fixture.serve({ plan: 'custom' });
});
afterEach(() => fixture.remove());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/v2/datasets${path}`, { headers });
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

test('the list reports each dataset with its rows, age, sources, schema and forms', async () => {
  const answer = await get('');
  expect(answer.headers.get('x-schema-version')).toBe('2.0.0');
  const { data, meta, error } = (await answer.json()) as {
    data: Record<string, unknown>[];
    meta: object;
    error: null;
  };
  expect([meta, error]).toEqual([{ total: 2 }, null]);
  expect(data[0]).toMatchObject({
    id: 'prices',
    title: 'Prices of pairs',
    version: first,
    documents: 2,
    rows: 3,
    freshness: { status: 'fresh', age_seconds: 0 },
    sources: [{ license: null }],
    schema: { required: ['provider', 'pair', 'timestamp'], properties: { pair: { type: 'string' } } },
  });
  const forms = data[0]?.['forms'] as { path: string }[];
  expect(forms.map(({ path }) => path)).toEqual(
    ['json', 'ndjson', 'csv', 'parquet', 'arrow'].map((form) => `/v2/datasets/prices.${form}`),
  );
  expect(data[1]).toMatchObject({ id: 'undescribed', title: null, rows: null, forms: [], schema: null });
});

test('JSON holds every row with the values of its key, null and 0 apart', async () => {
  const answer = await get('/prices');
  expect(answer.headers.get('content-disposition')).toBeNull();
  expect(answer.headers.get('vary')).toBe('Accept-Encoding, Origin, Accept, Authorization');
  const { data, meta } = (await answer.json()) as { data: object[]; meta: object };
  expect(data).toEqual([
    { provider: 'p', pair: 'A-USD', ...full },
    { provider: 'p', pair: 'A-USD', ...empty },
    { provider: 'p', pair: 'B/C', ...blank },
  ]);
  expect(meta).toMatchObject({ dataset: 'prices', version: first, as_of: AS_OF, rows: 3 });
});

test('NDJSON has the same rows, one per line', async () => {
  const answer = await get('/prices.ndjson');
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = (await answer.text()).split('\n');
  const { data } = (await (await get('/prices.json')).json()) as { data: object[] };
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => JSON.parse(line))).toEqual(data);
});

test('CSV is unchanged, with nothing for null and quotes for empty text', async () => {
  const answer = await get('/prices.csv');
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="prices.csv"');
  expect(await answer.text()).toBe(CSV);
});

test('Arrow holds the same rows in columns of their types', async () => {
  const answer = await get('/prices.arrow');
  expect(answer.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream');
  const read = tableFromIPC(await bytesOf(answer));
  expect(read.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'provider Utf8',
    'pair Utf8',
    'timestamp Utf8',
    'updates Int64',
    'volume Float64',
    'is_open Bool',
    'amount Utf8',
    'price Struct<{min:Float64, count:Int64}>',
    'tags List<Utf8>',
    'extra Utf8',
  ]);
  const rows = read.toArray().map((row) => row.toJSON());
  expect(rows.map(({ updates, volume, amount }) => [updates, volume, amount])).toEqual([
    [0n, 0.1, full.amount],
    [null, null, null],
    [null, 0, ''],
  ]);
  expect(rows[0]?.['price'].toJSON()).toEqual({ min: 1.5, count: 9_007_199_254_740_991n });
  expect([...(rows[0]?.['tags'] ?? [])]).toEqual(full.tags);
});

test('Parquet is the published file, and is not compressed again', async () => {
  const answer = await get('/prices.parquet', { 'accept-encoding': 'br' });
  expect(answer.headers.get('content-type')).toBe('application/vnd.apache.parquet');
  expect(answer.headers.get('content-encoding')).toBeNull();
  expect((await bytesOf(answer)).toString()).toBe('PAR1 2');
});

test.each([
  ['text/csv', 'text/csv; charset=utf-8; header=present'],
  ['application/x-ndjson;q=0.5, text/csv;q=0.4', 'application/x-ndjson'],
  ['application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.stream'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
  ['text/*', 'text/csv; charset=utf-8; header=present'],
  ['application/json;q=0, */*', 'application/x-ndjson'],
  ['application/parquet', 'application/vnd.apache.parquet'],
  ['text/csv, */*', 'text/csv; charset=utf-8; header=present'],
  ['application/x-ndjson, application/json', 'application/x-ndjson'],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/json;q=0.9, text/csv; q=0.5', 'application/json'],
  ['*/*, application/json;q=0', 'application/x-ndjson'],
])('Accept: %s selects %s', async (accept, type) => {
  expect((await get('/prices', { accept })).headers.get('content-type')).toBe(type);
});

test('an extension takes precedence over Accept', async () => {
  const answer = await get('/prices.csv', { accept: 'application/json' });
  expect(answer.headers.get('content-type')).toContain('text/csv');
});

test.each([
  ['/prices', 400, 'invalid_request', { accept: 'image/png' }],
  ['/nothing', 404, 'not_found', {}],
  ['/nothing.csv', 404, 'not_found', {}],
  ['/prices.xlsx', 404, 'not_found', {}],
  ['/__proto__', 404, 'not_found', {}],
  ['/undescribed.csv', 404, 'not_found', {}],
  ['/undescribed', 404, 'not_found', {}],
  ['/prices.csv?version=01ARZ3NDEKTSV4RRFFQ69G5FAV', 404, 'not_found', {}],
  ['/prices.csv?version=../../etc', 404, 'not_found', {}],
  ['/prices.csv?as_of=2020-01-01T00:00:00Z', 404, 'not_found', {}],
  ['/prices.csv?as_of=yesterday', 400, 'validation_failed', {}],
  ['/prices.csv?as_of=2026-03-01T12:00:00%2B01:00', 400, 'validation_failed', {}],
  ['/prices.csv?version=a&as_of=2026-03-01T12:00:00Z', 400, 'validation_failed', {}],
  ['?version=a&version=b', 400, 'validation_failed', {}],
] as const)('%s is refused with %i %s in the standard body', async (path, status, code, headers) => {
  const answer = await get(path, headers);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.json()).toMatchObject({
    error: { code, request_id: expect.any(String), documentation_url: expect.stringContaining(code) },
  });
});

test.each(['json', 'ndjson', 'csv', 'parquet', 'arrow'])(
  'a kept version has the same bytes and ETag as %s, even after a newer version and from another server',
  async (form) => {
    const before = await get(`/prices.${form}`);
    const bytes = await bytesOf(before);
    const second = await fixture.publish([prices(LATER, [full]), plain(LATER)], LATER);
    await server.refresh();
    expect(await bytesOf(await get(`/prices.${form}`))).not.toEqual(bytes);
    server = await fixture.serve({ plan: 'custom' });
    for (const query of [`version=${first}`, `as_of=${AS_OF}`, 'as_of=2026-03-01T12:04:59Z']) {
      const again = await get(`/prices.${form}?${query}`);
      expect(await bytesOf(again)).toEqual(bytes);
      expect(again.headers.get('etag')).toBe(before.headers.get('etag'));
      expect(again.headers.get('etag')).toMatch(/^"[^"]+"$/);
    }
    const newest = await bytesOf(await get(`/prices.${form}?version=${second}`));
    expect(await bytesOf(await get(`/prices.${form}?as_of=2030-01-01T00:00:00Z`))).toEqual(newest);
    const etag = (await get(`/prices.${form}`)).headers.get('etag') ?? '';
    expect((await get(`/prices.${form}`, { 'if-none-match': etag })).status).toBe(304);
  },
);

test('a file with unchanged rows keeps its ETag in the next version', async () => {
  const etag = async () => (await get('/prices.csv')).headers.get('etag');
  const before = await etag();
  await fixture.publish([prices(LATER), plain(LATER)], LATER);
  await server.refresh();
  expect(await etag()).toBe(before);
});

test('as_of resolves to the last version of a day once the others of that day have been collected', async () => {
  const times = ['2026-03-01T23:55:00Z', '2026-03-03T00:05:00Z', '2026-03-03T00:10:00Z'];
  for (const time of times) await fixture.publish([prices(time, [full])], time);
  const nowMs = Date.parse('2026-03-03T01:00:00Z');
  await collectGarbage(inFolder(fixture.dir), { nowMs, keepMs: 1, keepDays: 90, leaseTtlMs: 1 });
  // A crash leaves a folder without a manifest.
  for (const time of ['2026-02-27T00:00:00Z', '2026-03-02T06:00:00Z'])
    await mkdir(join(fixture.dir, 'versions', ulidAt(Date.parse(time), entropyOf(time))));
  server = await fixture.serve({ plan: 'custom' });
  const asOf = async (query: string) => {
    const { meta, error } = (await (await get(`/prices?${query}`)).json()) as {
      meta?: { as_of: string };
      error: { code: string; details: object } | null;
    };
    return meta?.as_of ?? error?.details;
  };
  const oldest_as_of = '2026-03-01T23:55:00Z';
  expect(await asOf('as_of=2026-03-01T23:54:59Z')).toEqual({ oldest_as_of });
  expect(await asOf('as_of=2026-03-01T23:55:00Z')).toBe(times[0]);
  expect(await asOf('as_of=2026-03-02T12:00:00Z')).toBe(times[0]);
  expect(await asOf('as_of=2026-03-03T00:09:59Z')).toBe(times[0]);
  expect(await asOf('as_of=2026-03-03T00:10:00Z')).toBe(times[2]);
  const { meta } = (await (await fetch(`${server.url}/v2/versions`)).json()) as { meta: object };
  expect(meta).toEqual({ total: 2, oldest_as_of });
});

test('before the first version everything is unavailable', async () => {
  const fresh = await ServerFixture.create();
  server = await fresh.serve({ plan: 'custom' });
  const statuses = await Promise.all(
    ['', '/prices', '/prices.csv'].map(async (path) => (await get(path)).status),
  );
  await fresh.remove();
  expect(statuses).toEqual([503, 503, 503]);
});

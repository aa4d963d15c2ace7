// Byte ranges of dataset files: the response to each Range header, and that joined parts equal the file.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { AS_OF, datasetOf, ServerFixture } from '../server-fixture.ts';
import { raw } from './raw-http.ts';

const table: TableInfo = {
  title: 'Prices',
  key: ['name'],
  separator: '/',
  shape: 'one',
  row: { type: 'object', additionalProperties: false, properties: { price: { type: 'number' } } },
};
const PARQUET = Buffer.from(`PAR1 ${'0123456789'.repeat(200)} PAR1`);
const FILES = ['parquet', 'arrow', 'csv', 'ndjson'];

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([prices(AS_OF, 1.5)]);
  server = await fixture.serve({ plan: 'custom' });
});
afterAll(() => fixture.remove());

function prices(at: string, price: number) {
  const documents = Array.from({ length: 200 }, (_, n) => ({ key: `asset ${n}`, value: { price } }));
  const rows = documents.length;
  return datasetOf('prices', documents, at, { table, rows, parquet: async () => PARQUET });
}

const get = (form: string, headers: Record<string, string> = {}, method = 'GET') =>
  raw(server.url, `/v2/datasets/prices.${form}`, headers, method);

test.each(FILES)('parts of %s have the bytes of the file, and together make up the file', async (form) => {
  const whole = await get(form);
  const { length } = whole.body;
  expect([whole.status, whole.headers['accept-ranges'], length > 1_024]).toEqual([200, 'bytes', true]);
  const parts: Buffer[] = [];
  for (let first = 0; first < length; first += 1_000) {
    const part = await get(form, { range: `bytes=${first}-${first + 999}` });
    const last = Math.min(first + 999, length - 1);
    expect(part.status).toBe(206);
    expect(part.headers).toMatchObject({
      'content-range': `bytes ${first}-${last}/${length}`,
      'content-length': `${last - first + 1}`,
      'content-type': whole.headers['content-type'],
      'content-disposition': whole.headers['content-disposition'],
      'cache-control': whole.headers['cache-control'],
      'accept-ranges': 'bytes',
      etag: whole.headers['etag'],
    });
    parts.push(part.body);
  }
  expect(Buffer.concat(parts).equals(whole.body)).toBe(true);
});

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=5-', 5, -1],
  ['bytes=-8', -8, -1],
  ['bytes=-99999999999999999999', 0, -1],
  ['bytes=10-99999999999999999999', 10, -1],
  ['BYTES= 3-4 ', 3, 4],
])('%s is the expected part', async (range, first, last) => {
  const { body } = await get('csv');
  const { length } = body;
  const [from, to] = [(first + length) % length, (last + length) % length];
  const part = await get('csv', { range });
  expect([part.status, part.headers['content-range']]).toEqual([206, `bytes ${from}-${to}/${length}`]);
  expect(part.body.equals(body.subarray(from, to + 1))).toBe(true);
});

test.each([
  'bytes=5-2',
  'bytes=-',
  'bytes=a-b',
  'bytes=0-1,4-5',
  'bytes',
  'rows=0-1',
  'bytes=0x1-2',
  'bytes=1.5-2',
  '',
])('“%s” is not a single byte range and gets the whole file', async (range) => {
  const { status, body, headers } = await get('csv', { range });
  expect([status, headers['content-range']]).toEqual([200, undefined]);
  expect(body.equals((await get('csv')).body)).toBe(true);
});

test.each(['bytes=100000-', 'bytes=100000-100001', 'bytes=-0', 'bytes=99999999999999999999-'])(
  '%s is refused with the length of the file',
  async (range) => {
    const { length } = (await get('csv')).body;
    const { status, headers, body } = await get('csv', { range });
    expect([status, headers['content-range']]).toEqual([416, `bytes */${length}`]);
    expect(JSON.parse(body.toString())).toMatchObject({
      error: { code: 'range_not_satisfiable', details: { bytes: length } },
    });
    const { status: after } = await get('csv', { range: `bytes=${length}-` });
    const { status: atEnd } = await get('csv', { range: `bytes=${length - 1}-` });
    expect([after, atEnd]).toEqual([416, 206]);
  },
);

test('a part is never compressed, and a compressed form offers no parts', async () => {
  const whole = await get('csv');
  const packed = await get('csv', { 'accept-encoding': 'gzip, br' });
  expect([packed.headers['content-encoding'], packed.headers['accept-ranges']]).toEqual(['br', undefined]);
  const part = await get('csv', { 'accept-encoding': 'gzip, br', range: 'bytes=0-1999' });
  expect([part.status, part.headers['content-encoding']]).toEqual([206, undefined]);
  expect(part.body.equals(whole.body.subarray(0, 2_000))).toBe(true);
  const continued = { 'accept-encoding': 'br', range: 'bytes=9-', 'if-range': packed.headers['etag'] ?? '' };
  const again = await get('csv', continued);
  expect([again.status, again.headers['content-encoding']]).toEqual([200, 'br']);
});

test('JSON has no parts', async () => {
  const { status, headers } = await get('json', { range: 'bytes=0-9' });
  expect([status, headers['accept-ranges']]).toEqual([200, undefined]);
});

test('HEAD states the length and that ranges can be requested, and ignores a range', async () => {
  const { length } = (await get('parquet')).body;
  for (const range of ['bytes=0-9', 'bytes=999999-']) {
    const { status, headers, body } = await get('parquet', { range }, 'HEAD');
    expect([status, body.length]).toEqual([200, 0]);
    expect(headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': `${length}` });
  }
});

test('If-None-Match takes precedence over a range, and If-Range requires exactly the current tag', async () => {
  const etag = (await get('csv')).headers['etag'] ?? '';
  const range = 'bytes=0-9';
  const statusOf = async (headers: Record<string, string>) => (await get('csv', headers)).status;
  expect(await statusOf({ range, 'if-none-match': etag })).toBe(304);
  expect(await statusOf({ range: 'bytes=999999-', 'if-none-match': etag })).toBe(304);
  expect(await statusOf({ range, 'if-none-match': '"other"' })).toBe(206);
  expect(await statusOf({ range, 'if-range': etag })).toBe(206);
  for (const other of [`W/${etag}`, '"other"', '*', 'Sun, 01 Mar 2026 12:00:00 GMT'])
    expect(await statusOf({ range, 'if-range': other }), other).toBe(200);
  expect(await statusOf({ range: 'bytes=999999-', 'if-range': '"other"' })).toBe(200);
});

test('a download resumed after a new version gets the whole new file', async () => {
  const before = await get('csv', { range: 'bytes=0-99' });
  const later = '2026-03-01T12:05:00Z';
  await fixture.publish([prices(later, 2.5)], later);
  await server.refresh();
  const after = await get('csv', { range: 'bytes=100-', 'if-range': before.headers['etag'] ?? '' });
  expect([after.status, after.body.includes('2.5')]).toEqual([200, true]);
  expect(after.body.equals((await get('csv')).body)).toBe(true);
});

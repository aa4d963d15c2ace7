// How the store handles responses that a real server rarely sends, scripted by a test server.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { Agent } from 'undici';
import { S3_LIMITS, S3Client } from '../../../../platform/storage/s3/s3-client.ts';
import { S3ObjectStore } from '../../../../platform/storage/s3/s3-store.ts';

interface Answer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** `cut`: the request arrives, and the connection is closed without a response. */
type Scripted = Answer | 'cut';

let server: Server | undefined;
afterEach(() => server?.close());

async function scripted(answers: readonly Scripted[]) {
  const requests: string[] = [];
  const waits: number[] = [];
  server = createServer((request, response) => {
    const answer = answers[requests.length] ?? { status: 500 };
    requests.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      if (answer === 'cut') request.socket.destroy();
      else response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const url = `http://127.0.0.1:${port}/bucket`;
  const wait = async (ms: number) => void waits.push(ms);
  const effects = { agent: new Agent(), nowMs: () => 0, random: () => 0.5, wait };
  const location = { url, bucket: 'bucket', prefix: 'p/', region: 'r', credentials };
  return { store: new S3ObjectStore(new S3Client(location, effects, S3_LIMITS)), requests, waits };
}

const refusal = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m &amp; n</Message></Error>`;
const BUSY = { status: 503, body: refusal('SlowDown') };

test('waits longer after each attempt, then gives up', async () => {
  const { store, requests, waits } = await scripted([BUSY, BUSY, 'cut', BUSY, BUSY]);
  await expect(store.get('a')).rejects.toMatchObject({
    fault: 'network',
    message: 'GET s3://bucket/p/a: the store is unavailable (503 SlowDown, m & n).',
  });
  expect(requests).toHaveLength(5);
  expect(waits).toEqual([100, 200, 400, 800]);
});

test('waits as long as the store asks, within limits', async () => {
  const after = (seconds: string) => ({ ...BUSY, headers: { 'retry-after': seconds } });
  const { store, waits } = await scripted([after('2'), after('3600'), { status: 200, body: 'x' }]);
  expect((await store.get('a'))?.toString()).toBe('x');
  expect(waits).toEqual([2_100, 30_200]);
});

test('a swap whose response was lost is recognised by its bytes', async () => {
  const swap = { key: 'p', bytes: Buffer.from('mine'), expectedTag: '"1"' };
  const own = { status: 200, headers: { etag: '"2"' }, body: 'mine' };
  const done = await scripted(['cut', { status: 412 }, own]);
  expect(await done.store.swap(swap)).toEqual({ tag: '"2"' });
  const other = await scripted(['cut', { status: 412 }, { ...own, body: 'that of another writer' }]);
  expect(await other.store.swap(swap)).toBe('lost');
});

test('a permanent refusal is not retried', async () => {
  const { store, requests } = await scripted([{ status: 403, body: refusal('AccessDenied') }]);
  await expect(store.put('a', [Buffer.from('1')])).rejects.toMatchObject({ fault: 'credentials' });
  expect(requests).toEqual(['PUT /bucket/p/a']);
});

test('a conflict of concurrent writes is retried', async () => {
  const conflict = { status: 409, body: refusal('ConditionalRequestConflict') };
  const { store } = await scripted([
    conflict,
    { status: 412 },
    { status: 200, headers: { etag: '"2"' }, body: '' },
  ]);
  expect(await store.putOnce('a', [Buffer.from('1')])).toBe('there');
});

test('a range response of another length is rejected', async () => {
  const facts = {
    status: 200,
    headers: { 'content-length': '10', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' },
  };
  const { store } = await scripted([facts, { status: 200, body: '0123456789' }]);
  const opened = await store.open('a');
  await expect(opened?.read(Buffer.alloc(3), 0)).rejects.toThrow('10 bytes for a range of 3');
});

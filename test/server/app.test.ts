import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { raw, rawHttp } from './http/raw-http.ts';
import { AS_OF, AS_OF_MS, fixtureDatasets, isoSeconds, ServerFixture } from './server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const PARAMETERS = '/data/oracle/chainlink/ETH-USD';

test('before anything is published, the server is healthy but not ready, and every family reports it', async () => {
  const { url } = await fixture.serve();
  expect((await fetch(`${url}/v1/health`)).status).toBe(200);
  const ready = await fetch(`${url}/v1/ready`);
  expect(ready.status).toBe(503);
  expect(ready.headers.get('retry-after')).toBe('10');
  expect(await ready.json()).toMatchObject({
    error: {
      code: 'unavailable',
      message: 'No data has been published yet.',
      details: { reason: 'not_yet_published' },
    },
  });
  expect(await (await fetch(`${url}/v1/status`)).json()).toMatchObject({ status: 'empty', version: null });
  for (const path of ['/v2/data-manifest', '/v2/data-manifest/coverage', '/v2/events/replay', PARAMETERS]) {
    const answer = await fetch(url + path);
    expect([path, answer.status]).toEqual([path, 503]);
  }
  expect(await (await fetch(url + PARAMETERS)).json()).toMatchObject({ status: false, data: [] });
});

test('a version published later is served without a restart', async () => {
  const server = await fixture.serve();
  const version = await fixture.publish();
  await server.refresh();
  expect(await (await fetch(`${server.url}/v1/ready`)).json()).toEqual({ status: 'ready', version });
});

test('a constant stream of requests sees no error while versions are replaced', async () => {
  await fixture.publish();
  const server = await fixture.serve();
  let isDone = false;
  const statuses = new Map<number, number>();
  const versions = new Set<string>();
  const client = async () => {
    while (!isDone) {
      const answer = await fetch(`${server.url}/v2/data-manifest`);
      const { data } = (await answer.json()) as { data: { generated_at: string } };
      versions.add(data.generated_at);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  const clients = [client(), client(), client(), client()];
  for (let minute = 1; minute <= 10; minute++) {
    const as_of = isoSeconds(AS_OF_MS + minute * 60_000);
    await fixture.publish(fixtureDatasets(as_of), as_of);
    await server.refresh();
    const served = (await (await fetch(`${server.url}/v2/data-manifest`)).json()) as {
      data: { generated_at: string };
    };
    expect(served.data.generated_at).toBe(as_of);
  }
  isDone = true;
  await Promise.all(clients);
  expect([...statuses.keys()]).toEqual([200]);
  expect(versions.size).toBeGreaterThan(1);
});

test('a client that revalidates gets 304, even if it sends Cache-Control: no-cache', async () => {
  await fixture.publish();
  const { url } = await fixture.serve();
  for (const path of [PARAMETERS, '/v2/data-manifest', '/v2/data-manifest/coverage']) {
    const first = await fetch(url + path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^(W\/)?"[A-Za-z0-9_-]{22}(-gzip|-br)?"$/);
    const second = await fetch(url + path, {
      headers: { 'If-None-Match': etag, 'Cache-Control': 'no-cache' },
    });
    expect([path, second.status, await second.text()]).toEqual([path, 304, '']);
    expect(second.headers.get('etag')).toBe(etag);
    const isOpen = path === '/v2/data-manifest';
    expect(second.headers.get('cache-control')).toBe(
      `${isOpen ? 'public' : 'private'}, max-age=300, stale-while-revalidate=600`,
    );
    const changed = await fetch(url + path, { headers: { 'If-None-Match': '"something-else"' } });
    expect(changed.status).toBe(200);
  }
});

test('If-None-Match may be a list, weak, of another encoding, or a star', async () => {
  await fixture.publish();
  const { url } = await fixture.serve();
  const etag = (await raw(url, PARAMETERS)).headers['etag'] ?? '';
  for (const header of [`"a", ${etag}`, `W/${etag}`, etag.replace(/"$/, '-br"'), '*']) {
    expect([header, (await raw(url, PARAMETERS, { 'If-None-Match': header })).status]).toEqual([header, 304]);
  }
});

test('the ETag is unchanged while only the age changes, and changes with the status and the version', async () => {
  await fixture.publish();
  const server = await fixture.serve();
  const etagOf = async () => (await raw(server.url, '/v2/data-manifest')).headers['etag'];
  const first = await etagOf();
  fixture.nowMs += 10_000;
  expect(await etagOf()).toBe(first);
  fixture.nowMs = AS_OF_MS + 331_000;
  const aging = await etagOf();
  expect(aging).not.toBe(first);
  const later = isoSeconds(AS_OF_MS + 300_000);
  await fixture.publish(fixtureDatasets(later), later);
  await server.refresh();
  expect([first, aging]).not.toContain(await etagOf());
});

test.each([
  ['br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['br;q=0.5, gzip', 'gzip', gunzipSync],
  ['br;q=0, *', 'gzip', gunzipSync],
])('Accept-Encoding "%s" yields %s, with its own ETag', async (accept, encoding, decompress) => {
  await fixture.publish();
  const { url } = await fixture.serve();
  for (const path of [PARAMETERS, '/v2/data-manifest/coverage']) {
    const plain = await raw(url, path);
    const packed = await raw(url, path, { 'Accept-Encoding': accept });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers['vary']).toContain('Accept-Encoding');
    expect(packed.headers['etag']).toBe(plain.headers['etag']?.replace(/"$/, `-${encoding}"`));
    expect(decompress(packed.body).toString()).toBe(plain.body.toString());
    expect(packed.body.length).toBeLessThan(plain.body.length);
  }
});

test('without a known encoding, the response is sent unencoded', async () => {
  await fixture.publish();
  const { url } = await fixture.serve();
  for (const accept of ['deflate', 'identity', 'br;q=0', '', 'zstd;q=x']) {
    expect(
      (await raw(url, PARAMETERS, { 'Accept-Encoding': accept })).headers['content-encoding'],
    ).toBeUndefined();
  }
});

test('HEAD returns the headers of GET and no body', async () => {
  await fixture.publish();
  const { url } = await fixture.serve();
  for (const path of [
    PARAMETERS,
    '/v2/data-manifest',
    '/v2/data-manifest/coverage',
    '/v1/health',
    '/nothing',
  ]) {
    const get = await raw(url, path, { 'X-Request-ID': 'same' });
    const head = await raw(url, path, { 'X-Request-ID': 'same' }, 'HEAD');
    expect(head.status).toBe(get.status);
    expect(head.body.length).toBe(0);
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
  }
});

test('a damaged new version is reported in the status while the last good one is served', async () => {
  const good = await fixture.publish();
  const server = await fixture.serve();
  const later = isoSeconds(AS_OF_MS + 300_000);
  await fixture.publish(fixtureDatasets(later), later);
  await writeFile(join(fixture.dir, 'current.json'), '{"version":"x"}');
  await server.refresh();
  const status = await (await fetch(`${server.url}/v1/status`)).json();
  expect(status).toMatchObject({ status: 'degraded', version: good, as_of: AS_OF });
  expect(status).toMatchObject({
    notices: [{ message: expect.stringContaining('current.json is damaged') }],
  });
  expect((await fetch(`${server.url}/v2/data-manifest`)).status).toBe(200);
});

test('the notice disappears when a good version follows', async () => {
  await fixture.publish();
  const server = await fixture.serve();
  await writeFile(join(fixture.dir, 'current.json'), 'nonsense');
  await server.refresh();
  const version = await fixture.publish(fixtureDatasets(), isoSeconds(AS_OF_MS + 1000));
  await server.refresh();
  expect(await (await fetch(`${server.url}/v1/status`)).json()).toMatchObject({
    status: 'ok',
    version,
    notices: [],
  });
});

test('request ids: a valid one is kept, any other is replaced, and errors carry it too', async () => {
  const { url } = await fixture.serve();
  const kept = await raw(url, '/v1/health', { 'X-Request-ID': 'abc-1.2:3' });
  expect(kept.headers['x-request-id']).toBe('abc-1.2:3');
  for (const insane of ['', ' ', 'a b', 'x'.repeat(129), '-a', 'a"b']) {
    const made = await raw(url, '/nothing', { 'X-Request-ID': insane });
    const id = made.headers['x-request-id'];
    expect(id).toMatch(/^req_test_/);
    expect(JSON.parse(made.body.toString())).toMatchObject({ error: { request_id: id } });
  }
});

test('while stopping, the server is not ready, finishes requests in progress, and closes connections', async () => {
  await fixture.publish();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await fixture.serve({
    wait: (ms) => (ms === 1 ? held : new Promise(() => undefined)),
    lingerMs: 1,
  });
  const stopped = server.stop();
  const ready = await rawHttp(server.port, 'GET /v1/ready HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(ready).toMatch(/^HTTP\/1.1 503 /);
  expect(ready).toMatch(/connection: close/i);
  const data = await rawHttp(server.port, 'GET /v2/data-manifest HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(data).toMatch(/^HTTP\/1.1 200 /);
  release();
  await stopped;
  await expect(fetch(`${server.url}/v1/health`)).rejects.toThrow();
});

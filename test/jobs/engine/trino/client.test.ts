// The client of Trino against a server that responds as Trino does: pages, retries, refusals, wide numbers, an abandoned statement.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EngineError } from '../../../../jobs/engine/errors.ts';
import { TrinoClient, type TrinoConnection } from '../../../../jobs/engine/trino/client.ts';
import { TrinoError } from '../../../../jobs/engine/trino/trino-error.ts';

type Answer = { readonly status?: number; readonly body?: unknown; readonly cut?: true };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** A server that returns these responses one after the other; `NEXT` stands for its own address. */
async function serve(answers: readonly Answer[]) {
  const seen: IncomingMessage[] = [];
  const waits: number[] = [];
  const queue = [...answers];
  server = createServer((request, response) => {
    seen.push(request);
    const { status = 200, body = {}, cut } = queue.shift() ?? { status: 500 };
    if (cut === true) return request.socket.destroy();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status).end(text.replaceAll('NEXT', url));
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (location: Partial<TrinoConnection> = {}) =>
    new TrinoClient(
      { url, user: 'risk', password: '', catalog: 'lake', source: 'test', ...location },
      { fetch, wait: async (ms) => void waits.push(ms) },
    );
  return { client, url, seen, waits };
}

const LAST = { body: { columns: [{ name: 'n', type: 'bigint' }], data: [[2]] } };

test('pages are followed to the last one', async () => {
  const { client, seen } = await serve([
    { body: { nextUri: 'NEXT/1' } },
    { body: { nextUri: 'NEXT/2', columns: [{ name: 'n', type: 'bigint' }], data: [[1]] } },
    LAST,
  ]);
  expect((await client().run('select n from t')).rows).toEqual([[1], [2]]);
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/statement',
    'GET /1',
    'GET /2',
  ]);
  expect(seen[0]?.headers).toMatchObject({
    'x-trino-user': 'risk',
    'x-trino-catalog': 'lake',
    'x-trino-source': 'test',
    'x-trino-time-zone': 'UTC',
  });
});

test('a request that Trino asks to repeat, or that is cut off, is repeated with longer pauses', async () => {
  const { client, waits, seen } = await serve([
    { status: 503 },
    { status: 429 },
    { body: { nextUri: 'NEXT/1' } },
    { status: 502 },
    { cut: true },
    { status: 504 },
    LAST,
  ]);
  expect((await client().run('select 1')).rows).toEqual([[2]]);
  expect(seen).toHaveLength(7);
  expect(waits).toEqual([100, 200, 100, 200, 400]);
});

test('it gives up after several attempts and names the server, the problem and the statement', async () => {
  const { client, seen } = await serve(Array.from({ length: 20 }, () => ({ status: 503 })));
  await expect(client().run('-- why\nselect 1')).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:\d+ returned 503 after 8 attempts\.\nIn the statement: select 1$/,
  );
  expect(seen).toHaveLength(8);
});

test.each([401, 403])('wrong credentials are refused at once (%i)', async (status) => {
  const { client, seen } = await serve([{ status }]);
  await expect(client().run('select 1')).rejects.toThrow('refused the user risk or the password');
  expect(seen).toHaveLength(1);
});

test('integers that a double cannot hold keep their digits', async () => {
  const { client } = await serve([
    {
      body: '{"columns":[{"name":"n","type":"bigint"}],"data":[[9007199254740993,9007199254740991,0.1,"1.50"]]}',
    },
  ]);
  expect((await client().run('select n')).rows).toEqual([
    ['9007199254740993', 9007199254740991, 0.1, '1.50'],
  ]);
});

const failing = (errorName: string) => ({
  body: { error: { message: 'it failed', errorName, errorType: 'X' } },
});

test('a failure names the statement, and says whether a retry may succeed', async () => {
  const { client } = await serve([failing('DIVISION_BY_ZERO'), failing('PAGE_TRANSPORT_TIMEOUT')]);
  const first = await client()
    .run('select 1 / 0')
    .catch((error: unknown) => error);
  expect(first).toBeInstanceOf(EngineError);
  expect(first).toMatchObject({
    isPassing: false,
    message: 'it failed (DIVISION_BY_ZERO).\nIn the statement: select 1 / 0',
    cause: expect.any(Error),
  });
  await expect(client().run('select 1')).rejects.toMatchObject({ isPassing: true });
});

test('a query that exceeds memory says what to do', async () => {
  const { client } = await serve([failing('EXCEEDED_LOCAL_MEMORY_LIMIT')]);
  const failure = await client()
    .run('select 1')
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TrinoError);
  expect(String(failure)).toContain('raise query.max-memory');
});

test('a statement that is left early is cancelled', async () => {
  const { client, seen } = await serve([
    { body: { nextUri: 'NEXT/1', columns: [{ name: 'n', type: 'bigint' }], data: [[1]] } },
    {},
  ]);
  for await (const page of client().pages('select n from t')) {
    expect(page.rows).toEqual([[1]]);
    break;
  }
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
});

test('a server that is not Trino is reported as such', async () => {
  const { client } = await serve([{ body: '<html>' }, { status: 404, body: 'nothing here' }]);
  await expect(client().run('select 1')).rejects.toThrow('check that it is Trino');
  await expect(client().run('select 1')).rejects.toThrow('returned 404: nothing here');
});

test('a password is sent to no other host, and never without https', async () => {
  const { client } = await serve([{ body: { nextUri: 'http://127.0.0.2:1/next' } }]);
  await expect(client().run('select 1')).rejects.toThrow('where the password is not sent');
  expect(() => client({ password: 'secret' })).toThrow('TRINO_URL is not https');
  expect(() => client({ url: 'http://trino.example' })).toThrow('TRINO_URL is not https');
  expect(() => client({ url: 'https://me:secret@trino.example' })).toThrow(
    'set TRINO_USER and TRINO_PASSWORD',
  );
  expect(() => client({ url: 'trino' })).toThrow('not an http or https address');
  expect(client({ url: 'https://trino.example', password: 'secret' }).name).toBe('https://trino.example');
});

import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError, Client } from '../../../packages/client/src/client.ts';
import type { RunningServer } from '../../../server/deps.ts';
import {
  coverageRow,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  ServerFixture,
} from '../../server/server-fixture.ts';
import { isPythonAvailable } from '../../support/python-available.ts';

const run = promisify(execFile);
const pathOf = (name: string) => new URL(`../../../examples/client/${name}`, import.meta.url).pathname;
const PYTHON_SOURCE = new URL('../../../packages/python/src', import.meta.url).pathname;
const ROWS = Array.from({ length: 12 }, (_, n) => coverageRow(`0x${String(n).padStart(2, '0')}`, n));
const EVENTS = 9;

let fixture: ServerFixture;
let server: RunningServer;
let key: string;

beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.append(Array.from({ length: EVENTS }, (_, n) => eventCandidate(n)));
  await fixture.publish([...fixtureDatasets(undefined, ROWS), datasetOf('corrections', [])]);
  key = await fixture.key('team');
  server = await fixture.serve();
});
afterAll(() => fixture.remove());

const collect = async <T>(all: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
};

test('a list of several pages is walked row by row', async () => {
  const client = new Client({ baseUrl: server.url, key });
  const coverage = (query: object) =>
    client.list('/v2/data-manifest/coverage', { query: { limit: 5, ...query } }).all();
  const rows = await coverage({});
  expect(rows.map(({ scope_id }) => scope_id)).toEqual(ROWS.map(({ value }) => value.scope_id));
  expect(await coverage({ min_completeness_pct: 10 })).toHaveLength(2);
});

test('events are walked to the end, and on from the last one that is known', async () => {
  const client = new Client({ baseUrl: server.url, key });
  const all = await collect(client.events({ limit: '4' }));
  expect(all).toHaveLength(EVENTS);
  const later = await collect(client.events({ since_event_id: all[5]?.event_id ?? '' }));
  expect(later.map(({ event_id }) => event_id)).toEqual(all.slice(6).map(({ event_id }) => event_id));
});

test('both clients read a member under its other spelling, and keep the usual one if both are sent', async () => {
  const day = {
    mid_level_topic_based_sentiment_distrubution: [{ topic: 'fees' }],
    nested: [
      { consensus_algorithm: 'zk rollup' },
      { consensus_algorithm: 'x', validation_mechanism: 'optimistic' },
    ],
  };
  const usual = {
    mid_level_topic_based_sentiment_distribution: [{ topic: 'fees' }],
    nested: [{ validation_mechanism: 'zk rollup' }, { validation_mechanism: 'optimistic' }],
  };
  const other = createHttpServer((_, response) => {
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ status: true, data: [day] }));
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const client = new Client({ baseUrl: url, key });
  const { data } = await client.get('/scores/social/reddit/{protocol}', { params: { protocol: 'aave' } });
  expect(data).toEqual([usual]);
  if (isPythonAvailable()) {
    const program = `import json; from defi_risk import client; print(json.dumps(client.Client("${url}").get("/scores/social/reddit/aave").body["data"]))`;
    const { stdout } = await run('python3', ['-c', program], { cwd: PYTHON_SOURCE });
    expect(JSON.parse(stdout)).toEqual([usual]);
  }
  other.close();
});

test('an error says its status, its code and which request it was', async () => {
  const client = new Client({ baseUrl: server.url, key });
  const error = await client
    .get('/data/oracle/{provider}/pairs', { params: { provider: 'unknown' } })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  const about = { status: 404, code: 'not_found', requestId: expect.stringMatching(/^req_/) };
  expect(error).toMatchObject(about);
});

test('Node’s fetch, which adds Cache-Control: no-cache to a conditional request, still gets its 304', async () => {
  const client = new Client({ baseUrl: server.url, key, rememberedAnswers: 3 });
  for (const path of ['/v2/data-manifest', '/v2/datasets', '/v2/data-manifest/coverage'] as const) {
    const first = await client.get(path);
    const again = await client.get(path);
    expect([path, first.isUnchanged, again.isUnchanged]).toEqual([path, false, true]);
    expect(again.body).toEqual(first.body);
  }
});

const SHOWN =
  /feeds: 1 of 2 have a complete history\n(.*\n)*datasets requested again: (unchanged, not sent again|status 304)\nworst covered:\n( {2}.+\n){5}events:\n( {2}.+\n){5}/;

test('`npm run client` shows the service', async () => {
  const { stdout } = await run(process.execPath, [pathOf('main.ts'), '--base-url', server.url, '--key', key]);
  expect(stdout).toMatch(SHOWN);
});

test.skipIf(!isPythonAvailable())(
  'the client of Python’s standard library shows the same (skipped without python3)',
  async () => {
    const { stdout } = await run('python3', [pathOf('show.py'), '--base-url', server.url, '--key', key]);
    expect(stdout).toMatch(SHOWN);
  },
);

test.skipIf(!isPythonAvailable())(
  'a wrong key ends Python’s client with 1 and the code (skipped without python3)',
  async () => {
    const asked = run('python3', [pathOf('show.py'), '--base-url', server.url, '--key', 'nonsense']);
    await expect(asked).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('invalid_key') });
  },
);

const ASK_ONCE = `
import sys
sys.path.insert(0, sys.argv[1])
from defi_risk.client import Client
print(Client(sys.argv[2], wait=lambda seconds: None).get("/").body["data"])
`;

test.skipIf(!isPythonAvailable())(
  'Python’s client asks again when an answer is cut off (skipped without python3)',
  async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n';
    const answers = ['', 'HTTP/1.1 2', `${head}Content-Length: 100\r\n\r\n{"da`, 'nonsense\r\n\r\n'];
    const cutting = createServer((socket) => {
      socket.once('data', () => socket.end(answers.shift() ?? `${head}Content-Length: 10\r\n\r\n{"data":7}`));
    });
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`;
    const { stdout } = await run('python3', ['-c', ASK_ONCE, PYTHON_SOURCE, address]);
    cutting.close();
    expect([stdout, answers]).toEqual(['7\n', []]);
  },
);

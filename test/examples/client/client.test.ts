import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError, Client } from '../../../packages/client/src/client.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { PACKAGES_PYTHON, PYTHON_SOURCE } from '../../packages/packages-python.ts';
import {
  coverageRow,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  ServerFixture,
} from '../../server/server-fixture.ts';

const run = promisify(execFile);
const pathOf = (name: string) => new URL(`../../../examples/client/${name}`, import.meta.url).pathname;
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
  if (PACKAGES_PYTHON !== undefined) {
    const program = `import json; from defi_risk import Client; print(json.dumps(Client("${url}").get("/scores/social/reddit/aave").data))`;
    const { stdout } = await inPython('-c', program);
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
  /feeds: 1 of 2 have a complete history\n(.*\n)*datasets requested again: unchanged, not sent again\nworst covered:\n( {2}.+\n){5}events:\n( {2}.+\n){5}/;

test('`npm run client` shows the service', async () => {
  const { stdout } = await run(process.execPath, [pathOf('main.ts'), '--base-url', server.url, '--key', key]);
  expect(stdout).toMatch(SHOWN);
});

const inPython = (...args: readonly string[]) =>
  run(PACKAGES_PYTHON ?? '', args, { env: { ...process.env, PYTHONPATH: PYTHON_SOURCE } });

describe.skipIf(PACKAGES_PYTHON === undefined)('in Python (skipped without httpx)', () => {
  test('the example shows the same', async () => {
    const { stdout } = await inPython(pathOf('show.py'), '--base-url', server.url, '--key', key);
    expect(stdout).toMatch(SHOWN);
  });

  test('a wrong key ends it with 1 and the code', async () => {
    const asked = inPython(pathOf('show.py'), '--base-url', server.url, '--key', 'nonsense');
    await expect(asked).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('invalid_key') });
  });
});

// A strong ETag promises equal bytes (RFC 9110, 8.8.1). The clock advances between two requests for everything that caches may keep.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../server/deps.ts';
import type { TableInfo } from '../../../snapshots/layout.ts';
import { preparedPaths } from '../../support/prepared-paths.ts';
import { CADENCE_S, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';
import { raw } from './raw-http.ts';

const ROUTED = [
  '/v2/datasets',
  '/v2/datasets/layer2-registry',
  '/v2/datasets/layer2-registry.csv',
  '/v2/data-manifest/coverage?limit=1',
  '/v2/yield/opportunities',
  '/v2/corrections',
  '/v2/event-types',
];
const ENCODINGS = ['identity', 'gzip', 'br'];

const table: TableInfo = {
  title: 'Numbers',
  key: ['name'],
  separator: '/',
  shape: 'one',
  row: { type: 'object', additionalProperties: false, properties: { n: { type: 'integer' } } },
};

let fixture: ServerFixture;
let server: RunningServer;
let paths: readonly string[];
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const more = ['corrections', 'yield-opportunities', 'event-rules'].map((id) => datasetOf(id, []));
  const registry = datasetOf('layer2-registry', [{ key: 'a', value: { n: 1 } }], undefined, {
    table,
    rows: 1,
  });
  await fixture.publish([...fixtureDatasets(), ...more, registry]);
  server = await fixture.serve({ plan: 'custom' });
  paths = [...(await preparedPaths(fixture.dir)), ...ROUTED];
});
afterAll(() => fixture.remove());

const ask = (path: string, encoding: string, headers = {}, method = 'GET') =>
  raw(server.url, path, { 'accept-encoding': encoding, ...headers }, method);

/** The results of `work` before and after the clock advanced. */
async function twice<T>(seconds: number, work: () => Promise<T>): Promise<readonly [T, T]> {
  const started = fixture.nowMs;
  const before = await work();
  fixture.nowMs += seconds * 1000;
  const after = await work();
  fixture.nowMs = started;
  return [before, after];
}

test.each(ENCODINGS)('equal strong ETags mean equal bytes, as %s', async (encoding) => {
  for (const path of paths) {
    const [before, after] = await twice(7, () => ask(path, encoding));
    const etag = before.headers['etag'];
    if (etag === undefined) throw new Error(`${path} has no ETag`);
    expect([path, after.headers['etag']]).toEqual([path, etag]);
    const isEqual = before.body.equals(after.body);
    expect([path, isEqual || etag.startsWith('W/')]).toEqual([path, true]);
  }
});

test('a response that states an age has a weak ETag, others have a strong one', async () => {
  for (const path of paths) {
    const { headers, body } = await ask(path, 'identity');
    const isJson = headers['content-type'] === 'application/json' && !path.startsWith('/openapi');
    const isAging = isJson && body.includes('"age_seconds":');
    expect([path, headers['etag']?.startsWith('W/')]).toEqual([path, isAging]);
  }
});

test.each(ENCODINGS)(
  '304 is returned while the data is unchanged, for GET and HEAD, as %s',
  async (encoding) => {
    for (const path of paths) {
      const { headers } = await ask(path, encoding);
      const known = { 'if-none-match': headers['etag'] };
      const answers = await twice(7, async () => [
        await ask(path, encoding, known),
        await ask(path, encoding, known, 'HEAD'),
        await ask(path, encoding, {}, 'HEAD'),
      ]);
      for (const [get, head, plain] of answers) {
        expect([path, get?.status, head?.status, plain?.status]).toEqual([path, 304, 304, 200]);
        expect([get, head, plain].map((one) => one?.headers['etag'])).toEqual(Array(3).fill(headers['etag']));
      }
    }
  },
);

test('when the freshness status changes, the ETag changes', async () => {
  const [before, after] = await twice(CADENCE_S * 3, () => ask('/v2/data-manifest', 'identity'));
  expect(after.headers['etag']).not.toBe(before.headers['etag']);
});

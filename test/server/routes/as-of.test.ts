import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../server/define/endpoint.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import type { Json } from '../../../platform/base/json.ts';
import {
  AS_OF,
  AS_OF_MS,
  coverageRow,
  DAY_MS,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server-fixture.ts';

const THEN = isoSeconds(AS_OF_MS - DAY_MS);
let fixture: ServerFixture;
let server: RunningServer;
let events: { event_id: string }[];
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const rules = (value: number) =>
    datasetOf('event-rules', [
      {
        key: 'oracle.stale',
        value: [
          {
            type: 'oracle.stale',
            place: 1,
            role: 'threshold',
            name: 'oracle.grace_s',
            value,
            unit: 'seconds',
            policy_version: '1.0.0',
          },
        ],
      },
    ]);
  const feed = {
    key: 'ethereum|0xf1',
    value: { t: [AS_OF_MS / 1_000 - 3_600], columns: { price: [2], is_valid: [true] }, gaps: [] },
  };
  const day = AS_OF_MS / 1_000 - ((AS_OF_MS / 1_000) % 86_400);
  const series = [{ resolution: 'raw' as const, from: day, to: day + 86_400, documents: async () => [feed] }];
  await fixture.publish([...fixtureDatasets(THEN, [coverageRow('0xold', 10)]), rules(1)], THEN);
  events = (await fixture.append([1, 2, 3].map((n) => eventCandidate(n)))).map(
    (text) => JSON.parse(text) as { event_id: string },
  );
  const feeds = datasetOf('feeds', [{ key: feed.key, value: {} as Json }], AS_OF, { series });
  await fixture.publish([...fixtureDatasets(), rules(2), feeds]);
  server = await fixture.serve({ plan: 'enterprise' });
  await server.refresh();
});
afterAll(() => fixture.remove());

const get = async (path: string) => {
  const answer = await fetch(server.url + path);
  return { status: answer.status, ...((await answer.json()) as { data: never; meta: never; error: never }) };
};

const takesAsOf = (endpoint: Endpoint) => Object.hasOwn(endpoint.query.properties, 'as_of');
const ofData = ENDPOINTS.filter(
  ({ method, path, envelope, datasets = [] }) =>
    method === 'GET' && envelope === 'v2' && path.startsWith('/v2/') && datasets.length > 0,
);

test('every endpoint of published data accepts as_of', () => {
  expect(ofData.length).toBeGreaterThan(8);
  expect(ofData.filter((endpoint) => !takesAsOf(endpoint)).map(({ path }) => path)).toEqual([]);
});

describe('an earlier version', () => {
  test('provides documents and lists', async () => {
    const summary = await get(`/v2/data-manifest?as_of=${THEN}`);
    expect(summary).toMatchObject({ status: 200, data: { generated_at: THEN } });
    expect(await get('/v2/data-manifest')).toMatchObject({ data: { generated_at: AS_OF } });
    expect(await get(`/v2/data-manifest/coverage?as_of=${THEN}`)).toMatchObject({
      data: [{ scope_id: '0xold' }],
      meta: { total: 1 },
    });
    expect(await get('/v2/data-manifest/coverage')).toMatchObject({ meta: { total: 2 } });
  });

  test.each(['/v2/data-manifest', '/v2/data-manifest/coverage', '/v2/event-types'])(
    '%s is not found before the first version',
    async (path) => {
      expect((await get(`${path}?as_of=2020-01-01T00:00:00Z`)).status).toBe(404);
      expect((await get(`${path}?as_of=yesterday`)).status).toBe(400);
    },
  );

  test('is listed among the versions, newest first', async () => {
    const { data, meta } = await get('/v2/versions');
    expect((data as { as_of: string }[]).map(({ as_of }) => Date.parse(as_of))).toEqual([
      AS_OF_MS,
      AS_OF_MS - DAY_MS,
    ]);
    expect(meta).toMatchObject({ total: 2 });
  });
});

describe('evidence of an event', () => {
  test('has its rules, the points of its subject around its time, and their sources', async () => {
    const evidence = await get(`/v2/events/${events[0]?.event_id}/evidence`);
    expect(evidence).toMatchObject({
      status: 200,
      data: {
        event: { event_id: events[0]?.event_id },
        rules: [{ value: 2 }],
        policy_version: '1.0.0',
        series: [
          { dataset: 'feeds', key: 'ethereum|0xf1', t: [AS_OF_MS / 1_000 - 3_600], columns: { price: [2] } },
        ],
        sources: [{ id: 'test-feeds' }],
        gaps: [],
      },
    });
  });

  test('names what is missing', async () => {
    const { data } = await get(`/v2/events/${events[1]?.event_id}/evidence`);
    expect(data).toMatchObject({
      rules: [],
      series: [{ t: [] }],
      gaps: [
        'the version that found the event has no rules for its type',
        'no points of its subject are published for that time',
      ],
    });
    expect((await get(`/v2/events/${'0'.repeat(26)}/evidence`)).status).toBe(404);
    expect((await get(`/v2/events/${events[0]?.event_id}/evidence?as_of=${THEN}`)).status).toBe(404);
  });
});

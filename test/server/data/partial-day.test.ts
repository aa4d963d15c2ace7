// The mark of today's records (decision 57), from the manifest of a version to its readers.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { domains } from '../../../jobs/registry.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import type { PartialDay, TableInfo } from '../../../snapshots/layout.ts';
import { raw } from '../http/raw-http.ts';
import { AS_OF, datasetOf, ServerFixture } from '../server-fixture.ts';

const TODAY = '2026-03-01';
const TOMORROW = '2026-03-02T00:00:00Z';
const FORMS = ['ndjson', 'csv', 'parquet', 'arrow'];

const table: TableInfo = {
  title: 'Scores',
  key: ['protocol'],
  separator: '/',
  shape: 'list',
  row: {
    type: 'object',
    additionalProperties: false,
    required: ['score', 'timestamp'],
    properties: { score: { type: 'number' }, timestamp: { type: 'string' } },
  },
};
const record = (day: string) => ({ score: 0.5, timestamp: `${day}T00:00:00Z` });
const DOCUMENTS = [
  { key: 'aave', value: [record(TODAY)] },
  { key: 'late', value: [record('2026-02-28')] },
];

const lists = (partial_day: PartialDay | undefined, computed_at = AS_OF) => [
  datasetOf('overall-scores', DOCUMENTS, computed_at, {
    table,
    rows: 2,
    parquet: async () => Buffer.from('PAR1'),
    ...(partial_day && { partial_day }),
  }),
  datasetOf(
    'overall-receipts',
    DOCUMENTS.map(({ key }) => ({ key, value: [] })),
    computed_at,
    {
      ...(partial_day && { partial_day }),
    },
  ),
];

let fixture: ServerFixture;
let server: RunningServer;
let version: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  version = await fixture.publish(lists({ day: TODAY, keys: ['aave'] }));
  server = await fixture.serve({ plan: 'custom' });
});
afterEach(() => fixture.remove());

const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  raw(server.url, path, headers, method);
const header = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).headers['x-partial-day'];
const metaOf = async (path: string): Promise<{ readonly [member: string]: unknown }> =>
  (JSON.parse((await ask(path)).body.toString()) as { meta: { [member: string]: unknown } }).meta;

/** Publishes the same rows once the day is over. */
async function endDay(): Promise<void> {
  fixture.nowMs = Date.parse(TOMORROW);
  await fixture.publish(lists(undefined, TOMORROW), TOMORROW);
  await server.refresh();
}

describe('a legacy response', () => {
  test('has the header if its document contains a record of today, for GET and HEAD, on every request', async () => {
    for (const method of ['GET', 'HEAD', 'GET']) {
      expect(await header('/scores/overall/aave', method)).toBe(TODAY);
      expect(await header('/scores/overall/late', method)).toBeUndefined();
    }
    expect(await header('/scores/overall/aave?')).toBe(TODAY);
  });

  test.each(['identity', 'gzip', 'br'])('has it on 304 too, as %s', async (encoding) => {
    const { headers } = await ask('/scores/overall/aave', 'GET', { 'accept-encoding': encoding });
    const known = { 'accept-encoding': encoding, 'if-none-match': headers['etag'] ?? '' };
    for (const method of ['GET', 'HEAD']) {
      const again = await ask('/scores/overall/aave', method, known);
      expect([again.status, again.headers['x-partial-day']]).toEqual([304, TODAY]);
    }
  });

  test('loses it when the day is over, and a client with the same bytes and the mark gets no 304', async () => {
    const before = await ask('/scores/overall/aave');
    const other = await ask('/scores/overall/late');
    await endDay();
    const after = await ask('/scores/overall/aave', 'GET', { 'if-none-match': before.headers['etag'] ?? '' });
    expect([after.status, after.headers['x-partial-day']]).toEqual([200, undefined]);
    expect(after.body).toEqual(before.body);
    const same = await ask('/scores/overall/late', 'GET', { 'if-none-match': other.headers['etag'] ?? '' });
    expect(same.status).toBe(304);
  });

  test('has it for all documents if the version names none', async () => {
    await fixture.publish(lists({ day: TODAY }));
    await server.refresh();
    expect(await header('/scores/overall/aave')).toBe(TODAY);
    expect(await header('/scores/overall/late')).toBe(TODAY);
  });

  test('exposes it to pages, and an error has none', async () => {
    const { headers } = await ask('/scores/overall/aave', 'GET', { origin: 'https://page.example' });
    expect(headers['access-control-expose-headers']?.split(', ')).toContain('X-Partial-Day');
    expect(await header('/scores/overall/unknown')).toBeUndefined();
  });
});

test('a version 2 document has a member of meta instead of the header', async () => {
  expect(await metaOf('/v2/scores/overall/aave')).toMatchObject({ partial_day: TODAY, _agentic: {} });
  expect(await metaOf('/v2/scores/overall/late')).not.toHaveProperty('partial_day');
  expect(await header('/v2/scores/overall/aave')).toBeUndefined();
  await endDay();
  expect(await metaOf('/v2/scores/overall/aave')).not.toHaveProperty('partial_day');
});

describe('a dataset', () => {
  test('has the member in JSON and in the list, and the header in every other form', async () => {
    expect(await metaOf('/v2/datasets/overall-scores')).toMatchObject({ partial_day: TODAY });
    expect(await header('/v2/datasets/overall-scores')).toBeUndefined();
    for (const form of FORMS)
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(`/v2/datasets/overall-scores.${form}`, method);
        expect([form, answer.headers['x-partial-day']]).toEqual([form, TODAY]);
        const known = { 'if-none-match': answer.headers['etag'] ?? '' };
        const again = await ask(`/v2/datasets/overall-scores.${form}`, method, known);
        expect([again.status, again.headers['x-partial-day']]).toEqual([304, TODAY]);
      }
    const { data } = JSON.parse((await ask('/v2/datasets')).body.toString());
    expect(data[1]).toMatchObject({ id: 'overall-scores', partial_day: TODAY });
  });

  test('carries the mark of its version', async () => {
    const tags = await Promise.all(FORMS.map((form) => ask(`/v2/datasets/overall-scores.${form}`)));
    await endDay();
    for (const [index, form] of FORMS.entries()) {
      const path = `/v2/datasets/overall-scores.${form}`;
      const etag = tags[index]?.headers['etag'] ?? '';
      const now = await ask(path, 'GET', { 'if-none-match': etag });
      expect([form, now.status, now.headers['x-partial-day']]).toEqual([form, 200, undefined]);
      for (const query of [`version=${version}`, `as_of=${AS_OF}`]) {
        expect(await header(`${path}?${query}`)).toBe(TODAY);
        expect((await ask(`${path}?${query}`, 'GET', { 'if-none-match': etag })).status).toBe(304);
      }
    }
    expect(await metaOf('/v2/datasets/overall-scores')).not.toHaveProperty('partial_day');
    expect(await metaOf(`/v2/datasets/overall-scores?version=${version}`)).toMatchObject({
      partial_day: TODAY,
    });
    expect(await metaOf(`/v2/datasets/overall-scores?as_of=${TOMORROW}`)).not.toHaveProperty('partial_day');
  });
});

test('the endpoints declared daily are those that serve lists of days, and histories', () => {
  const daily = new Set(
    domains.flatMap(({ datasets }) =>
      datasets.filter(({ day, recordDay = day }) => recordDay !== undefined).map(({ id }) => id),
    ),
  );
  const served = ENDPOINTS.filter(({ datasets = [] }) => datasets.some((id) => daily.has(id)));
  expect(served.length).toBeGreaterThan(12);
  // The states of the service end at `meta.to`, in the middle of a day.
  const histories = ENDPOINTS.filter(
    (endpoint) => endpoint.histories !== undefined && endpoint.path !== '/v1/status/history',
  );
  expect(histories.length).toBeGreaterThan(8);
  const marked = ENDPOINTS.filter(({ isDaily, path }) => isDaily && path !== '/v2/datasets/:id');
  const expected = ENDPOINTS.filter((endpoint) => served.includes(endpoint) || histories.includes(endpoint));
  expect(marked.map(({ path }) => path)).toEqual(expected.map(({ path }) => path));
});

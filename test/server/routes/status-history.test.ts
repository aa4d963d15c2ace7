import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COVERAGE_SERIES } from '../../../schemas/coverage.ts';
import type { Series } from '../../../schemas/series.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { Json } from '../../../platform/base/json.ts';
import { AS_OF, datasetOf, fixtureDatasets, isoSeconds, ServerFixture } from '../server-fixture.ts';

const DAY = 86_400;
const TODAY = Date.parse(AS_OF.slice(0, 10)) / 1_000;
const EARLIER = isoSeconds((TODAY - 2 * DAY) * 1_000);

interface Kept {
  readonly id: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly gaps?: readonly Json[];
  readonly row: (key: string) => Json;
}

/** Points of the day before yesterday and, in versions from today on, of today. */
const kept = ({ id, values, gaps = [], row }: Kept, keys: readonly string[], as_of: string) => {
  const t = as_of === AS_OF ? [TODAY - 2 * DAY, TODAY] : [TODAY - 2 * DAY];
  const columns = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, t.map(() => value)]),
  );
  const value = { t, columns, gaps: as_of === AS_OF ? gaps : [] } as Json;
  const documents = async () => keys.map((key) => ({ key, value }));
  const series = [{ resolution: '1d' as const, from: TODAY - 27 * DAY, to: TODAY + DAY, documents }];
  return datasetOf(
    id,
    keys.map((key) => ({ key, value: row(key) })),
    as_of,
    { series },
  );
};
const GAP = { from: TODAY - 2 * DAY, to: TODAY, reason: 'nothing_published' };
const STATUS: Kept = {
  id: 'status-history',
  values: { gate: 'warn', freshness: 'stale' },
  gaps: [GAP],
  row: (dataset) => ({ dataset, day: AS_OF.slice(0, 10), gate: 'warn', freshness: 'stale' }),
};
const FIGURES = Object.fromEntries(
  Object.keys(COVERAGE_SERIES.columns).map((name) => [name, name === 'mean_completeness' ? null : 0]),
);
const COVERAGE: Kept = {
  id: 'coverage-history',
  values: FIGURES,
  gaps: [GAP],
  row: (scope) => ({ scope, ...FIGURES }),
};

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  for (const as_of of [EARLIER, AS_OF])
    await fixture.publish(
      [
        ...fixtureDatasets(as_of),
        kept(STATUS, ['pegs', 'all', 'coverage'], as_of),
        kept(COVERAGE, ['all', 'oracle_feed'], as_of),
      ],
      as_of,
    );
  server = await fixture.serve({ anonymousPlan: null });
});
afterAll(() => fixture.remove());

const get = async <T>(path: string) => {
  const answer = await fetch(server.url + path);
  return { status: answer.status, ...((await answer.json()) as { data: T; meta: object; error: object }) };
};
interface DatasetHistory extends Series {
  readonly dataset: string;
}
const history = (query = '') => get<readonly DatasetHistory[]>(`/v1/status/history${query}`);

test('every dataset has its days, the total comes first, and days without a version are a gap', async () => {
  const { status, data, meta } = await history();
  expect([status, data.map(({ dataset }) => dataset)]).toEqual([200, ['all', 'coverage', 'pegs']]);
  expect(data[0]).toEqual({
    dataset: 'all',
    t: [TODAY - 2 * DAY, TODAY],
    columns: { gate: ['warn', 'warn'], freshness: ['stale', 'stale'] },
    gaps: [GAP],
    resolution: '1d',
  });
  expect(meta).toMatchObject({ as_of: AS_OF, kept_days: 400 });
});

test('CSV and Arrow have one row per dataset and day', async () => {
  const days = ['all', 'coverage', 'pegs'].flatMap((dataset) =>
    [TODAY - 2 * DAY, TODAY].map((t) => ({ dataset, t, gate: 'warn', freshness: 'stale' })),
  );
  const csv = await fetch(`${server.url}/v1/status/history?format=csv`);
  expect(csv.headers.get('content-disposition')).toContain('status-history.csv');
  const lines = days.map((day) => Object.values(day).join(','));
  expect((await csv.text()).split('\r\n')).toEqual(['dataset,t,gate,freshness', ...lines, '']);
  const arrow = await fetch(`${server.url}/v1/status/history`, {
    headers: { Accept: 'application/vnd.apache.arrow.stream' },
  });
  const rows = [...tableFromIPC(new Uint8Array(await arrow.arrayBuffer()))];
  expect(rows.map((row) => ({ ...row?.toJSON(), t: Number(row?.['t']) }))).toEqual(days);
  const parquet = { headers: { Accept: 'application/vnd.apache.parquet' } };
  expect((await fetch(`${server.url}/v1/status/history`, parquet)).status).toBe(400);
});

test('datasets and days can be selected, and an earlier version has no later days', async () => {
  expect((await history('?dataset=pegs')).data.map(({ dataset }) => dataset)).toEqual(['pegs']);
  expect((await history('?dataset=pegs,none')).status).toBe(400);
  expect((await history(`?dataset=pegs&from=${TODAY}`)).data[0]?.t).toEqual([TODAY]);
  const [then] = (await history(`?as_of=${EARLIER}`)).data;
  expect([then?.t, then?.gaps]).toEqual([[TODAY - 2 * DAY], []]);
  expect((await history('?as_of=2020-01-01T00:00:00Z')).status).toBe(404);
});

test.each(['days=5', 'dataset=', `from=${TODAY}&to=${TODAY - 1}`, 'from=soon'])(
  '%s is refused',
  async (query) => {
    expect(await history(`?${query}`)).toMatchObject({ status: 400, error: { code: 'validation_failed' } });
  },
);

test('coverage has one point per day; a mean that cannot be computed is null, and a count of nothing is 0', async () => {
  const { data } = await get<Series>('/v2/coverage/history');
  expect(data).toMatchObject({ t: [TODAY - 2 * DAY, TODAY], gaps: [GAP], resolution: '1d' });
  expect([data.columns['mean_completeness'], data.columns['stale']]).toEqual([
    [null, null],
    [0, 0],
  ]);
  const one = await get<Series>(`/v2/coverage/history?scope=oracle_feed&as_of=${EARLIER}`);
  expect(one).toMatchObject({ data: { t: [TODAY - 2 * DAY] }, meta: { key: 'oracle_feed' } });
  expect((await get('/v2/coverage/history?scope=protocol')).status).toBe(404);
  expect((await get('/v2/coverage/history?scope=pools')).status).toBe(400);
  const csv = await fetch(`${server.url}/v2/coverage/history?format=csv`);
  expect((await csv.text()).split('\r\n')[0]).toBe(`t,${Object.keys(FIGURES).join(',')}`);
});

test('a version without histories does not have them yet', async () => {
  await fixture.publish(
    fixtureDatasets(isoSeconds((TODAY + DAY) * 1_000)),
    isoSeconds((TODAY + DAY) * 1_000),
  );
  const later = await fixture.serve({ anonymousPlan: null });
  for (const path of ['/v1/status/history', '/v2/coverage/history'])
    expect([path, (await fetch(later.url + path)).status]).toEqual([path, 503]);
});

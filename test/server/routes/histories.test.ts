import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Network } from '../../../schemas/networks.ts';
import type { Series } from '../../../schemas/series.ts';
import { YIELD_SERIES } from '../../../schemas/yields.ts';
import { LAYER2_SERIES } from '../../../schemas/layer2.ts';
import { NETWORK_B_SERIES } from '../../../schemas/network-b.ts';
import type { RunningServer } from '../../../server/deps.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const TODAY = Date.parse(AS_OF.slice(0, 10)) / 1_000;
const DAY = 86_400;
const ID = 'bsc/venus/0x1';

/** A dataset whose one subject has records on two days, with a missing day in between. */
function withHistory(id: string, key: string, names: readonly string[]) {
  const columns = Object.fromEntries(names.map((name) => [name, [1, null]]));
  const value = {
    t: [TODAY - 2 * DAY, TODAY],
    columns,
    gaps: [{ from: TODAY - 2 * DAY, to: TODAY, reason: 'no_record' }],
  };
  const documents = async () => [{ key, value }];
  const series = [{ resolution: '1d' as const, from: TODAY - 20 * DAY, to: TODAY + DAY, documents }];
  return datasetOf(id, [{ key, value: [] }], AS_OF, { series });
}

const network = (name: string, kind: Network['kind']): Network => ({
  network: name,
  kind,
  dataset: `${kind}-statistics`,
  day: '2026-02-28',
  first_day: '2026-02-01',
  days: 28,
  blocks: null,
  block_time_s: 0.25,
  transactions: 0,
  validators: null,
  total_stake_native: null,
  total_supply_native: null,
  fees_native: null,
  fees_usd: null,
  tvl_usd: 1,
  missing: ['fees_usd'],
});
const NETWORKS = [network('arbitrum', 'layer2'), network('near', 'sharded')];

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([
    ...fixtureDatasets(),
    datasetOf(
      'networks',
      NETWORKS.map((value) => ({ key: value.network, value })),
    ),
    withHistory('network-b-statistics', 'near', Object.keys(NETWORK_B_SERIES.columns)),
    withHistory('layer2-statistics', 'arbitrum', Object.keys(LAYER2_SERIES.columns)),
    withHistory('yield-opportunities', ID, Object.keys(YIELD_SERIES.columns)),
  ]);
  server = await fixture.serve();
});
afterAll(() => fixture.remove());

const get = async (path: string) => {
  const answer = await fetch(server.url + path);
  return { status: answer.status, ...((await answer.json()) as { data: Series; meta: { dataset: string } }) };
};

test.each([
  ['near', 'network-b-statistics', Object.keys(NETWORK_B_SERIES.columns)],
  ['arbitrum', 'layer2-statistics', Object.keys(LAYER2_SERIES.columns)],
])('%s is found among the networks, with the columns of its kind', async (network, dataset, names) => {
  const { data, meta } = await get(`/v2/networks/${network}/history`);
  expect([meta.dataset, Object.keys(data.columns)]).toEqual([dataset, names]);
  expect(data.gaps).toEqual([{ from: TODAY - 2 * DAY, to: TODAY, reason: 'no_record' }]);
  expect(data.columns[names[0] ?? '']).toEqual([1, null]);
});

test('a history by day marks today, which is not over, in meta and as a header; a range of complete days has no mark', async () => {
  const path = `${server.url}/v2/networks/near/history`;
  const partial = async (query: string) => {
    const { meta } = (await (await fetch(path + query)).json()) as { meta: { partial_day?: string } };
    return meta.partial_day;
  };
  expect(await partial('')).toBe(AS_OF.slice(0, 10));
  expect(await partial(`?to=${TODAY}`)).toBe(AS_OF.slice(0, 10));
  expect(await partial(`?to=${TODAY - 1}`)).toBeUndefined();
  expect((await fetch(`${path}?format=csv`)).headers.get('x-partial-day')).toBe(AS_OF.slice(0, 10));
  expect((await fetch(`${path}?format=csv&to=${TODAY - 1}`)).headers.get('x-partial-day')).toBeNull();
});

test('networks are a list, filtered by kind, in which an unknown figure is not 0', async () => {
  const list = async (query: string) =>
    (await (await fetch(`${server.url}/v2/networks${query}`)).json()) as object;
  expect(await list('')).toMatchObject({ data: NETWORKS, meta: { total: 2 }, error: null });
  expect(await list('?kind=layer2')).toMatchObject({ data: [NETWORKS[0]] });
  expect(await list('?kind=sharded,none')).toMatchObject({
    error: { message: 'kind must be any of smart_contract, sharded, layer2, not "none".' },
  });
  expect(await list('?chain=near')).toMatchObject({ error: { code: 'validation_failed' } });
});

test('a daily series is its own raw resolution, and has no hours', async () => {
  expect((await get('/v2/networks/near/history?resolution=raw')).data.resolution).toBe('1d');
  expect((await get('/v2/networks/near/history?resolution=1h')).status).toBe(400);
});

test('an id with slashes is one path segment', async () => {
  const { data } = await get(`/v2/yield/opportunities/${encodeURIComponent(ID)}/history`);
  expect(data.t).toEqual([TODAY - 2 * DAY, TODAY]);
});

test('a range without points is empty, and what is not computed yet is unavailable', async () => {
  const { status, data } = await get(`/v2/networks/near/history?to=${AS_OF_MS / 1_000 - 30 * DAY}`);
  expect([status, data.t, data.gaps]).toEqual([200, [], []]);
  // Not every kind of network is in the version.
  expect((await get('/v2/networks/nowhere/history')).status).toBe(503);
  expect((await get('/v2/scores/overall/aave/history')).status).toBe(503);
  expect((await get('/v2/lending/markets/ethereum/0x1/history')).status).toBe(503);
});

test('a list has the changes of its figures only if they are requested', async () => {
  const list = async (query: string) => {
    const answer = await fetch(`${server.url}/v2/networks${query}`);
    return {
      status: answer.status,
      etag: answer.headers.get('etag'),
      ...((await answer.json()) as { data: never[] }),
    };
  };
  const plain = await list('?kind=layer2');
  const compared = await list('?kind=layer2&include=changes');
  const at = TODAY - 2 * DAY;
  const before = TODAY - 8 * DAY;
  const unknown = { before: null, change: null };
  expect(compared.data).toMatchObject([
    {
      ...NETWORKS[0],
      changes: {
        tvl_usd: {
          change_24h: { at, before: 1, change: 0, reason: null },
          change_7d: { at: before, ...unknown, reason: 'no_observation' },
        },
        fees_usd: { change_24h: { at, ...unknown, reason: 'value_unknown' } },
      },
    },
  ]);
  expect(plain.data).toEqual([NETWORKS[0]]);
  expect(compared.etag).not.toBe(plain.etag);
  expect((await list(`?kind=layer2&include=changes&as_of=${AS_OF}`)).data).toEqual(compared.data);
  expect((await list('?include=all')).status).toBe(400);
});

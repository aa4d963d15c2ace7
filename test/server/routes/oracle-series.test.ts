import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../platform/base/json.ts';
import type { Series } from '../../../schemas/series.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { SeriesPartInput } from '../../../snapshots/dataset-intake.ts';
import { AS_OF, AS_OF_MS, datasetOf, fixtureDatasets, isoSeconds, ServerFixture } from '../server-fixture.ts';

const END = AS_OF_MS / 1000;
const DAY = 86_400;
const TODAY = END - (END % DAY);
const FEED = '0x00000000000000000000000000000000000000a1';

/** Feed updates every 60 s of the previous day; the one at noon is invalid. */
const raw = Array.from({ length: 1_440 }, (_, n) => ({
  t: TODAY - DAY + n * 60,
  price: n === 720 ? null : n === 721 ? 99 : 1 + n / 1_000,
}));
const part = (
  resolution: SeriesPartInput['resolution'],
  from: number,
  to: number,
  value: Json,
): SeriesPartInput => ({
  resolution,
  from,
  to,
  documents: async () => [{ key: `ethereum|${FEED}`, value }],
});
const columns = (prices: readonly (number | null)[]) => ({
  price: [...prices],
  is_valid: prices.map((price) => price !== null),
});
const yesterday = part('raw', TODAY - DAY, TODAY, {
  t: raw.map(({ t }) => t),
  columns: columns(raw.map(({ price }) => price)),
  gaps: [{ from: TODAY - 300, to: TODAY, reason: 'stale' }],
});
const today = part('raw', TODAY, TODAY + 3_600, {
  t: [TODAY + 900],
  columns: columns([3]),
  gaps: [{ from: TODAY - 300, to: TODAY + 900, reason: 'stale' }],
});
const days = part('1d', TODAY - 29 * DAY, TODAY + DAY, {
  t: [TODAY - DAY, TODAY],
  columns: { price: [2, 3], price_min: [1, 3], price_max: [99, 3], is_valid: [true, true] },
  gaps: [],
});
const feed = {
  chain: 'ethereum',
  feed_address: FEED,
  provider: 'chainlink',
  pair: 'ETH-USD',
  base: 'ETH',
  quote: 'USD',
  category: 'price',
  heartbeat_s: 3_600,
  deviation_bps: 50,
  decimals: 8,
  market_hours: 'crypto',
  risk_level: 'low',
  status: 'fresh',
  status_reason: null,
  doubts: [],
  price: 3,
  last_update_at: AS_OF,
  rounds: 1_441,
  invalid_rounds: 1,
  min_price: null,
  max_price: null,
  bounds_since: null,
};
const other = { ...feed, feed_address: '0xb', chain: 'base', status: 'unknown', pair: null };
const feeds = [feed, other].map((value) => ({ key: `${value.chain}|${value.feed_address}`, value }));

let fixture: ServerFixture;
let server: RunningServer;
beforeAll(async () => {
  fixture = await ServerFixture.create();
  const before = isoSeconds((TODAY - 60) * 1_000);
  await fixture.publish(
    [...fixtureDatasets(before), datasetOf('feeds', feeds, before, { series: [yesterday] })],
    before,
  );
  await fixture.publish([
    ...fixtureDatasets(),
    datasetOf('feeds', feeds, AS_OF, { series: [yesterday, today, days] }),
  ]);
  server = await fixture.serve();
});
afterAll(() => fixture.remove());

interface Answer {
  readonly data: Series;
  readonly meta: {
    readonly points: number;
    readonly points_before_thinning: number;
    readonly from: number;
    readonly to: number;
  };
}
const path = `/v2/feeds/ethereum/${FEED}`;
const get = async (rest: string) => {
  const answer = await fetch(`${server.url}${path}${rest}`);
  return { status: answer.status, ...((await answer.json()) as Answer) };
};

test('a range across two files is one series, and a gap across both is one gap', async () => {
  const { data, meta } = await get(`/series?resolution=raw&from=${TODAY - 120}`);
  expect(data).toEqual({
    t: [TODAY - 120, TODAY - 60, TODAY + 900],
    columns: { price: [1 + 1_438 / 1_000, 1 + 1_439 / 1_000, 3], is_valid: [true, true, true] },
    gaps: [{ from: TODAY - 300, to: TODAY + 900, reason: 'stale' }],
    resolution: 'raw',
    is_thinned: false,
  });
  expect(meta).toMatchObject({
    dataset: 'feeds',
    points: 3,
    from: TODAY - 120,
    to: END,
    columns: { price: { kind: 'number' } },
  });
});

test('rounds contain every answer; an invalid one is null, not 0', async () => {
  const { data, meta } = await get(`/rounds?from=${TODAY - DAY / 2 - 60}&to=${TODAY - DAY / 2 + 60}`);
  expect(data.columns['price']).toEqual([1 + 719 / 1_000, null, 99]);
  expect(meta.points).toBe(3);
});

test('days have the last, lowest and highest value', async () => {
  const { data } = await get('/series?resolution=1d');
  expect(data.columns).toEqual({
    price: [2, 3],
    price_min: [1, 3],
    price_max: [99, 3],
    is_valid: [true, true],
  });
});

test('as_of reads only the files of that version', async () => {
  const { data, meta } = await get(`/rounds?as_of=${isoSeconds((TODAY - 1) * 1_000)}`);
  expect(data.t.at(-1)).toBe(TODAY - 60);
  expect(meta.to).toBe(TODAY - 60);
  expect((await get('/rounds?as_of=2020-01-01T00:00:00Z')).status).toBe(404);
});

test('without a key, lists, hours and days are open, but answers as observed are not', async () => {
  const key = await fixture.key('free', { scopes: ['oracle:read'] });
  const other = await fixture.key('free', { scopes: ['data:read'] });
  const closed = await fixture.serve({ anonymousPlan: null });
  const ask = (url: string, by?: string) =>
    fetch(closed.url + url, by === undefined ? {} : { headers: { Authorization: `Bearer ${by}` } });
  for (const url of ['/v2/feeds', `${path}/series`, `${path}/series?resolution=1d&format=csv`]) {
    const answer = await ask(url);
    expect([url, answer.status]).toEqual([url, 200]);
    expect(answer.headers.get('cache-control')).toMatch(/^public, /);
  }
  for (const url of [
    `${path}/rounds`,
    `${path}/series?resolution=raw`,
    `${path}/series?resolution=1d&resolution=raw`,
  ]) {
    expect([url, (await ask(url)).status]).toEqual([url, 401]);
    expect([url, (await ask(url, other)).status]).toEqual([url, 403]);
  }
  const raw = await ask(`${path}/series?resolution=raw`, key);
  expect([raw.status, raw.headers.get('cache-control')]).toEqual([200, expect.stringMatching(/^private, /)]);
});

describe('forms', () => {
  test('CSV has a header, and nothing for an unknown value', async () => {
    const query = `?format=csv&from=${TODAY - DAY / 2}&to=${TODAY - DAY / 2 + 60}`;
    const answer = await fetch(`${server.url}${path}/rounds${query}`);
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const lines = (await answer.text()).split('\r\n');
    expect(lines).toEqual([
      't,price,is_valid',
      `${TODAY - DAY / 2},,false`,
      `${TODAY - DAY / 2 + 60},99,true`,
      '',
    ]);
  });

  test('Arrow has the same points', async () => {
    const answer = await fetch(`${server.url}${path}/series?resolution=1d`, {
      headers: { Accept: 'application/vnd.apache.arrow.stream' },
    });
    const table = tableFromIPC(new Uint8Array(await answer.arrayBuffer()));
    expect(table.schema.fields.map(({ name }) => name)).toEqual([
      't',
      'price',
      'price_min',
      'price_max',
      'is_valid',
    ]);
    expect([...table].map((row) => [Number(row?.['t']), row?.['price_max']])).toEqual([
      [TODAY - DAY, 99],
      [TODAY, 3],
    ]);
  });

  test('a form that series do not offer is refused', async () => {
    const answer = await fetch(`${server.url}${path}/series`, {
      headers: { Accept: 'application/x-ndjson' },
    });
    expect(answer.status).toBe(400);
  });
});

test('a subject without a history is an empty series, and an unknown subject is not found', async () => {
  const known = await fetch(`${server.url}/v2/feeds/base/0xB/series`);
  expect([known.status, ((await known.json()) as Answer).data.t]).toEqual([200, []]);
  expect((await fetch(`${server.url}/v2/feeds/base/0xc/series`)).status).toBe(404);
  // No version has pegs.
  expect((await fetch(`${server.url}/v2/pegs/ethereum/AAA/series`)).status).toBe(503);
});

test.each(['resolution=2h', 'from=soon', `from=${END}&to=${END - 1}`, 'format=parquet', 'points=5'])(
  '%s is refused',
  async (query) => {
    expect(await get(`/series?${query}`)).toMatchObject({
      status: 400,
      error: { code: 'validation_failed' },
    });
  },
);

test('names of any script and length find their history, one round is one point, and a history may consist only of gaps', async () => {
  const own = await ServerFixture.create();
  try {
    const names = ['円'.repeat(200), 'ÆØÅ +/%&?#"', `0x${'f'.repeat(198)}`];
    const gaps = [{ from: TODAY, to: END, reason: 'stale' }];
    const values = [
      { t: [], columns: { price: [], is_valid: [] }, gaps },
      { t: [TODAY], columns: columns([1]), gaps: [] },
      { t: [TODAY], columns: columns([null]), gaps },
    ];
    const documents = names.map((name, index) => ({
      key: `ethereum|${name.toLowerCase()}`,
      value: values[index] as Json,
    }));
    const series: SeriesPartInput[] = [
      { resolution: 'raw', from: TODAY, to: TODAY + 3_600, documents: async () => documents },
    ];
    const listed = names.map((name) => ({
      key: `ethereum|${name.toLowerCase()}`,
      value: { ...feed, feed_address: name.toLowerCase() },
    }));
    await own.publish([...fixtureDatasets(), datasetOf('feeds', listed, AS_OF, { series })]);
    const { url } = await own.serve();
    for (const [index, name] of names.entries()) {
      const address = `${url}/v2/feeds/ethereum/${encodeURIComponent(name)}/rounds?from=${TODAY}`;
      const answer = await fetch(address);
      const { data, meta } = (await answer.json()) as Answer & { meta: { key: string } };
      expect([answer.status, meta.key]).toEqual([200, `ethereum|${name.toLowerCase()}`]);
      expect(data).toMatchObject(values[index] ?? {});
      const csv = await fetch(`${address}&format=csv`);
      expect((await csv.text()).split('\r\n')).toHaveLength((values[index]?.t.length ?? 0) + 2);
      expect(csv.headers.get('content-disposition')).toMatch(/^[ -~]+$/);
    }
    expect((await fetch(`${url}/v2/feeds/ethereum/${'%00'.repeat(3)}/rounds`)).status).toBe(404);
    expect((await fetch(`${url}/v2/feeds/ethereum/%ff/rounds`)).status).toBe(400);
  } finally {
    await own.remove();
  }
});

test('the list is filtered and paged', async () => {
  const list = async (query: string) =>
    (await (await fetch(`${server.url}/v2/feeds${query}`)).json()) as {
      data: (typeof feed)[];
      meta: { total: number; cursor: string | null };
    };
  expect((await list('?chain=base')).data).toEqual([other]);
  expect((await list('?pair=eth-usd')).meta.total).toBe(1);
  const first = await list('?limit=1');
  const second = await list(`?limit=1&cursor=${first.meta.cursor}`);
  expect([...first.data, ...second.data].map(({ feed_address }) => feed_address)).toEqual(['0xb', FEED]);
});

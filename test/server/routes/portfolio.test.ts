import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Json } from '../../../platform/base/json.ts';
import type { PortfolioAnalysis } from '../../../schemas/portfolio.ts';
import type { YieldOpportunity } from '../../../schemas/yields.ts';
import type { RunningServer } from '../../../server/deps.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import { marketOf, normals, returnsOf } from '../analytics/portfolio/world.ts';
import { opportunity } from '../data/paging/yield-model.ts';
import { AS_OF, datasetOf, ServerFixture } from '../server-fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const POOL = '0x00000000000000000000000000000000000000aa';
const OPPORTUNITIES: readonly YieldOpportunity[] = [
  opportunity(0, {
    asset: 'WETH',
    assets: ['WETH'],
    venue: 'lido',
    strategy: 'staking',
    riskScore: 20,
    riskBand: 'low',
  }),
  opportunity(1, { address: POOL }),
  opportunity(2),
  opportunity(3, { asset: 'WETH-USDC', assets: ['WETH', 'USDC'], venue: 'curve-dex', strategy: 'lp' }),
  opportunity(4, { asset: 'WETH', assets: ['WETH'], chain: 'polygon', venue: 'aave' }),
];
const ids = OPPORTUNITIES.map(({ id }) => id);
const documents = <T>(rows: readonly T[], key: (row: T) => string) =>
  rows.map((value) => ({ key: key(value), value: value as unknown as Json }));
const datasets = (): DatasetInput[] => [
  datasetOf(
    'yield-opportunities',
    documents(OPPORTUNITIES, ({ id }) => id),
  ),
  datasetOf(
    'return-inputs',
    documents(
      [returnsOf('ETH', normals(1, 800, 0.005)), returnsOf('USDC', normals(2, 800, 0.0001))],
      (row) => row.symbol,
    ),
  ),
  datasetOf(
    'exit-inputs',
    documents(
      [marketOf(`ethereum:${POOL}`, { supplied_usd: 1e6, withdrawable_usd: 3e5, depth_usd: 1e5 })],
      (row) => row.id,
    ),
  ),
];

const PATH = '/v2/yield/portfolio/analyze';
const post = (server: RunningServer, body: unknown) =>
  fetch(`${server.url}${PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const positions = (...amounts: readonly number[]) =>
  amounts.map((amount_usd, index) => ({ opportunity_id: ids[index], amount_usd }));
async function analysis(server: RunningServer, body: unknown): Promise<PortfolioAnalysis> {
  const answer = await post(server, body);
  const { data, error } = (await answer.json()) as { data: PortfolioAnalysis; error: unknown };
  expect([answer.status, error]).toEqual([200, null]);
  return data;
}
async function refusal(server: RunningServer, body: unknown) {
  const answer = await post(server, body);
  const { error } = (await answer.json()) as {
    error: { code: string; details?: { fields?: readonly { field: string }[] } & Record<string, unknown> };
  };
  return { status: answer.status, code: error.code, details: error.details };
}

test('an analysis is as documented, by opportunity id, and names its inputs', async () => {
  const version = await fixture.publish(datasets());
  const server = await fixture.serve();
  const data = await analysis(server, { positions: positions(1_000, 500, 250).toReversed(), paths: 500 });
  expect(data.snapshot).toEqual({ version, as_of: AS_OF });
  const byId = ids.slice(0, 3).toSorted();
  expect(data.positions.map(({ opportunity_id }) => opportunity_id)).toEqual(byId);
  expect(data.var?.attribution.map(({ opportunity_id }) => opportunity_id)).toEqual(byId);
  expect(data.request).toMatchObject({ horizon_days: 30, confidence: 0.95, paths: 500, assumptions: null });
  expect(data.inputs_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(data.var?.covered_share).toBe(1);
  expect(data.liquidity?.positions.find(({ opportunity_id }) => opportunity_id === ids[1])?.market).toBe(
    `ethereum:${POOL}`,
  );
  expect(data.risk).toMatchObject({ band: 'medium', score: 24.29 });
});

test('a wrapped coin has the price of its coin where that coin is native, and none behind a bridge', async () => {
  await fixture.publish(datasets());
  const server = await fixture.serve();
  const held = [0, 4].map((index) => ({ opportunity_id: ids[index], amount_usd: 1_000 }));
  const priced = async (assumptions: object = {}) => {
    const data = await analysis(server, { positions: held, paths: 500, ...assumptions });
    const of = (id: string | undefined) => data.positions.find(({ opportunity_id }) => opportunity_id === id);
    return {
      native: of(ids[0])?.assets,
      bridged: of(ids[4])?.assets,
      gaps: of(ids[4])?.gaps.map(({ gap, subject }) => [gap, subject]),
      covered: data.var?.covered_share,
    };
  };
  expect(await priced()).toEqual({
    native: [{ symbol: 'WETH', share: 1, priced_by: 'ETH' }],
    bridged: [{ symbol: 'WETH', share: 1, priced_by: null }],
    gaps: [['price_unknown', 'WETH']],
    covered: 0.5,
  });
  expect(await priced({ assumptions: { asset_beta: { WETH: 1 } } })).toMatchObject({
    bridged: [{ priced_by: 'ETH' }],
    covered: 1,
  });
});

test('equal requests have equal bytes, whatever the number of workers and the order of positions', async () => {
  await fixture.publish(datasets());
  const body = { positions: positions(1_000, 500, 250, 100), paths: 700 };
  const texts = await Promise.all(
    [1, 2, 4].map(async (workers) => {
      const server = await fixture.serve({ analytics: { workers } });
      const answers = await Promise.all([0, 1, 2].map(async () => (await post(server, body)).text()));
      expect(new Set(answers).size).toBe(1);
      return answers[0];
    }),
  );
  expect(new Set(texts).size).toBe(1);
  const server = await fixture.serve();
  const backward = await post(server, { ...body, positions: body.positions.toReversed() });
  expect(await backward.text()).toBe(texts[0]);
});

test('an amount of exactly what exists is analyzed, and a cent more is not', async () => {
  await fixture.publish(datasets());
  const server = await fixture.serve();
  for (const id of [ids[1], ids[2]]) {
    const of = (amount_usd: number) => ({ positions: [{ opportunity_id: id, amount_usd }], paths: 100 });
    expect((await post(server, of(1e6))).status).toBe(200);
    const { code, details } = await refusal(server, of(1e6 + 0.01));
    expect([code, details?.fields?.[0]?.field]).toEqual(['validation_failed', 'positions/0/amount_usd']);
  }
});

test('positions of one contract, and a vault that has supplied a market, leave together', async () => {
  const vault = '0x00000000000000000000000000000000000000bb';
  const twin = '0x00000000000000000000000000000000000000cc';
  const rows = [
    opportunity(1, { address: POOL }),
    opportunity(5, { address: vault, strategy: 'vault', availableLiquidityUsd: 9e5 }),
    opportunity(6, { address: twin, availableLiquidityUsd: 3e5 }),
    opportunity(7, { address: twin.toUpperCase(), availableLiquidityUsd: 3e5 }),
  ];
  const edge = { kind: 'market', name: null, usd: 1e5, share: 1, observed_at: 0, source_id: 't' };
  const node = {
    ...{ node: `vault:ethereum:${vault}`, kind: 'vault', name: null, known_share: 1 },
    edges: [{ ...edge, to: `market:ethereum:${POOL}` }],
  };
  await fixture.publish([
    ...datasets().filter(({ id }) => id !== 'yield-opportunities'),
    datasetOf(
      'yield-opportunities',
      documents(rows, ({ id }) => id),
    ),
    datasetOf(
      'exposure-graph',
      documents([node], (row) => row.node),
    ),
  ]);
  const body = { positions: rows.map(({ id }) => ({ opportunity_id: id, amount_usd: 2e5 })), paths: 100 };
  const { liquidity, warnings } = await analysis(await fixture.serve(), body);
  // 300,000 are free for 400,000 in the market, and for 400,000 in the contract that is listed twice.
  expect(liquidity?.positions.map(({ withdrawable_usd }) => withdrawable_usd)).toEqual([
    1.5e5, 1.5e5, 1.5e5, 1.5e5,
  ]);
  expect(warnings).toContainEqual({ warning: 'shared_market', subject: `ethereum:${POOL}`, value: 2 });
});

test('a seed of the caller is used, and changes the paths', async () => {
  await fixture.publish(datasets());
  const server = await fixture.serve();
  const seeds = await Promise.all(
    [0, Number.MAX_SAFE_INTEGER].map((seed) =>
      analysis(server, { positions: positions(100), seed, paths: 300 }),
    ),
  );
  expect(seeds.map(({ seed }) => seed)).toEqual([0, Number.MAX_SAFE_INTEGER]);
  expect(seeds[0]?.var?.var_usd).not.toBe(seeds[1]?.var?.var_usd);
});

test('a position can be named by chain, venue and asset, in any case', async () => {
  await fixture.publish(datasets());
  const server = await fixture.serve();
  const named = { chain: 'Ethereum', venue: 'LIDO', asset: 'weth', amount_usd: 100 };
  const data = await analysis(server, { positions: [named], paths: 100 });
  expect(data.positions[0]?.opportunity_id).toBe(ids[0]);
  const twice = await refusal(server, { positions: [named, { opportunity_id: ids[0], amount_usd: 1 }] });
  expect([twice.code, twice.details?.fields?.[0]?.field]).toEqual(['validation_failed', 'positions/1']);
});

test('an ambiguous position is refused with the candidates, an unpublished one is not found', async () => {
  await fixture.publish(datasets());
  const server = await fixture.serve();
  const of = (chain: string, venue: string, asset: string) =>
    refusal(server, { positions: [{ chain, venue, asset, amount_usd: 1 }] });
  expect(await of('ethereum', 'aave-v3', 'USDC')).toMatchObject({
    status: 400,
    code: 'validation_failed',
    details: { candidates: [{ opportunity_id: ids[1] }, { opportunity_id: ids[2] }] },
  });
  // One asset of a pool does not identify the pool.
  expect(await of('ethereum', 'curve-dex', 'USDC')).toMatchObject({ status: 404, code: 'not_found' });
  const unknown = { positions: [...positions(1), { opportunity_id: 'ethereum/none/1', amount_usd: 1 }] };
  expect(await refusal(server, unknown)).toMatchObject({
    status: 404,
    code: 'not_found',
    details: { fields: [{ field: 'positions/1/opportunity_id' }] },
  });
});

const GOOD = { opportunity_id: ids[0], amount_usd: 100 };
test.each<[string, unknown, string]>([
  ['no positions', { positions: [] }, 'positions'],
  ['101 positions', { positions: Array.from({ length: 101 }, () => GOOD) }, 'positions'],
  ['the same position twice', { positions: [GOOD, GOOD] }, 'positions/1'],
  ['an amount of 0', { positions: [{ ...GOOD, amount_usd: 0 }] }, 'positions/0/amount_usd'],
  ['a negative amount', { positions: [{ ...GOOD, amount_usd: -1 }] }, 'positions/0/amount_usd'],
  ['too large an amount', { positions: [{ ...GOOD, amount_usd: 1e300 }] }, 'positions/0/amount_usd'],
  [
    'an infinite amount',
    '{"positions":[{"opportunity_id":"a","amount_usd":1e999}]}',
    'positions/0/amount_usd',
  ],
  ['both names', { positions: [{ ...GOOD, chain: 'ethereum' }] }, 'positions/0'],
  ['half a name', { positions: [{ chain: 'ethereum', venue: 'lido', amount_usd: 1 }] }, 'positions/0'],
  ['horizon 0', { positions: [GOOD], horizon_days: 0 }, 'horizon_days'],
  ['horizon 366', { positions: [GOOD], horizon_days: 366 }, 'horizon_days'],
  ['confidence 1', { positions: [GOOD], confidence: 1 }, 'confidence'],
  ['99 paths', { positions: [GOOD], paths: 99 }, 'paths'],
  ['too many paths for the horizon', { positions: [GOOD], paths: 1_644, horizon_days: 365 }, 'paths'],
  ['a seed of 2^53', { positions: [GOOD], seed: 2 ** 53 }, 'seed'],
  [
    'a probability above 1',
    { positions: [GOOD], assumptions: { venue_annual_pd: { lido: 1.1 } } },
    'assumptions/venue_annual_pd/lido',
  ],
  ['an unknown member', { positions: [GOOD], leverage: 2 }, 'leverage'],
])('%s is refused by name', async (_, body, field) => {
  await fixture.publish(datasets());
  const { status, code, details } = await refusal(await fixture.serve(), body);
  expect([status, code, details?.fields?.[0]?.field]).toEqual([400, 'validation_failed', field]);
});

test('a body that is not JSON is refused', async () => {
  await fixture.publish(datasets());
  const body = '{"positions":[{"opportunity_id":"a","amount_usd":NaN}]}';
  expect(await refusal(await fixture.serve(), body)).toMatchObject({ status: 400, code: 'invalid_request' });
});

const failed = (dataset: DatasetInput): DatasetInput => ({
  ...dataset,
  quality_gate: { ...dataset.quality_gate, verdict: 'fail' },
});
test.each([
  ['return-inputs', 'var'],
  ['exit-inputs', 'liquidity'],
  ['yield-opportunities', 'protocol_risk'],
])('without %s, or if its gate failed, the dependency %s is named', async (id, dependency) => {
  const versions = [
    datasets().filter((dataset) => dataset.id !== id),
    datasets().map((dataset) => (dataset.id === id ? failed(dataset) : dataset)),
  ];
  for (const published of versions) {
    await fixture.publish(published);
    const answer = await post(await fixture.serve(), { positions: positions(1) });
    const { error } = (await answer.json()) as { error: { code: string; details: unknown } };
    expect([answer.status, error.code]).toEqual([503, 'risk_dependency_unavailable']);
    expect(error.details).toEqual({ dependency, dataset: id });
    expect(answer.headers.get('retry-after')).toBe('60');
  }
});

test('a key without the scope is refused, and a version that is not kept is not found', async () => {
  await fixture.publish(datasets());
  const key = await fixture.key('team', { scopes: ['data:read'] });
  const server = await fixture.serve();
  const answer = await fetch(`${server.url}${PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ positions: positions(1) }),
  });
  expect(answer.status).toBe(403);
  const other = { positions: positions(1), snapshot_version: '01HZX3K9Q4T2V7B8N6M5P1R0SD' };
  expect(await refusal(server, other)).toMatchObject({ status: 404, code: 'not_found' });
});

test('an older kept version can be requested, and returns the same result', async () => {
  const first = await fixture.publish(datasets());
  const server = await fixture.serve();
  const body = { positions: positions(1_000, 500), paths: 200 };
  const before = await analysis(server, body);
  const changed = datasets().map((dataset) =>
    dataset.id === 'return-inputs'
      ? { ...dataset, documents: documents([returnsOf('ETH', normals(9, 800, 0.01))], (row) => row.symbol) }
      : dataset,
  );
  await fixture.publish(changed);
  await server.refresh();
  expect(await analysis(server, { ...body, snapshot_version: first })).toEqual(before);
  expect((await analysis(server, body)).var?.covered_usd).toBe(1_000);
});

const VAULT = opportunity(9, { strategy: 'vault', address: '0xV', venue: 'yearn-v3' });
const edge = (to: string, kind: string, share: number) => ({
  ...{ to, kind, share, name: null, usd: null, observed_at: 0, source_id: 'test' },
});
const node = (name: string, kind: string, edges: readonly object[]) => ({
  ...{ node: name, kind, name: null, known_share: 1, edges },
});
const GRAPH = [
  node('vault:ethereum:0xv', 'vault', [
    edge('market:ethereum:0xm', 'market', 0.9),
    edge('unknown', 'unknown', 0.1),
  ]),
  node('market:ethereum:0xm', 'market', [edge('asset:WBTC', 'asset', 1)]),
  node('asset:WBTC', 'asset', [edge('issuer:bitgo', 'issuer', 1)]),
];

test('vaults are looked through, with their curators and the oracles of the markets behind them', async () => {
  const [opportunities, ...others] = datasets();
  await fixture.publish([
    { ...(opportunities as DatasetInput), documents: documents([VAULT], ({ id }) => id) },
    ...others,
    datasetOf(
      'exposure-graph',
      documents(GRAPH, (row) => row.node),
    ),
    datasetOf('lending-vaults', [
      { key: 'ethereum|0xv', value: { curator: null, curator_name: 'Anchor Risk', curator_address: '0xc' } },
    ]),
    datasetOf('lending-markets', [{ key: 'ethereum|0xm', value: { feeds: ['0xf'] } }]),
  ]);
  const server = await fixture.serve();
  const body = { positions: [{ opportunity_id: VAULT.id, amount_usd: 1_000 }], paths: 100 };
  const { concentration, positions: rows } = await analysis(server, body);
  const parts = (by: 'by_curator' | 'by_oracle' | 'by_issuer') =>
    concentration.look_through?.[by].parts.map(({ key, amount_usd }) => [key, amount_usd]);
  expect(parts('by_curator')).toEqual([['Anchor Risk', 1_000]]);
  expect(parts('by_oracle')).toEqual([['ethereum:0xf', 900]]);
  expect(parts('by_issuer')).toEqual([['bitgo', 900]]);
  expect(rows[0]?.paths.map(({ nodes }) => nodes.map((step) => step.node).join(' > '))).toEqual([
    'vault:ethereum:0xv > market:ethereum:0xm > asset:WBTC > issuer:bitgo',
    'vault:ethereum:0xv > unknown',
  ]);
});

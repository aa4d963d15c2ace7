// `/v2/exposure/paths` over HTTP: an asset, an assumption, what the caller may not see, and what does not exist.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../../platform/base/json.ts';
import { everyDataset } from '../../support/every-dataset.ts';
import { AS_OF, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const MARKET = 'market:ethereum:0x1';
const VAULT = 'vault:ethereum:0xa';
const edge = (to: string, share: number, usd: number) => {
  const [kind = ''] = to.split(':', 1);
  return { to, kind, name: to, usd, share, observed_at: 1, source_id: 's' };
};
const node = (id: string, edges: readonly Json[]) => ({
  key: id,
  value: { node: id, kind: id.replace(/:.*/, ''), name: id, known_share: 1, edges },
});
const GRAPH = datasetOf('exposure-graph', [
  node(MARKET, [edge('asset:XUSD', 0.8, 800), edge('asset:USDC', 0.2, 200)]),
  node(VAULT, [edge(MARKET, 1, 200)]),
]);
const LENDING = datasetOf('lending-markets', [
  {
    key: 'ethereum|0x1',
    value: {
      chain: 'ethereum',
      market_id: '0x1',
      loan_symbol: 'USDC',
      collateral_symbol: 'XUSD',
      utilization: 0.8,
      state_status: 'fresh',
    },
  },
]);
const ORACLES = datasetOf('oracle-paths', [
  {
    key: 'ethereum:0x1',
    value: {
      id: 'ethereum:0x1',
      chain: 'ethereum',
      market_id: '0x1',
      gaps: [],
      assumptions: [{ id: 'XUSD=USD', kind: 'constant', statement: 'XUSD is a dollar.', is_broken: true }],
    },
  },
]);

let fixture: ServerFixture;
let url: string;
let key: string;
let keyWithoutYields: string;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  const own = [GRAPH, LENDING, ORACLES];
  const others = everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id));
  await fixture.publish([...others, ...own]);
  key = await fixture.key('team');
  keyWithoutYields = await fixture.key('team', { scopes: ['data:read'] });
  ({ url } = await fixture.serve({ anonymousPlan: null }));
});
afterEach(() => fixture.remove());

async function ask(query: string, as = key) {
  const response = await fetch(`${url}/v2/exposure/paths?${query}`, {
    headers: { Authorization: `Bearer ${as}` },
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('what rests on', () => {
  test('a vault, with the checksum of its address or without', async () => {
    const { status, body } = await ask('from=vault:ethereum:0xA');
    expect([status, body.data.from.id]).toEqual([200, VAULT]);
  });

  test('an asset, in whatever case it is written', async () => {
    const { status, body } = await ask('from=asset:xusd');
    expect(status).toBe(200);
    expect(body.data.from).toMatchObject({ id: 'asset:XUSD', kind: 'asset' });
    expect(body.data.nodes.map((one: { node: string; usd_low: number }) => [one.node, one.usd_low])).toEqual([
      [MARKET, 800],
      [VAULT, 160],
    ]);
    expect(body.meta).toMatchObject({ total: 2, has_more: false });
  });

  test('an assumption of an oracle', async () => {
    const { body } = await ask('from=assumption:ethereum:XUSD%3DUSD');
    expect(body.data.from).toEqual({
      id: 'assumption:ethereum:XUSD=USD',
      kind: 'assumption',
      name: 'XUSD is a dollar.',
      is_broken: true,
      markets: [MARKET],
    });
    expect(body.data.nodes[1].path.map((step: { node: string }) => step.node)).toEqual([
      'assumption:ethereum:XUSD=USD',
      MARKET,
      VAULT,
    ]);
  });

  test('an asset, as many as are asked for', async () => {
    const { body } = await ask('from=asset:XUSD&limit=1');
    expect(body.data.nodes).toHaveLength(1);
    expect(body.data.reach.vault.count).toBe(1);
    expect(body.meta).toMatchObject({ total: 2, has_more: true });
  });
});

test('yields are a named gap for a key that may not read them', async () => {
  expect((await ask('from=asset:XUSD', keyWithoutYields)).body.data.gaps).toContain('yields_need_scope');
  expect((await ask('from=asset:XUSD')).body.data.gaps).not.toContain('yields_need_scope');
});

test('what is held back may rest on it: counted by kind, and yields only for those who may read them', async () => {
  const since = '2026-03-01T12:00:00Z';
  const hold = (dataset: string, subject: string) => ({
    dataset,
    subject,
    since,
    checks: ['c'],
    reason: 'r',
  });
  const list = [
    hold('lending-markets', 'ethereum 0x9'),
    hold('lending-vaults', 'ethereum 0xb'),
    hold('pegs', 'ethereum DAI'),
    hold('yield-opportunities', 'ethereum/p/1'),
  ];
  const own = [GRAPH, LENDING, ORACLES];
  const others = everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id));
  const before = (await ask('from=assumption:ethereum:XUSD=USD')).body.data;
  await fixture.publish([...others, ...own], '2026-03-01T13:00:00Z', '1.0.0', {
    held_subjects: { total: list.length, list },
  });
  ({ url } = await fixture.serve({ anonymousPlan: null }));
  const found = (await ask('from=assumption:ethereum:XUSD=USD')).body.data;
  const unknownOf = ({ reach }: typeof found) =>
    [reach.market, reach.vault, reach.yield].map((one) => one.unknown);
  expect(unknownOf(found)).toEqual(unknownOf(before).map((n) => n + 1));
  expect(found.gaps).toEqual(expect.arrayContaining(['paths_unknown', 'held_back']));
  const { reach } = (await ask('from=asset:XUSD', keyWithoutYields)).body.data;
  expect(reach.yield).toEqual({ count: null, usd_low: null, usd_high: null, unknown: null });
});

test.each([
  ['from=asset:NOPE', 404, 'Nothing in the exposure graph is called asset:NOPE'],
  ['from=unknown', 404, 'Nothing in the exposure graph is called unknown'],
  ['from=assumption:ethereum:NOPE=USD', 404, 'No oracle on ethereum is known to assume NOPE=USD'],
  ['from=assumption:base:XUSD=USD', 404, 'No oracle on base is known to assume XUSD=USD'],
  ['', 400, 'from'],
  ['from=asset:XUSD&limit=0', 400, 'limit'],
])('%s is answered with %i and says what is wrong', async (query, status, message) => {
  const { status: got, body } = await ask(query);
  expect([got, body.error.message]).toEqual([status, expect.stringContaining(message)]);
});

test('an earlier time answers from all that was published then, also from what the endpoint does not list itself', async () => {
  const own = [GRAPH, LENDING, datasetOf('oracle-paths', [])];
  const others = everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id));
  await fixture.publish([...others, ...own], '2026-03-01T13:00:00Z');
  ({ url } = await fixture.serve({ anonymousPlan: null }));
  const from = 'from=assumption:ethereum:XUSD=USD';
  expect((await ask(from)).status).toBe(404);
  const { status, body } = await ask(`${from}&as_of=${AS_OF}`);
  expect([status, body.data?.from.markets]).toEqual([200, [MARKET]]);
});

test('assets that hold each other are a circle, in the order in which a loss goes round', async () => {
  const graph = datasetOf('exposure-graph', [
    node('asset:XUSD', [edge('asset:DEUSD', 0.4, 40), edge('issuer:stream', 0.6, 60)]),
    node('asset:DEUSD', [edge('asset:XUSD', 1, 100)]),
  ]);
  const own = [graph, LENDING, ORACLES];
  const others = everyDataset(fixtureDatasets()).filter(({ id }) => own.every((one) => one.id !== id));
  await fixture.publish([...others, ...own], '2026-03-01T13:00:00Z');
  ({ url } = await fixture.serve({ anonymousPlan: null }));
  expect((await ask('from=asset:XUSD')).body.data.circles).toEqual([['asset:DEUSD', 'asset:XUSD']]);
  expect((await ask('from=issuer:stream')).body.data.circles).toEqual([['asset:DEUSD', 'asset:XUSD']]);
  expect((await ask(`from=asset:XUSD&as_of=${AS_OF}`)).body.data.circles).toEqual([]);
});

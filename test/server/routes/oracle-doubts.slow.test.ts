// xUSD in November 2025, over HTTP: a position in a market whose oracle says one dollar is doubted with the same dollars by the exit, the
// portfolio and the simulation; without published oracle paths the dollars are unknown, never 0.
import { afterEach, expect, test } from 'vitest';
import type { Json } from '../../../platform/base/json.ts';
import type { DatasetInput } from '../../../snapshots/dataset-intake.ts';
import { keyedById, marketInputs, returnInputs } from '../../support/analytics-inputs.ts';
import { opportunity } from '../data/paging/yield-model.ts';
import { AS_OF_MS, datasetOf, fixtureDatasets, ServerFixture } from '../server-fixture.ts';

const ID = 'ethereum:0xm1';
const VAULT = 'ethereum:0xa';
const AMOUNT = 40_000;

const MARKET: { readonly [name: string]: Json } = {
  ...{ chain: 'ethereum', market_id: '0xm1', protocol: 'morpho-blue', name: null, loan_symbol: 'USDC' },
  ...{ loan_asset: null, collateral_asset: null, collateral_symbol: 'XUSD', lltv: 0.915, depth_usd: null },
  ...{ supplied_usd: 100_000, borrowed_usd: 100_000, utilization: 1, withdrawable_usd: 0, feeds: [] },
  ...{ oracle_status: 'fresh', state_status: 'fresh', borrow_apr_pct: 10, state_at: AS_OF_MS / 1_000 },
  ...{ liquidation_threshold: null, liquidation_bonus: null, liquidation_protocol_fee: null },
};
const PATH: { readonly [name: string]: Json } = {
  ...{ id: ID, chain: 'ethereum', market_id: '0xm1', verdict: 'verified', path_status: 'assumption' },
  assumptions: [{ id: 'XUSD=USD', kind: 'constant', statement: 'One XUSD is a dollar.', is_broken: true }],
  ...{ is_broken: true, gaps: [], unrealised_bad_debt_low_usd: 70_000, unrealised_bad_debt_high_usd: 75_000 },
  phantom_interest_usd_day: 25,
};
const edge = (to: string, share: number) => ({
  ...{
    to,
    kind: to.split(':')[0] ?? '',
    name: null,
    usd: share * 1_000,
    share,
    observed_at: 0,
    source_id: 's',
  },
});
const OPPORTUNITIES = [
  opportunity(0, { id: 'm', address: '0xm1', strategy: 'lending', asset: 'USDC', assets: ['USDC'] }),
  opportunity(1, { id: 'n', address: '0xa', strategy: 'vault', asset: 'USDC', assets: ['USDC'] }),
  opportunity(2, { id: 'o', address: '0xother', strategy: 'vault', asset: 'USDC', assets: ['USDC'] }),
  opportunity(3, { id: 'p', address: '0xlp', strategy: 'staking', asset: 'USDC', assets: ['USDC'] }),
].map((one) => ({ ...one, chain: 'ethereum', tvlUsd: 1e9 }));
const input = marketInputs({
  more: {
    id: ID,
    chain: 'ethereum',
    market_id: '0xm1',
    supplied_usd: 100_000,
    borrowed_usd: 100_000,
    withdrawable_usd: 0,
  },
});
const datasets = (paths: readonly DatasetInput[]): DatasetInput[] => [
  ...fixtureDatasets(),
  datasetOf('exit-inputs', keyedById([input])),
  datasetOf('return-inputs', [
    { key: 'USDC', value: returnInputs(400, { symbol: 'USDC' }) as unknown as Json },
  ]),
  datasetOf('lending-markets', [{ key: 'ethereum|0xm1', value: MARKET }]),
  datasetOf('lending-vaults', [
    {
      key: 'ethereum|0xa',
      value: { chain: 'ethereum', vault_address: '0xa', asset_symbol: 'USDC', name: 'A' },
    },
  ]),
  datasetOf('exposure-graph', [
    {
      key: `vault:${VAULT}`,
      value: {
        node: `vault:${VAULT}`,
        kind: 'vault',
        name: 'A',
        known_share: 1,
        edges: [edge(`market:${ID}`, 0.5), edge('asset:USDC', 0.5)],
      },
    },
  ]),
  datasetOf('yield-opportunities', keyedById(OPPORTUNITIES)),
  ...paths,
];

let fixture: ServerFixture;
afterEach(() => fixture.remove());

async function serve(paths: readonly DatasetInput[]) {
  fixture = await ServerFixture.create();
  await fixture.publish(datasets(paths));
  const key = await fixture.key('enterprise', {
    scopes: ['liquidity:simulate', 'portfolio:analyze', 'simulator:run'],
  });
  const { url } = await fixture.serve({ analytics: { workers: 1 } });
  return async (path: string, body: Json) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: what a test finds in a response
    const json: any = await response.json();
    expect(json.error, JSON.stringify(json.error)).toBeNull();
    return json.data;
  };
}
const exitOf = {
  path: `/v2/liquidity/${encodeURIComponent(ID)}/exit-monte-carlo`,
  body: { position_usd: AMOUNT, paths: 100 },
};
const simulation = {
  shocks: [{ kind: 'price', subject: 'USDC', path: [[0, 1]] }],
  horizon_hours: 1,
  positions: [
    { kind: 'supply', market: ID, amount_usd: AMOUNT },
    { kind: 'vault', vault: VAULT, amount_usd: 1_000 },
  ],
};
const held = [
  { opportunity_id: 'm', amount_usd: AMOUNT },
  { opportunity_id: 'n', amount_usd: 1_000 },
];

test('the exit, the portfolio and the simulation doubt a position with the same dollars', async () => {
  const ask = await serve([datasetOf('oracle-paths', [{ key: ID, value: PATH }])]);
  const supply = {
    ...{ loss_low_usd: 28_000, loss_high_usd: 30_000, phantom_interest_usd_day: 10, gaps: [] },
    markets: [
      {
        ...{ market: ID, amount_usd: AMOUNT, assumptions: ['XUSD=USD'], gaps: [] },
        reasons: ['assumption_broken', 'bad_debt', 'phantom_interest'],
        ...{ loss_low_usd: 28_000, loss_high_usd: 30_000, phantom_interest_usd_day: 10 },
      },
    ],
  };
  const vault = {
    loss_low_usd: 350,
    loss_high_usd: 375,
    gaps: [],
    markets: [{ market: ID, amount_usd: 500 }],
  };
  expect((await ask(exitOf.path, exitOf.body)).oracle_doubts).toEqual(supply);
  const portfolio = await ask('/v2/yield/portfolio/analyze', { positions: held });
  expect(portfolio.positions.map((one: { oracle_doubts: unknown }) => one.oracle_doubts)).toMatchObject([
    supply,
    vault,
  ]);
  expect(portfolio.oracle_doubts).toEqual({
    ...{
      loss_low_usd: 28_350,
      loss_high_usd: 30_375,
      phantom_interest_usd_day: 10.13,
      gaps: [],
      positions: 2,
    },
  });
  const { positions } = await ask('/v2/simulator/run', simulation);
  expect(positions.map((one: { oracle_doubts: unknown }) => one.oracle_doubts)).toMatchObject([
    supply,
    vault,
  ]);
});

test('without published oracle paths, and of a vault that no source looks into, the dollars are unknown', async () => {
  const ask = await serve([]);
  const unknown = { loss_low_usd: null, loss_high_usd: null, gaps: ['oracle_paths_missing'] };
  expect((await ask(exitOf.path, exitOf.body)).oracle_doubts).toMatchObject(unknown);
  const positions = [
    ...held,
    { opportunity_id: 'o', amount_usd: 10 },
    { opportunity_id: 'p', amount_usd: 10 },
  ];
  const portfolio = await ask('/v2/yield/portfolio/analyze', { positions });
  expect(portfolio.positions.map((one: { oracle_doubts: unknown }) => one.oracle_doubts)).toMatchObject([
    unknown,
    unknown,
    { loss_high_usd: null, gaps: ['lookthrough_incomplete'], markets: [] },
    null,
  ]);
  expect(portfolio.oracle_doubts).toMatchObject({ loss_high_usd: null, positions: 3 });
  const simulated = await ask('/v2/simulator/run', simulation);
  expect(simulated.positions[0].oracle_doubts).toMatchObject(unknown);
});

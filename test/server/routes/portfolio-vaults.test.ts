// The vaults of a portfolio over HTTP: found by the contract of an opportunity, in the published version, and what is not published.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PortfolioAnalysis } from '../../../schemas/portfolio.ts';
import { VaultSchema } from '../../../schemas/vaults.ts';
import { marketOf, normals, returnsOf } from '../analytics/portfolio/world.ts';
import { opportunity } from '../data/paging/yield-model.ts';
import { AS_OF, datasetOf, ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

const ADDRESSES = ['0xv', '0xw'];
const OPPORTUNITIES = [
  ...ADDRESSES.map((address, index) =>
    opportunity(index, { address: address.toUpperCase().replace('X', 'x') }),
  ),
  opportunity(2, { address: '0xv' }),
];
const NOTHING = Object.fromEntries(Object.keys(VaultSchema.properties).map((name) => [name, null]));
const keyOf = (address: string) => `ethereum|${address}`;
const VAULTS = datasetOf(
  'vaults',
  ADDRESSES.map((vault_address) => ({
    key: keyOf(vault_address),
    value: {
      ...{ ...NOTHING, chain: 'ethereum', vault_address, kind: 'morpho_v1_1', has_metadata: true, flags: [] },
      ...{ asset_address: '0xusdc', asset_symbol: 'USDC', asset_price_usd: 1, share_price: '1', coverage: 1 },
      ...{ total_assets: 80_000, idle_assets: 0, withdrawable_assets: 80_000, is_gated: false },
      ...{ withdrawable_shared_assets: 20_000, state_at: 1, state_status: 'fresh', gaps: [] },
      ...{ unrealised_bad_debt_low_usd: 0, unrealised_bad_debt_high_usd: 0 },
    },
  })),
);
const HOLDINGS = datasetOf(
  'vault-holdings',
  ADDRESSES.map((vault_address) => ({
    key: keyOf(vault_address),
    value: {
      ...{ chain: 'ethereum', vault_address, state_at: 1, is_complete: true },
      holdings: [
        {
          ...{ held_kind: 'market', held: '0xa', assets: 80_000, market_supply: 400_000 },
          ...{ market_cash: 100_000, is_liquidity: null, queue_index: 0 },
        },
      ],
    },
  })),
);
const rowsOf = <T extends object>(id: string, rows: readonly T[], key: (row: T) => string) =>
  datasetOf(
    id,
    rows.map((row) => ({ key: key(row), value: JSON.parse(JSON.stringify(row)) })),
  );
const OTHERS = [
  rowsOf('yield-opportunities', OPPORTUNITIES, ({ id }) => id),
  rowsOf('return-inputs', [returnsOf('USDC', normals(2, 800, 0.0001))], ({ symbol }) => symbol),
  rowsOf('exit-inputs', [marketOf('ethereum:0xa', { supplied_usd: 1, withdrawable_usd: 1 })], ({ id }) => id),
];

type More = NonNullable<Parameters<ServerFixture['publish']>[3]>;
async function analysis(amounts: readonly number[], own = [VAULTS, HOLDINGS], more: More = {}) {
  await fixture.publish([...OTHERS, ...own], AS_OF, '1.0.0', more);
  const { url } = await fixture.serve();
  const positions = amounts.flatMap((amount_usd, index) =>
    amount_usd === 0 ? [] : [{ opportunity_id: OPPORTUNITIES[index]?.id, amount_usd }],
  );
  const response = await fetch(`${url}/v2/yield/portfolio/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ positions, paths: 100 }),
  });
  const { data } = (await response.json()) as { data: PortfolioAnalysis };
  return data;
}

test('opportunities of two vaults share the cash of their market; several of one vault are one position', async () => {
  const data = await analysis([70_000, 60_000, 5_000]);
  expect(data.vaults_together).toMatchObject({
    ...{ vaults: 2, alone_sum_usd: 135_000, together_usd: 100_000, shortfall_usd: 35_000, gaps: [] },
    shared: [{ claims: [{ assets: 75_000 }, { assets: 60_000 }], binds: true }],
  });
  expect(data.warnings).toContainEqual({ warning: 'shared_vault_cash', subject: null, value: 35_000 });
  expect((await analysis([70_000, 0, 5_000])).vaults_together).toBeNull();
});

test('a vault that is held back makes the figure unknown; without vaults there is none', async () => {
  const held = { since: AS_OF, checks: ['audit'], reason: 'a check failed' };
  const list = [{ ...held, dataset: 'vaults', subject: 'ethereum 0xw' }];
  const data = await analysis([70_000, 60_000], [VAULTS, HOLDINGS], { held_subjects: { total: 1, list } });
  expect(data.vaults_together).toMatchObject({ together_usd: null, gaps: ['held_back'] });
  expect((await analysis([70_000, 60_000], [])).vaults_together).toBeNull();
});

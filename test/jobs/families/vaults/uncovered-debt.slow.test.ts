// xUSD in November 2025, from files to documents: a market whose oracle is a constant while its collateral is worth a fifth of it. All is lent,
// interest that no one will pay raises the share price of a vault, and the debt that is not covered is named, with the vault's part of it.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { vaultTotals } from '../../../../models/vault-sets.ts';
import type { OraclePath } from '../../../../schemas/oracle-paths.ts';
import type { VaultHoldings } from '../../../../schemas/vault-holdings.ts';
import type { Vault } from '../../../../schemas/vaults.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { publishedEvents } from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';
import {
  BROKEN,
  CHAIN,
  DAY,
  feedTables,
  HOUR,
  hoursUntil,
  MARKET,
  market,
  marketTables,
  ONE,
  START,
  units,
  VAULT,
  vault,
} from './constant-oracle.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NOW = BROKEN + 6 * HOUR;

const DEBT = 709_027.33;
const AT_MARKET = 155_753.5;
const LLTV = 0.915;
/** Market price of the collateral, of which the oracle says 1. */
const PRICE = 0.2;
const COLLATERAL = AT_MARKET / PRICE;
const SHARE_OF_SUPPLY = 0.4;

const hours = hoursUntil(NOW);
const own = DEBT * SHARE_OF_SUPPLY;

/** A hundredth of a percent an hour, paid by no one. */
const priceAt = (at: number): string => (1.0204 + ((at - START) / HOUR) * 0.0001).toFixed(6);

const TABLES: Readonly<Record<string, readonly FileRow[]>> = {
  ...marketTables({ debt: DEBT, collateral: COLLATERAL, lltv: LLTV }, hours, { borrow_apr_pct: 68.46 }),
  ...feedTables([BROKEN, BROKEN + 600].map((at) => [at, PRICE])),
  oracle_price: hours.map((observed_at) => ({
    ...{ ...market, oracle_address: `0x${'cc'.repeat(20)}`, observed_at, price: ONE },
    ...{ loan_decimals: 6, collateral_decimals: 6, kind: 'meta', kind_by: 'factory', leg_count: 0 },
    ...{ scale_factor: ONE, base_factors: '1', quote_factors: '1' },
  })),
  vault_state: hours.map((observed_at) => ({
    ...{ ...vault, observed_at, kind: 'morpho_v1_1', asset_decimals: 6 },
    ...{ share_decimals: 18, total_assets: units(own), real_assets: units(own), performance_fee: '0' },
    // So many shares that one of them has that price.
    total_supply: String((BigInt(units(own)) * 10n ** 18n) / BigInt(units(Number(priceAt(observed_at))))),
    ...{ position_count: 1, asset_price_usd: 1 },
  })),
  vault_position: hours.map((observed_at) => ({
    ...{ ...vault, observed_at, held_kind: 'market', held: MARKET, queue_index: 0 },
    ...{ assets: units(own), market_supply: units(DEBT), market_cash: '0' },
  })),
};

let world: FileWorld;
beforeAll(async () => {
  const domains = neededFor({
    datasets: ['vaults', 'vault-holdings', 'oracle-paths', 'lending-markets'],
    events: ['oracle.assumption', 'oracle.stale', 'vault.'],
  });
  world = openFileWorld({ domains });
  for (const [table, rows] of Object.entries(TABLES)) world.write(table, { 'all.ndjson': rows });
  expect(await world.run(NOW)).toBe(0);
});
afterAll(() => world?.remove());

test('the market says what is not covered, and that its interest will not be paid', () => {
  const path = documentsOf<OraclePath>(world.dir, 'oracle-paths')[`${CHAIN}:${MARKET}`];
  expect(path).toMatchObject({
    ...{ verdict: 'verified', price: '1', gap_bps: 40_000, is_broken: true, path_status: 'assumption' },
    ...{ unrealised_bad_debt_low_usd: 553_273.83, unrealised_bad_debt_high_usd: 553_273.83 },
    ...{ phantom_interest_usd_day: Math.round(DEBT * 0.6846 * (100 / 365)) / 100, gaps: [] },
  });
});

test('the vault bears its part of it, has nothing to withdraw, and its growth is what it books', () => {
  const vault = documentsOf<Vault>(world.dir, 'vaults')[`${CHAIN}|${VAULT}`];
  expect(vault).toMatchObject({
    ...{ unrealised_bad_debt_low_usd: 221_309.53, unrealised_bad_debt_high_usd: 221_309.53 },
    ...{ withdrawable_usd: 0, withdrawable_shared_usd: 0, coverage: 1, is_liquidity_low: true, flags: [] },
    ...{ total_assets_usd: Math.round(own * 100) / 100 },
  });
  const [end, start] = [Number(priceAt(NOW)), Number(priceAt(NOW - DAY))];
  expect(vault?.net_apy_1d_pct).toBeCloseTo(100 * ((end / start) ** 365 - 1), 1);
});

test('as a set of one it has the same figures', () => {
  const [row, holdings] = [
    documentsOf<Vault>(world.dir, 'vaults')[`${CHAIN}|${VAULT}`],
    documentsOf<VaultHoldings>(world.dir, 'vault-holdings')[`${CHAIN}|${VAULT}`],
  ];
  if (row === undefined) throw new Error('the vault is not published');
  const set = { vaults: [{ row, holdings, isHeldBack: false }], missing: [], gaps: [] };
  expect(vaultTotals({ ...set, vaultOf: () => undefined })).toMatchObject({
    ...{ vaults: 1, total_assets_usd: row.total_assets_usd, withdrawable_usd: 0, withdrawable_share: 0 },
    ...{ unrealised_bad_debt_low_usd: 221_309.53, unrealised_bad_debt_high_usd: 221_309.53 },
    ...{ unknown: [], gaps: [], oldest_state_at: NOW, state_status: 'fresh' },
  });
});

test('the break is one critical event at the second price, with the market; no feed was stale', () => {
  const events = publishedEvents(world.dir).map(({ value }) => value);
  const broken = events.filter(({ type }) => type === 'oracle.assumption.broken');
  expect(broken).toMatchObject([
    {
      ...{ subject_id: `assumption:${CHAIN}:XUSD=USDC`, severity: 'critical', ts: '2025-11-05T00:00:00Z' },
      data: {
        ...{ observed: '0.2', gap_bps: 40_000, market_count: 1 },
        unrealised_bad_debt_low_usd: 553_273.83,
        markets: [{ market_id: MARKET }],
      },
    },
  ]);
  const low = events.filter(({ type }) => type === 'vault.liquidity.low');
  expect(low.map(({ subject_id, severity }) => [subject_id, severity])).toEqual([
    [`vault:${CHAIN}:${VAULT}`, 'critical'],
  ]);
  expect(events.filter(({ type }) => type === 'oracle.stale' || type === 'vault.share_price.fell')).toEqual(
    [],
  );
});

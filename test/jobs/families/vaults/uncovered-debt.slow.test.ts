// xUSD in November 2025, from files to documents: a market whose oracle is a constant while its collateral is worth a fifth of it. All is lent,
// interest that no one will pay raises the share price of a vault, and the debt that is not covered is named, with the vault's part of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runOnce } from '../../../../jobs/commands/work.ts';
import { vaultTotals } from '../../../../models/vault-sets.ts';
import type { Json } from '../../../../platform/base/json.ts';
import type { OraclePath } from '../../../../schemas/oracle-paths.ts';
import type { VaultHoldings } from '../../../../schemas/vault-holdings.ts';
import type { Vault } from '../../../../schemas/vaults.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld, publishedEvents, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { documentsOf } from '../../../support/published-files.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const HOUR = 3_600;
const DAY = 86_400;
/** 2025-11-05. */
const BROKEN = 1_762_300_800;
const START = BROKEN - 2 * DAY;
const NOW = BROKEN + 6 * HOUR;
const CHAIN = 'arbitrum';
const MARKET = `0x9e90aec7${'0'.repeat(56)}`;
const VAULT = `0x3014ed70${'0'.repeat(32)}`;
const [XUSD_FEED, USDC_FEED] = [`0x${'f1'.repeat(20)}`, `0x${'f2'.repeat(20)}`];

const DEBT = 709_027.33;
const AT_MARKET = 155_753.5;
const LLTV = 0.915;
/** Market price of the collateral, of which the oracle says 1. */
const PRICE = 0.2;
const COLLATERAL = AT_MARKET / PRICE;
const SHARE_OF_SUPPLY = 0.4;

const hours = Array.from({ length: (NOW - START) / HOUR + 1 }, (_, hour) => START + hour * HOUR);
const units = (amount: number): string => String(Math.round(amount * 1e6));
const market = { chain: CHAIN, market_id: MARKET };
const own = DEBT * SHARE_OF_SUPPLY;

/** A hundredth of a percent an hour, paid by no one. */
const priceAt = (at: number): string => (1.0204 + ((at - START) / HOUR) * 0.0001).toFixed(6);

const feedRow = (feed_address: string, base: string) => ({
  ...{ chain: CHAIN, provider: 'chainlink', feed_address, name: `${base} / USD`, base, quote: 'USD' },
  ...{ heartbeat_s: DAY, deviation_bps: 50, decimals: 8, observed_at: START - DAY },
});
const round = (feed_address: string, updated_at: number, price: number) => ({
  ...{ chain: CHAIN, feed_address, round_id: String(updated_at), answer: String(Math.round(price * 1e8)) },
  ...{ decimals: 8, updated_at },
});

const TABLES: Readonly<Record<string, readonly { readonly [field: string]: Json }[]>> = {
  lending_market: [
    {
      ...{
        ...market,
        protocol: 'morpho',
        loan_asset: `0x${'aa'.repeat(20)}`,
        loan_symbol: 'USDC',
        lltv: LLTV,
      },
      ...{ collateral_asset: `0x${'bb'.repeat(20)}`, collateral_symbol: 'xUSD', observed_at: START - DAY },
    },
  ],
  market_state: hours.map((observed_at) => ({
    ...{ ...market, observed_at, supplied: DEBT, borrowed: DEBT, supplied_usd: DEBT, borrowed_usd: DEBT },
    borrow_apr_pct: 68.46,
  })),
  borrower_tranche: hours.map((observed_at) => {
    const fall = 1 - DEBT / (LLTV * COLLATERAL);
    return {
      ...{ ...market, observed_at, fall_from: fall, fall_to: fall, debt_usd: DEBT },
      ...{ collateral_usd: COLLATERAL, price_basis: 'oracle', tranche_count: 1 },
    };
  }),
  oracle_price: hours.map((observed_at) => ({
    ...{ ...market, oracle_address: `0x${'cc'.repeat(20)}`, observed_at, price: `1${'0'.repeat(36)}` },
    ...{ loan_decimals: 6, collateral_decimals: 6, kind: 'meta', kind_by: 'factory', leg_count: 0 },
    ...{ scale_factor: `1${'0'.repeat(36)}`, base_factors: '1', quote_factors: '1' },
  })),
  feed_registry: [feedRow(XUSD_FEED, 'XUSD'), feedRow(USDC_FEED, 'USDC')],
  feed_round: [
    ...[START, BROKEN - DAY].map((at) => round(XUSD_FEED, at, 1)),
    ...[BROKEN, BROKEN + 600].map((at) => round(XUSD_FEED, at, PRICE)),
    ...[START, BROKEN - DAY, BROKEN].map((at) => round(USDC_FEED, at, 1)),
  ],
  vault_state: hours.map((observed_at) => ({
    ...{ chain: CHAIN, vault_address: VAULT, observed_at, kind: 'morpho_v1_1', asset_decimals: 6 },
    ...{ share_decimals: 18, total_assets: units(own), real_assets: units(own), performance_fee: '0' },
    // So many shares that one of them has that price.
    total_supply: String((BigInt(units(own)) * 10n ** 18n) / BigInt(units(Number(priceAt(observed_at))))),
    ...{ position_count: 1, asset_price_usd: 1 },
  })),
  vault_position: hours.map((observed_at) => ({
    ...{ chain: CHAIN, vault_address: VAULT, observed_at, held_kind: 'market', held: MARKET, queue_index: 0 },
    ...{ assets: units(own), market_supply: units(DEBT), market_cash: '0' },
  })),
};

let folder: TestFolder;
beforeAll(async () => {
  folder = testFolder();
  const sources = Object.fromEntries(
    Object.entries(TABLES).map(([table, rows]) => {
      const path = join(folder.dir, `${table}.ndjson`);
      writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const names = [...new Set(rows.flatMap(Object.keys))];
      const fields = Object.fromEntries(names.map((name) => [name, name]));
      return [table.replace('_', '-'), { table, path, format: 'ndjson', name: table, fields }];
    }),
  );
  const domains = neededFor({
    datasets: ['vaults', 'vault-holdings', 'oracle-paths', 'lending-markets'],
    events: ['oracle.assumption', 'oracle.stale', 'vault.'],
  });
  await inWorld(folder.dir, { config: { profile: 'files', sources }, now: NOW, domains }, async (world) => {
    expect(await runOnce(world, null)).toBe(0);
  });
});
afterAll(() => folder?.remove());

test('the market says what is not covered, and that its interest will not be paid', () => {
  const path = documentsOf<OraclePath>(folder.dir, 'oracle-paths')[`${CHAIN}:${MARKET}`];
  expect(path).toMatchObject({
    ...{ verdict: 'verified', price: '1', gap_bps: 40_000, is_broken: true, path_status: 'assumption' },
    ...{ unrealised_bad_debt_low_usd: 553_273.83, unrealised_bad_debt_high_usd: 553_273.83 },
    ...{ phantom_interest_usd_day: Math.round(DEBT * 0.6846 * (100 / 365)) / 100, gaps: [] },
  });
});

test('the vault bears its part of it, has nothing to withdraw, and its growth is what it books', () => {
  const vault = documentsOf<Vault>(folder.dir, 'vaults')[`${CHAIN}|${VAULT}`];
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
    documentsOf<Vault>(folder.dir, 'vaults')[`${CHAIN}|${VAULT}`],
    documentsOf<VaultHoldings>(folder.dir, 'vault-holdings')[`${CHAIN}|${VAULT}`],
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
  const events = publishedEvents(folder.dir).map(({ value }) => value);
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

// The exit of one holder from a vault: worked cases, a vault inside another one, losses, and what is missing.
import { describe, expect, test } from 'vitest';
import { type ExitAmount, vaultExit } from '../../models/vault-exit.ts';
import type { SetVault } from '../../models/vault-flow.ts';
import type { Vault } from '../../schemas/vaults.ts';
import { made } from './made-vaults.ts';

const KNOWN = { is_gated: false, coverage: 1, share_price: '1.25', flags: [] as string[] };
const own = (vault: Parameters<typeof made>[0], inside?: readonly SetVault[]) =>
  made({ ...vault, row: { ...KNOWN, ...vault.row } }, inside);
const oracles = { marketOf: () => ({ state: undefined, path: undefined }), hasPaths: false };
const exitOf = (
  vault: SetVault,
  value: number,
  others: readonly SetVault[] = [],
  unit: ExitAmount['unit'] = 'assets',
) =>
  vaultExit({
    ...{ vault, amount: { unit, value }, oracles },
    vaultOf: (key) => others.find(({ row }) => key === `ethereum|${row.vault_address}`),
  });

/** A23: idle assets, a liquidity market, and another one that only forced withdrawals reach. */
const forceable = (row: Partial<Vault> = {}, cash = 300_000) =>
  own({
    ...{ address: '0xw', kind: 'morpho_v2', idle: cash === 0 ? 0 : 50_000 },
    at: [
      { in: 'a', own: 400_000, cash },
      { in: 'b', own: 550_000, cash: 500_000, isOther: true },
    ],
    row: { force_withdrawable_assets: 500_000, force_penalty: 0.01, ...row },
  });

describe('worked cases', () => {
  test('350,000 leave at once, repayments free 100,000 more, and the rest waits for an allocator or is forced out', () => {
    const exit = exitOf(forceable(), 1_000_000);
    expect(exit).toMatchObject({
      can_leave_at_once: false,
      position: { shares: 800_000, assets: 1_000_000, usd: 2_000_000, share_of_vault: 1 },
      at_once: { alone_assets: 350_000, alone_usd: 700_000, last_assets: 350_000 },
      waits: { for_cash_assets: 100_000, for_allocator_assets: 550_000, unbacked_assets: 0 },
      forced: { assets: 500_000, penalty_assets: 5_000, penalty: 0.01 },
      gaps: [],
    });
  });

  test('who holds 505,000 where nothing else can leave forces 500,000 out and pays 5,000', () => {
    expect(exitOf(forceable({}, 0), 505_000)).toMatchObject({
      at_once: { alone_assets: 0 },
      forced: { assets: 500_000, usd: 1_000_000, penalty_assets: 5_000, penalty_usd: 10_000 },
    });
    expect(exitOf(forceable({}, 0), 101).forced).toMatchObject({ assets: 100, penalty_assets: 1 });
  });

  test('two vaults share the cash of a market: alone 80,000, a quarter of that if all suppliers leave', () => {
    const vault = own({ address: '0xv', at: [{ in: 'a', own: 80_000, cash: 100_000, supply: 400_000 }] });
    expect(exitOf(vault, 80_000)).toMatchObject({
      can_leave_at_once: true,
      at_once: { alone_assets: 80_000, shared_assets: 20_000, last_assets: 80_000 },
      markets: [
        { market: 'ethereum:a', assets: 80_000, market_cash: 100_000, utilization: 0.75, missing_cash: 0 },
      ],
    });
    expect(exitOf(vault, 40_000).at_once).toMatchObject({ alone_assets: 40_000, shared_assets: 10_000 });
  });

  test('the last holder gets what the others leave', () => {
    const vault = own({ address: '0xv', at: [{ in: 'a', own: 1_000, cash: 700 }] });
    expect(exitOf(vault, 400).at_once).toMatchObject({ alone_assets: 400, last_assets: 100 });
    expect(exitOf(vault, 300).at_once.last_assets).toBe(0);
    expect(exitOf(vault, 800).waits).toMatchObject({ for_cash_assets: 100, for_allocator_assets: 0 });
  });

  test('shares, assets and dollars of one position have the same exit', () => {
    const vault = own({ address: '0xv', at: [{ in: 'a', own: 1_000, cash: 700 }] });
    expect(exitOf(vault, 80, [], 'shares')).toEqual(exitOf(vault, 100));
    expect(exitOf(vault, 200, [], 'usd')).toEqual(exitOf(vault, 100));
  });
});

describe('losses', () => {
  const lost = (row: Partial<Vault>) =>
    own({ address: '0xv', kind: 'morpho_v1_1', at: [{ in: 'a', own: 975_000, cash: 975_000 }], row });

  test('a loss that the quote hides is no part of what leaves, and the last holder bears all of it', () => {
    const vault = lost({ total_assets: 1_000_000, coverage: 0.975 });
    expect(exitOf(vault, 100_000)).toMatchObject({
      at_once: { alone_assets: 100_000 },
      worth: { low_assets: 97_500, high_assets: 97_500, last_low_assets: 75_000, last_high_assets: 75_000 },
    });
    expect(exitOf(vault, 1_000_000).waits).toMatchObject({
      ...{ for_cash_assets: 0, for_allocator_assets: 0, unbacked_assets: 25_000, unbacked_usd: 50_000 },
    });
    expect(exitOf(vault, 1_000_000).worth.last_low_assets).toBe(975_000);
  });

  test('bad debt that is not written off makes an interval', () => {
    const vault = lost({
      total_assets: 975_000,
      ...{ unrealised_bad_debt_low_usd: 19_500, unrealised_bad_debt_high_usd: 39_000 },
    });
    expect(exitOf(vault, 97_500).worth).toMatchObject({
      ...{ low_assets: 95_550, high_assets: 96_525, low_usd: 191_100, high_usd: 193_050 },
      ...{ last_low_assets: 78_000, last_high_assets: 87_750 },
    });
  });
});

describe('a V1 vault inside a V2 vault', () => {
  const inner = own({ address: '0xv', at: [{ in: 'a', own: 900, cash: 120, supply: 1_800 }] });
  const outer = own(
    {
      ...{ address: '0xw', kind: 'morpho_v2', idle: 10 },
      at: [
        { in: '0xv', own: 300, is: 'vault' },
        { in: 'a', own: 90, cash: 120, supply: 1_800, isOther: true },
      ],
      row: { force_withdrawable_assets: 90, force_penalty: 0 },
    },
    [inner],
  );

  test('the cash of a market behind both counts once', () => {
    expect(exitOf(outer, 400, [inner])).toMatchObject({
      at_once: { alone_assets: 130 },
      waits: { for_cash_assets: 180, for_allocator_assets: 90, unbacked_assets: 0 },
      forced: { assets: 0, penalty_assets: 0 },
      markets: [
        { market: 'ethereum:a', via: '0xv', assets: 300, is_reached: true, missing_cash: 180 },
        { market: 'ethereum:a', via: null, assets: 90, is_reached: false },
      ],
      is_complete: true,
    });
  });

  test('without it, nothing is known of what leaves', () => {
    expect(exitOf(outer, 400)).toMatchObject({
      can_leave_at_once: null,
      at_once: { alone_assets: null, shared_assets: null, last_assets: null },
      waits: { for_cash_assets: null, for_allocator_assets: null, unbacked_assets: null },
      is_complete: false,
      oracle_doubts: { loss_low_usd: null, gaps: ['lookthrough_incomplete', 'oracle_paths_missing'] },
      gaps: ['market_state_unknown', 'positions_missing'],
    });
  });
});

describe('what is not known', () => {
  const vault = (row: Partial<Vault> = {}) =>
    own({ address: '0xv', at: [{ in: 'a', own: 1_000, cash: 700 }], row });

  test('a gate, known or not, and a state that is not fresh leave the verdict open, and never the amounts', () => {
    for (const [row, gap] of [
      [{ is_gated: true }, 'gated'],
      [{ is_gated: null }, 'gates_unknown'],
      [{ state_status: 'unverifiable' }, 'state_not_fresh'],
      [{ gaps: ['sources_disagree'] as string[] }, 'sources_disagree'],
    ] as const)
      expect(exitOf(vault(row), 100)).toMatchObject({
        ...{ can_leave_at_once: null, at_once: { alone_assets: 100 } },
        gaps: [gap, 'not_forceable'].toSorted(),
      });
    expect(exitOf(vault({ is_gated: true }), 900).can_leave_at_once).toBe(false);
  });

  test('without a share price shares are nothing that leaves; assets are', () => {
    const none = vault({ share_price: null });
    const exit = exitOf(none, 80, [], 'shares');
    expect(exit).toMatchObject({
      position: { assets: null },
      at_once: { alone_assets: null },
      can_leave_at_once: null,
    });
    expect(exit.gaps).toContain('share_price_unknown');
    expect(exitOf(none, 100)).toMatchObject({ position: { shares: null }, at_once: { alone_assets: 100 } });
  });

  test('without a price of the asset no figure is in dollars, and bad debt is unknown in assets', () => {
    const exit = exitOf(vault({ asset_price_usd: null, unrealised_bad_debt_high_usd: 1 }), 100);
    expect(exit).toMatchObject({
      at_once: { alone_assets: 100, alone_usd: null },
      worth: { low_assets: null, high_assets: 100 },
    });
    expect(exit.gaps).toContain('price_unknown');
  });

  test('without coverage, bad debt or penalty the figures that need them are unknown', () => {
    expect(exitOf(vault({ coverage: null }), 100)).toMatchObject({
      worth: { low_assets: null, high_assets: null },
    });
    const exit = exitOf(
      vault({ unrealised_bad_debt_low_usd: null, unrealised_bad_debt_high_usd: null }),
      100,
    );
    expect(exit).toMatchObject({ worth: { low_assets: null, last_high_usd: null } });
    expect(exit.gaps).toContain('bad_debt_unknown');
    const unpriced = exitOf(forceable({ force_penalty: null }), 1_000_000);
    expect(unpriced).toMatchObject({
      forced: { assets: null, penalty_assets: null },
      gaps: ['penalty_unknown'],
    });
  });
});

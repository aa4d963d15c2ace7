// Figures of sets of vaults: worked cases, a vault inside another one, and what is missing.
import { describe, expect, test } from 'vitest';
import type { SetVault } from '../../models/vault-flow.ts';
import { vaultTotals } from '../../models/vault-sets.ts';
import type { Vault } from '../../schemas/vaults.ts';
import { figures, made, totalsOf } from './made-vaults.ts';

describe('worked cases', () => {
  test('two positions in one market are one holding of 15,000', () => {
    const vault = made({
      address: '0xv',
      at: [
        { in: 'a', own: 15_000, cash: 12_000 },
        { in: 'b', own: 0, cash: null },
      ],
    });
    expect(figures([vault])).toMatchObject({ total: 15_000, withdrawable: 12_000 });
  });

  test('two vaults that could withdraw 80,000 each from a market with 100,000 in cash withdraw 100,000 together', () => {
    const v1 = made({ address: '0xv', at: [{ in: 'a', own: 80_000, cash: 100_000, supply: 400_000 }] });
    const v2 = made({
      ...{
        address: '0xw',
        kind: 'morpho_v2',
        at: [{ in: 'a', own: 80_000, cash: 100_000, supply: 400_000 }],
      },
    });
    expect(figures([v1]).withdrawable).toBe(80_000);
    expect(figures([v2]).withdrawable).toBe(80_000);
    expect(totalsOf([v1, v2])).toMatchObject({
      ...{ vaults: 2, total_assets_usd: 320_000, held_twice_usd: 0, withdrawable_usd: 200_000 },
      ...{ withdrawable_shared_usd: 80_000, withdrawable_share: 0.625, unknown: [], gaps: [] },
    });
  });

  test('a small vault counts as well', () => {
    const small = (address: string, own: number, cash: number, kind: Vault['kind'] = 'morpho_v1_1') =>
      made({ address, kind, at: [{ in: address, own, cash }] });
    const set = [
      small('0xv', 100_000, 30_000),
      small('0xw', 200_000, 80_000, 'morpho_v2'),
      small('0xd', 9_999, 9_999),
    ];
    expect(figures(set)).toMatchObject({ total: 309_999, withdrawable: 119_999 });
  });

  test('only idle assets and the liquidity market of a V2 vault can be withdrawn', () => {
    const vault = made({
      ...{ address: '0xw', kind: 'morpho_v2', idle: 50_000 },
      at: [
        { in: 'a', own: 400_000, cash: 300_000 },
        { in: 'b', own: 550_000, cash: 500_000, isOther: true },
      ],
    });
    expect(figures([vault])).toMatchObject({ total: 1_000_000, withdrawable: 350_000 });
  });

  test('cash that a vault of another state reads differently is that of the newer state, or the lower one', () => {
    const of = (address: string, cash: number, state_at: number) =>
      made({ address, at: [{ in: 'a', own: 100, cash }], row: { state_at }, held: { state_at } });
    const both = (a: SetVault, b: SetVault) => [figures([a, b]).withdrawable, figures([b, a]).withdrawable];
    expect(both(of('0xv', 100, 10), of('0xw', 90, 20))).toEqual([90, 90]);
    expect(both(of('0xv', 100, 20), of('0xw', 90, 10))).toEqual([100, 100]);
    expect(both(of('0xv', 100, 20), of('0xw', 90, 20))).toEqual([90, 90]);
  });
});

describe('a V1 vault inside a V2 vault', () => {
  const market = { in: 'a', own: 900, cash: 500, supply: 1_800 };
  const losses = { unrealised_bad_debt_low_usd: 90, unrealised_bad_debt_high_usd: 180 };
  const inner = made({ address: '0xv', at: [market], row: losses });
  const outer = made(
    {
      ...{ address: '0xw', kind: 'morpho_v2', idle: 10, at: [{ in: '0xv', own: 300, is: 'vault' }] },
      // A third of the held vault's figures.
      row: {
        ...{
          withdrawable_shared_assets: 10 + 250 / 3,
          unrealised_bad_debt_low_usd: 30,
          unrealised_bad_debt_high_usd: 60,
        },
      },
    },
    [inner],
  );

  test('its assets, its cash and its losses count once', () => {
    expect(figures([outer, inner])).toEqual({ total: 910, withdrawable: 510, shared: 260 });
    expect(totalsOf([outer, inner])).toMatchObject({
      ...{
        total_assets_usd: 1_820,
        held_twice_usd: 600,
        withdrawable_usd: 1_020,
        withdrawable_shared_usd: 520,
      },
      ...{ unrealised_bad_debt_low_usd: 90, unrealised_bad_debt_high_usd: 180 },
    });
  });

  test('without it, at most what the holder has in it and what it can withdraw itself', () => {
    expect(figures([outer], [inner])).toMatchObject({ total: 310, withdrawable: 310 });
    const poor = made({ address: '0xv', at: [{ ...market, cash: 120 }] });
    const holder = made({ address: '0xw', kind: 'morpho_v2', at: [{ in: '0xv', own: 300, is: 'vault' }] }, [
      poor,
    ]);
    expect(figures([holder], [poor]).withdrawable).toBe(120);
  });

  test('the cash of its markets is shared with the other vaults of the set', () => {
    const other = made({ address: '0xx', at: [{ ...market, own: 400 }] });
    expect(figures([outer, other], [inner]).withdrawable).toBe(510);
  });

  test('two holders share what it can withdraw', () => {
    const second = made({ address: '0xy', kind: 'morpho_v2', at: [{ in: '0xv', own: 300, is: 'vault' }] }, [
      inner,
    ]);
    expect(figures([outer, second], [inner]).withdrawable).toBe(510);
  });
});

describe('what is not known', () => {
  const known = made({ address: '0xv', at: [{ in: 'a', own: 100, cash: 50 }] });
  const nameOf = ({ unknown }: ReturnType<typeof totalsOf>) =>
    unknown.map(({ vault_address, gaps }) => [vault_address, ...gaps]);

  test('the cash of one market makes what could be withdrawn unknown, and names its vault', () => {
    const blind = made({ address: '0xw', at: [{ in: 'b', own: 1, cash: null }] });
    const totals = totalsOf([known, blind]);
    expect(totals).toMatchObject({ total_assets_usd: 202, withdrawable_usd: null, withdrawable_share: null });
    expect(totals.gaps).toEqual(['market_state_unknown']);
    expect(nameOf(totals)).toEqual([['0xw', 'market_state_unknown']]);
  });

  test('holdings of another state, none, or held-back ones say nothing', () => {
    const cases: readonly [SetVault, string][] = [
      [{ ...known, holdings: undefined }, 'holdings_missing'],
      [made({ address: '0xv', at: [], held: { state_at: 1 } }), 'holdings_missing'],
      [{ ...known, isHeldBack: true }, 'held_back'],
      [
        made({
          address: '0xv',
          at: [],
          row: { total_assets: null, withdrawable_assets: null, state_at: null },
        }),
        'no_state',
      ],
    ];
    for (const [vault, gap] of cases) {
      const totals = totalsOf([vault]);
      expect(totals).toMatchObject({ total_assets_usd: null, withdrawable_usd: null, held_twice_usd: null });
      expect(totals.gaps).toContain(gap);
    }
  });

  test('a share price without totals is the reason for assets, whatever else the vault lacks', () => {
    const gaps = ['apy_history_missing', 'changes_unknown', 'price_unknown'];
    const priced = (more: readonly string[]) =>
      made({
        ...{ address: '0xe', kind: 'erc4626', at: [] },
        row: { total_assets: null, withdrawable_assets: null, gaps: [...gaps, ...more] },
      });
    expect(totalsOf([priced(['total_assets_unknown'])]).gaps).toEqual([
      'kind_unknown',
      'total_assets_unknown',
    ]);
    expect(totalsOf([priced(['decimals_unknown'])]).gaps).toEqual(['decimals_unknown', 'kind_unknown']);
  });

  test('positions that were not read may be another vault of the set', () => {
    const unread = made({
      ...{ address: '0xw', kind: 'morpho_v2', at: [{ in: '0xad', own: 5, is: 'unknown', isOther: true }] },
    });
    expect(totalsOf([unread])).toMatchObject({ total_assets_usd: 10, withdrawable_usd: 0 });
    const totals = totalsOf([known, unread]);
    expect(totals).toMatchObject({
      total_assets_usd: null,
      withdrawable_usd: 100,
      gaps: ['positions_missing'],
    });
  });

  test('a price makes dollars unknown and no other figure', () => {
    const totals = totalsOf([
      made({ address: '0xv', at: [{ in: 'a', own: 2, cash: 1 }], row: { asset_price_usd: null } }),
    ]);
    expect(totals).toMatchObject({ total_assets_usd: null, withdrawable_usd: null, gaps: ['price_unknown'] });
    expect(totals.assets[0]).toMatchObject({ total_assets: 2, withdrawable_assets: 1 });
  });

  test('a vault that was named and is not there, and a set without vaults, have no figures', () => {
    const missing = [{ chain: 'ethereum', vault_address: '0xz', gaps: ['vault_unknown'] }];
    const totals = vaultTotals({ vaults: [known], missing, gaps: [], vaultOf: () => undefined });
    expect(totals).toMatchObject({
      vaults: 1,
      total_assets_usd: null,
      withdrawable_usd: null,
      unknown_vaults: 1,
    });
    expect(totals.unknown).toEqual([{ chain: 'ethereum', vault_address: '0xz', gaps: ['vault_unknown'] }]);
    expect(totalsOf([])).toMatchObject({
      vaults: 0,
      total_assets_usd: null,
      gaps: ['no_vaults'],
      state_status: 'unknown',
    });
  });

  test('the status is that of the worst vault', () => {
    const stale = made({ address: '0xw', at: [], row: { state_status: 'stale' } });
    expect(totalsOf([known, stale]).state_status).toBe('stale');
  });
});

test('assets share nothing: each has its own part, and a vault in no registry belongs to the asset of its market', () => {
  const eth = { asset_address: '0xeth', asset_symbol: 'ETH', asset_price_usd: 1_000 };
  const nameless = { asset_address: null, asset_symbol: null };
  const totals = totalsOf([
    made({ address: '0xv', at: [{ in: 'a', own: 100, cash: 60 }] }),
    made({ address: '0xw', at: [{ in: 'e', own: 3, cash: 2 }], row: eth }),
    made({ address: '0xx', at: [{ in: 'a', own: 100, cash: 60 }], row: nameless }),
    made({ address: '0xy', at: [{ in: 'z', own: 1, cash: 1 }], row: nameless }),
  ]);
  expect(
    totals.assets.map(({ asset_symbol, vaults, withdrawable_assets }) => [
      asset_symbol,
      vaults,
      withdrawable_assets,
    ]),
  ).toEqual([
    ['USDC', 2, 60],
    ['ETH', 1, 2],
    [null, 1, 1],
  ]);
  expect(totals.withdrawable_usd).toBe(2_122);
});

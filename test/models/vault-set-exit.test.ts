// The exit of one holder from several vaults: worked cases, a vault inside another one, other assets and chains, and what is missing.
import { describe, expect, test } from 'vitest';
import type { ExitAmount } from '../../models/vault-exit.ts';
import type { SetVault } from '../../models/vault-flow.ts';
import { vaultSetExit } from '../../models/vault-set-exit.ts';
import { made, totalsOf } from './made-vaults.ts';

const KNOWN = { is_gated: false, coverage: 1, share_price: '1.25', flags: [] as string[] };
const own = (vault: Parameters<typeof made>[0], inside?: readonly SetVault[]) =>
  made({ ...vault, row: { ...KNOWN, ...vault.row } }, inside);
type Held = readonly [SetVault, number | null];
function exitOf(
  held: readonly Held[],
  others: readonly SetVault[] = [],
  unit: ExitAmount['unit'] = 'assets',
) {
  const all = new Map(
    [...held.map(([vault]) => vault), ...others].map((one) => [
      `${one.row.chain}|${one.row.vault_address}`,
      one,
    ]),
  );
  return vaultSetExit({
    positions: held.map(([vault, value]) => ({
      ...{ chain: vault.row.chain, vault_address: vault.row.vault_address, vault },
      amount: value === null ? null : { unit, value },
    })),
    vaultOf: (key) => all.get(key),
  });
}

/** A2: each could withdraw 80,000 of a market with 100,000 in cash. */
const market = { in: 'a', own: 80_000, cash: 100_000, supply: 400_000 };
const v1 = own({ address: '0xv', at: [market] });
const v2 = own({ address: '0xw', kind: 'morpho_v2', at: [market] });

describe('worked cases', () => {
  test('80,000 each, 100,000 together: the last one out gets 20,000, and the market binds', () => {
    const exit = exitOf([
      [v1, null],
      [v2, null],
    ]);
    expect(exit).toMatchObject({
      can_leave_at_once: false,
      ...{ position_usd: 320_000, held_twice_usd: 0, alone_sum_usd: 320_000 },
      ...{ together_usd: 200_000, shortfall_usd: 120_000, shared_usd: 80_000 },
      ...{ for_cash_usd: 120_000, for_allocator_usd: 0, unbacked_usd: 0, gaps: [], state_status: 'fresh' },
    });
    expect(exit.assets).toMatchObject([
      { chain: 'ethereum', asset_symbol: 'USDC', together_assets: 100_000, shortfall_assets: 60_000 },
    ]);
    expect(exit.vaults).toMatchObject([
      {
        subject: 'vault:ethereum:0xv',
        can_leave_at_once: true,
        alone_assets: 80_000,
        after_others_assets: 20_000,
      },
      {
        subject: 'vault:ethereum:0xw',
        can_leave_at_once: true,
        alone_usd: 160_000,
        after_others_usd: 40_000,
      },
    ]);
  });

  test('the market that limits them is named with what each could take', () => {
    const { shared } = exitOf([
      [v1, null],
      [v2, null],
    ]);
    expect(shared).toEqual([
      {
        ...{ kind: 'market', subject: 'market:ethereum:a', name: null, available_assets: 100_000 },
        claims: [
          { subject: 'vault:ethereum:0xv', assets: 80_000 },
          { subject: 'vault:ethereum:0xw', assets: 80_000 },
        ],
        binds: true,
      },
    ]);
  });

  test.each([
    [50_000, 50_000, true, 0, 50_000],
    [50_000, 50_001, false, 1, 50_000],
    [20_000, 80_000, true, 0, 80_000],
    [80_000, 19_999, true, 0, 19_999],
  ])('of positions of %s and %s', (a, b, canLeave, shortfall, last) => {
    const exit = exitOf([
      [v1, a],
      [v2, b],
    ]);
    expect(exit.can_leave_at_once).toBe(canLeave);
    expect(exit.assets[0]?.shortfall_assets).toBe(shortfall);
    expect(exit.vaults[1]?.after_others_assets).toBe(last);
    expect(exit.shared[0]?.binds).toBe(!canLeave);
  });

  test('one vault alone has the figures of its own exit', () => {
    const exit = exitOf([[v1, 40_000]]);
    expect(exit).toMatchObject({
      ...{ can_leave_at_once: true, position_usd: 80_000, together_usd: 80_000, shared_usd: 20_000 },
      ...{ shortfall_usd: 0, for_cash_usd: 0, shared: [], vaults: [{ after_others_assets: 40_000 }] },
    });
  });

  test('two positions in one market are one claim of it', () => {
    const vault = own({
      address: '0xv',
      at: [
        { in: 'a', own: 15_000, cash: 12_000 },
        { in: 'b', own: 0, cash: null },
      ],
    });
    expect(exitOf([[vault, null]])).toMatchObject({ together_usd: 24_000, for_cash_usd: 6_000, shared: [] });
  });

  test('a small vault counts as well, and vaults that share nothing add up', () => {
    const small = (address: string, amount: number, cash: number) =>
      own({ address, at: [{ in: address, own: amount, cash }] });
    const exit = exitOf([
      [small('0xv', 100_000, 30_000), null],
      [small('0xw', 200_000, 80_000), null],
      [small('0xd', 9_999, 9_999), null],
    ]);
    expect(exit.assets[0]).toMatchObject({
      position_assets: 309_999,
      together_assets: 119_999,
      shortfall_assets: 0,
    });
    expect(exit.vaults.map((one) => one.after_others_assets)).toEqual([9_999, 30_000, 80_000]);
  });

  test('what repayments free and what waits for an allocator, of the set', () => {
    const forceable = own({
      ...{ address: '0xw', kind: 'morpho_v2', idle: 50_000 },
      at: [
        { in: 'a', own: 400_000, cash: 300_000 },
        { in: 'b', own: 550_000, cash: 500_000, isOther: true },
      ],
    });
    const second = own({ address: '0xx', at: [{ in: 'a', own: 100_000, cash: 300_000 }] });
    expect(
      exitOf([
        [forceable, null],
        [second, null],
      ]).assets[0],
    ).toMatchObject({
      ...{ position_assets: 1_100_000, alone_sum_assets: 450_000, together_assets: 350_000 },
      ...{
        shortfall_assets: 100_000,
        for_cash_assets: 200_000,
        for_allocator_assets: 550_000,
        unbacked_assets: 0,
      },
    });
  });

  test('a market that reports more than it has limits the set to what is not lent', () => {
    const lender = (address: string, amount: number) =>
      own({ address, at: [{ in: 'm', own: amount, cash: 0.45, supply: 5.11 }] });
    const exit = exitOf([
      [lender('0xv', 3), null],
      [lender('0xw', 2.11), null],
    ]);
    expect(exit.assets[0]).toMatchObject({
      together_assets: 0.45,
      alone_sum_assets: 0.9,
      shortfall_assets: 0.45,
    });
  });
});

describe('a V1 vault inside a V2 vault', () => {
  const lent = { in: 'a', own: 900, cash: 500, supply: 1_800 };
  const inner = own({ address: '0xv', at: [lent] });
  const outer = own(
    {
      ...{ address: '0xw', kind: 'morpho_v2', idle: 10, at: [{ in: '0xv', own: 300, is: 'vault' }] },
      row: { withdrawable_shared_assets: 10 + 250 / 3 },
    },
    [inner],
  );

  test('all of both: assets and cash count once, as in their totals', () => {
    const exit = exitOf([
      [outer, null],
      [inner, null],
    ]);
    expect(exit.assets[0]).toMatchObject({
      ...{ position_assets: 910, held_twice_assets: 300, alone_sum_assets: 810, together_assets: 510 },
      ...{ shared_assets: 260, for_cash_assets: 400, for_allocator_assets: 0, unbacked_assets: 0 },
    });
    expect(exit.together_usd).toBe(totalsOf([outer, inner]).withdrawable_usd);
    expect(exit.shared.map(({ subject, binds }) => [subject, binds])).toEqual([
      ['market:ethereum:a', true],
      ['vault:ethereum:0xv', true],
    ]);
  });

  test('shares of the inner vault that the outer one does not hold are no part of it', () => {
    const exit = exitOf([
      [outer, null],
      [inner, 600],
    ]);
    expect(exit.assets[0]).toMatchObject({
      position_assets: 910,
      held_twice_assets: 0,
      together_assets: 510,
    });
    expect(
      exitOf([
        [outer, 100],
        [inner, 601],
      ]).assets[0],
    ).toMatchObject({
      ...{ position_assets: 611 + 90, held_twice_assets: 0 },
    });
  });

  test('two holders of a vault outside of the set share what it has', () => {
    const second = own({ address: '0xx', kind: 'morpho_v2', at: [{ in: '0xv', own: 400, is: 'vault' }] }, [
      inner,
    ]);
    const exit = exitOf(
      [
        [outer, null],
        [second, null],
      ],
      [inner],
    );
    expect(exit.assets[0]).toMatchObject({
      alone_sum_assets: 710,
      together_assets: 510,
      shortfall_assets: 200,
    });
    expect(exit.shared).toMatchObject([
      { kind: 'market', available_assets: 500, claims: [{ assets: 300 }, { assets: 400 }], binds: true },
      { kind: 'vault', available_assets: 500, claims: [{ assets: 300 }, { assets: 400 }], binds: true },
    ]);
  });

  test('without the inner vault nothing of the set is known', () => {
    const other = own({ address: '0xy', at: [market] });
    const exit = exitOf([
      [outer, null],
      [other, null],
    ]);
    expect(exit).toMatchObject({ can_leave_at_once: null, together_usd: null, position_usd: null });
    expect(exit.gaps).toEqual(['market_state_unknown', 'positions_missing']);
    expect(exit.vaults[1]).toMatchObject({ alone_assets: 80_000, after_others_assets: null, gaps: [] });
  });
});

describe('other assets and chains', () => {
  const weth = own({
    address: '0xe',
    at: [{ in: 'e', own: 10, cash: 4 }],
    row: { asset_address: '0xweth', asset_symbol: 'WETH', asset_price_usd: 2_000 },
  });
  const base = (vault: SetVault): SetVault => ({
    ...vault,
    row: { ...vault.row, chain: 'base' },
    holdings: vault.holdings && { ...vault.holdings, chain: 'base' },
  });

  test('assets are not added up, dollars are', () => {
    const exit = exitOf([
      [v1, null],
      [weth, null],
    ]);
    expect(exit.assets.map((one) => [one.asset_symbol, one.together_assets])).toEqual([
      ['WETH', 4],
      ['USDC', 80_000],
    ]);
    expect(exit).toMatchObject({ together_usd: 168_000, for_cash_usd: 12_000, can_leave_at_once: false });
  });

  test('a market of the same id on another chain has its own cash', () => {
    const exit = exitOf([
      [v1, null],
      [base(v1), null],
    ]);
    expect(exit).toMatchObject({
      together_usd: 320_000,
      shortfall_usd: 0,
      shared: [],
      can_leave_at_once: true,
    });
    expect(exit.assets.map(({ chain }) => chain)).toEqual(['base', 'ethereum']);
  });

  test('without the price of one asset, its units are known and no sum in dollars', () => {
    const unpriced = own({
      address: '0xu',
      at: [{ in: 'u', own: 10, cash: 4 }],
      row: { asset_address: '0xu', asset_price_usd: null },
    });
    const exit = exitOf([
      [v1, null],
      [unpriced, null],
    ]);
    expect(exit).toMatchObject({ together_usd: null, gaps: ['price_unknown'] });
    expect(exit.assets).toMatchObject([
      { together_assets: 4, together_usd: null, gaps: ['price_unknown'] },
      { together_assets: 80_000, together_usd: 160_000, gaps: [] },
    ]);
  });
});

describe('what is not known', () => {
  test('with a vault that is held back, what leaves together is not known of its asset, or of its chain', () => {
    for (const vault of [undefined, { ...v2, isHeldBack: true }]) {
      const exit = vaultSetExit({
        positions: [
          { chain: 'ethereum', vault_address: '0xv', vault: v1, amount: null },
          { chain: 'ethereum', vault_address: '0xw', vault, amount: null },
        ],
        vaultOf: () => undefined,
      });
      expect(exit).toMatchObject({
        ...{ can_leave_at_once: null, together_usd: null, position_usd: null, state_status: 'unknown' },
        ...{ gaps: ['held_back'], assets: [{ together_assets: null, gaps: ['held_back'] }] },
      });
      expect(exit.vaults[1]).toMatchObject({
        subject: 'vault:ethereum:0xw',
        alone_assets: null,
        gaps: ['held_back'],
      });
    }
  });

  test('a gate, a state that is not fresh and sources that disagree leave the verdict open, not the amounts', () => {
    for (const [row, gap] of [
      [{ is_gated: true }, 'gated'],
      [{ is_gated: null }, 'gates_unknown'],
      [{ state_status: 'stale' }, 'state_not_fresh'],
      [{ gaps: ['sources_disagree'] as string[] }, 'sources_disagree'],
    ] as const) {
      const doubtful = own({ address: '0xw', kind: 'morpho_v2', at: [market], row });
      expect(
        exitOf([
          [v1, 1_000],
          [doubtful, 1_000],
        ]),
      ).toMatchObject({ can_leave_at_once: null, together_usd: 4_000, gaps: [gap] });
    }
  });

  test('without a share price shares are nothing that leaves', () => {
    const none = own({ address: '0xw', at: [market], row: { share_price: null } });
    const exit = exitOf(
      [
        [v1, 80],
        [none, 80],
      ],
      [],
      'shares',
    );
    expect(exit).toMatchObject({ together_usd: null, position_usd: null, gaps: ['share_price_unknown'] });
    expect(exit.vaults[0]).toMatchObject({ position: { assets: 100 }, alone_assets: 100 });
  });

  test('positions that were not read may be another vault of the set', () => {
    const unread = own({
      ...{ address: '0xw', kind: 'morpho_v2' },
      at: [market, { in: '0xad', own: 5, is: 'unknown', isOther: true }],
    });
    const exit = exitOf([
      [v1, null],
      [unread, null],
    ]);
    expect(exit.assets[0]).toMatchObject({
      ...{ together_assets: 100_000, position_assets: null, held_twice_assets: null, shared_assets: null },
      ...{ for_cash_assets: 60_000, for_allocator_assets: null, gaps: ['positions_missing'] },
    });
  });
});

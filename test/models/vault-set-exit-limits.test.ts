// Properties of exits from several vaults, over random vaults and positions: the smallest cut of an independent model, limits, order, further
// positions, parts that add up, what binds, and what is taken away.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SetVault } from '../../models/vault-flow.ts';
import { vaultSetExit } from '../../models/vault-set-exit.ts';
import type { VaultSetExit } from '../../schemas/vault-set-exit.ts';
import type { Vault } from '../../schemas/vaults.ts';
import { figures } from './made-vaults.ts';
import { WORLD, worldOf } from './vault-worlds.ts';

const CASE = fc.record({
  world: WORLD,
  /** Which vaults have a position, as bits, and the size of each. */
  choice: fc.nat(31),
  sizes: fc.array(fc.option(fc.nat(40)), { minLength: 5, maxLength: 5 }),
  /** Quoted beyond what backs it. */
  unbacked: fc.constantFrom(0, 0, 3),
});
type Case = typeof CASE extends fc.Arbitrary<infer C> ? C : never;
interface Held {
  readonly vault: SetVault;
  readonly assets: number;
}

function heldIn({ world, choice, sizes, unbacked }: Case) {
  const all = worldOf(world).all.map(({ row, ...rest }): SetVault => {
    const more: Partial<Vault> = { is_gated: false, share_price: '1', flags: [], coverage: 1 };
    return { ...rest, row: { ...row, ...more, total_assets: (row.total_assets ?? 0) + unbacked } };
  });
  const held = all.flatMap((vault, index): Held[] => {
    const total = vault.row.total_assets ?? 0;
    const assets = Math.min(total, sizes[index] ?? total);
    return Math.floor(choice / 2 ** index) % 2 === 1 && assets > 0 ? [{ vault, assets }] : [];
  });
  fc.pre(held.length > 0);
  return { all, held };
}

function exitOf(held: readonly Held[], all: readonly SetVault[]): VaultSetExit {
  const byKey = new Map(all.map((one) => [`ethereum|${one.row.vault_address}`, one]));
  return vaultSetExit({
    positions: held.map(({ vault, assets: value }) => ({
      ...{
        chain: 'ethereum',
        vault_address: vault.row.vault_address,
        vault: byKey.get(`ethereum|${vault.row.vault_address}`),
      },
      amount: { unit: 'assets' as const, value },
    })),
    vaultOf: (key) => byKey.get(key),
  });
}

/** What leaves, as the smallest capacity that separates the positions from the cash: an independent way to the same number. */
function smallestCut(
  held: readonly Held[],
  all: readonly SetVault[],
  more: Readonly<Record<string, number>> = {},
): number {
  const cash = new Map<string, number>();
  for (const { holdings } of all)
    for (const { held_kind, held: market, market_cash } of holdings?.holdings ?? [])
      if (held_kind === 'market') cash.set(market, (market_cash ?? 0) + (more[market] ?? 0));
  const markets = [...cash.keys()];
  let least = Number.POSITIVE_INFINITY;
  for (let side = 0; side < 2 ** (all.length + markets.length); side++) {
    const isNear = (index: number) => Math.floor(side / 2 ** index) % 2 === 1;
    const isMarketNear = (market: string) => isNear(all.length + markets.indexOf(market));
    const vaultAt = (address: string) => all.findIndex(({ row }) => row.vault_address === address);
    let cut = markets.reduce((sum, market) => sum + (isMarketNear(market) ? (cash.get(market) ?? 0) : 0), 0);
    for (const { vault, assets } of held) if (!isNear(vaultAt(vault.row.vault_address))) cut += assets;
    for (const [index, { row, holdings }] of all.entries()) {
      if (!isNear(index)) continue;
      cut += row.idle_assets ?? 0;
      for (const one of holdings?.holdings ?? []) {
        if (one.is_liquidity !== true && one.queue_index === null) continue;
        const isInside = one.held_kind === 'market' ? isMarketNear(one.held) : isNear(vaultAt(one.held));
        if (!isInside) cut += one.assets ?? 0;
      }
    }
    least = Math.min(least, cut);
  }
  return least;
}

const only = ({ assets }: VaultSetExit) => {
  const sum = (name: 'together_assets' | 'alone_sum_assets' | 'position_assets' | 'shortfall_assets') =>
    assets.reduce((total, one) => total + (one[name] ?? Number.NaN), 0);
  return {
    together: sum('together_assets'),
    alone: sum('alone_sum_assets'),
    position: sum('position_assets'),
    shortfall: sum('shortfall_assets'),
  };
};

test('what leaves together, and what is left after the others, are smallest cuts', () => {
  fc.assert(
    fc.property(CASE, (world) => {
      const { all, held } = heldIn(world);
      const exit = exitOf(held, all);
      const whole = smallestCut(held, all);
      expect(only(exit).together).toBe(whole);
      for (const { vault, assets } of held) {
        const row = exit.vaults.find(({ subject }) => subject.endsWith(vault.row.vault_address));
        expect(row?.alone_assets).toBe(smallestCut([{ vault, assets }], all));
        const others = held.filter((one) => one.vault !== vault);
        expect(row?.after_others_assets).toBe(whole - smallestCut(others, all));
      }
    }),
    { numRuns: 100 },
  );
});

test('a market binds if, and only if, a further unit of cash lets a further unit leave', () => {
  fc.assert(
    fc.property(CASE, (world) => {
      const { all, held } = heldIn(world);
      const exit = exitOf(held, all);
      const whole = smallestCut(held, all);
      for (const { kind, subject, binds, claims } of exit.shared) {
        expect(claims.length).toBeGreaterThan(1);
        const market = subject.replace('market:ethereum:', '');
        if (kind === 'market') expect(binds).toBe(smallestCut(held, all, { [market]: 1 }) > whole);
      }
      if (only(exit).shortfall > 0) expect(exit.shared.some(({ binds }) => binds === true)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('limits: the sum of the positions, what each could take alone, and all cash; parts add up to the position, to the cent', () => {
  fc.assert(
    fc.property(CASE, (world) => {
      const { all, held } = heldIn(world);
      const exit = exitOf(held, all);
      const { together, alone, position } = only(exit);
      const idle = all.reduce((sum, { row }) => sum + (row.idle_assets ?? 0), 0);
      expect(together).toBeLessThanOrEqual(alone);
      expect(together).toBeLessThanOrEqual(position);
      expect(position).toBeLessThanOrEqual(held.reduce((sum, { assets }) => sum + assets, 0));
      expect(together).toBeLessThanOrEqual(world.world.cashes.reduce((sum, one) => sum + one, 0) + idle);
      for (const one of [exit, ...exit.assets]) {
        const parts = [one.together_usd, one.for_cash_usd, one.for_allocator_usd, one.unbacked_usd].map(
          Number,
        );
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(one.position_usd ?? -1, 6);
        expect(Number(one.shared_usd)).toBeLessThanOrEqual(Number(one.together_usd));
      }
      for (const { alone_assets, after_others_assets, position: own } of exit.vaults) {
        expect(after_others_assets).toBeLessThanOrEqual(alone_assets ?? -1);
        expect(alone_assets).toBeLessThanOrEqual(own.assets ?? -1);
      }
      expect(exit.can_leave_at_once).toBe(together >= position);
    }),
    { numRuns: 200 },
  );
});

test('order changes nothing; a further position or a larger one lowers nothing; all of the vaults have their totals', () => {
  fc.assert(
    fc.property(CASE, fc.nat(4), (world, cut) => {
      const { all, held } = heldIn(world);
      const exit = exitOf(held, all);
      expect(exitOf(held.toReversed(), all.toReversed())).toEqual(exit);
      const fewer = held.toSpliced(cut % held.length, 1);
      if (fewer.length > 0)
        expect(only(exitOf(fewer, all)).together).toBeLessThanOrEqual(only(exit).together);
      const larger = held.map(({ vault, assets }, index) => ({
        vault,
        assets: index === cut % held.length ? (vault.row.total_assets ?? 0) : assets,
      }));
      expect(only(exit).together).toBeLessThanOrEqual(only(exitOf(larger, all)).together);
      const whole = held.map(({ vault }) => ({ vault, assets: vault.row.total_assets ?? 0 }));
      const totals = figures(
        whole.map(({ vault }) => vault),
        all,
      );
      const { together, position } = only(exitOf(whole, all));
      expect(together).toBeCloseTo(totals.withdrawable ?? -1, 9);
      expect(position).toBeCloseTo(totals.total ?? -1, 9);
    }),
    { numRuns: 200 },
  );
});

const without =
  (name: keyof Vault) =>
  (vault: SetVault): SetVault => ({ ...vault, row: { ...vault.row, [name]: null } });
const REMOVALS: readonly ((vault: SetVault) => SetVault | undefined)[] = [
  () => undefined,
  (vault) => ({ ...vault, isHeldBack: true }),
  (vault) => ({ ...vault, holdings: undefined }),
  ...(['withdrawable_assets', 'withdrawable_shared_assets', 'total_assets'] as const).map(without),
  ...(['asset_price_usd', 'is_gated', 'asset_address'] as const).map(without),
  (vault) => ({ ...vault, row: { ...vault.row, state_status: 'unverifiable' } }),
  ({ holdings, ...rest }) => ({ ...rest, holdings: holdings && { ...holdings, is_complete: false } }),
  ({ holdings, ...rest }) => ({
    ...rest,
    holdings: holdings && {
      ...holdings,
      holdings: holdings.holdings.map((one) => ({ ...one, market_cash: null })),
    },
  }),
  ({ holdings, ...rest }) => ({
    ...rest,
    holdings: holdings && {
      ...holdings,
      holdings: holdings.holdings.map((one) => ({ ...one, assets: null })),
    },
  }),
];

test('taking an input away never makes a figure known or other, or the verdict better, and every null has its gap', () => {
  fc.assert(
    fc.property(CASE, fc.constantFrom(...REMOVALS), fc.nat(4), (world, removal, at) => {
      const { all, held } = heldIn(world);
      const removed = all[at % all.length];
      const rest = all.flatMap((one) => (one === removed ? (removal(one) ?? []) : [one]));
      const whole = exitOf(held, all);
      const lacking = exitOf(held, rest);
      for (const [name, value] of Object.entries(whole)) {
        const other = lacking[name as keyof VaultSetExit];
        if (name.endsWith('_usd') || name === 'can_leave_at_once') expect([null, value]).toContain(other);
        if (name.endsWith('_usd') && other === null) expect(lacking.gaps).not.toEqual([]);
      }
      for (const [index, vault] of whole.vaults.entries())
        for (const name of ['alone_assets', 'alone_usd', 'after_others_assets', 'can_leave_at_once'] as const)
          expect([null, vault[name]]).toContain(lacking.vaults[index]?.[name]);
      for (const one of lacking.shared) {
        const before = whole.shared.find(({ subject }) => subject === one.subject);
        expect([null, before?.binds]).toContain(one.binds);
      }
    }),
    { numRuns: 400 },
  );
});

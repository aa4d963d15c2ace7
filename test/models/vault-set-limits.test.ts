// Properties of sets of vaults: the smallest cut as an independent model, limits, order, and what is taken away.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SetVault } from '../../models/vault-flow.ts';
import { figures, totalsOf } from './made-vaults.ts';
import { WORLD, worldOf } from './vault-worlds.ts';

/** The smallest cut over all choices of which vaults and markets are on the side of the vaults. */
function smallestCut(chosen: readonly SetVault[], inner: readonly SetVault[]): number {
  const isChosen = (name: string) => chosen.some(({ row }) => row.vault_address === name);
  const nodes = [...new Set([...chosen, ...inner].map((one) => one))];
  let least = Number.POSITIVE_INFINITY;
  for (let choice = 0; choice < 2 ** (nodes.length + 3); choice++) {
    const isNear = (index: number) => Math.floor(choice / 2 ** index) % 2 === 1;
    const isMarketNear = (name: string) => isNear(nodes.length + Number(name));
    let cut = 0;
    const counted = new Set<string>();
    nodes.forEach(({ row, holdings }, index) => {
      if (isChosen(row.vault_address) && !isNear(index)) cut += row.withdrawable_assets ?? 0;
      for (const { held, held_kind, assets, market_cash, is_liquidity, queue_index } of holdings?.holdings ??
        []) {
        if (held_kind === 'market' && isMarketNear(held) && !counted.has(held)) {
          counted.add(held);
          cut += market_cash ?? 0;
        }
        const isReached = is_liquidity === true || queue_index !== null;
        if (!isNear(index) || !isReached) continue;
        const to = held_kind === 'market' ? -1 : nodes.findIndex((one) => one.row.vault_address === held);
        if (held_kind === 'market' && !isMarketNear(held)) cut += assets ?? 0;
        if (to >= 0 && !isNear(to) && !isChosen(held)) cut += assets ?? 0;
      }
      if (isNear(index)) cut += row.idle_assets ?? 0;
    });
    least = Math.min(least, cut);
  }
  return least;
}

test('what could be withdrawn is the smallest cut between the vaults and the cash', () => {
  fc.assert(
    fc.property(WORLD, fc.nat(31), (world, choice) => {
      const { inner, all } = worldOf(world);
      const chosen = all.filter((_, index) => Math.floor(choice / 2 ** index) % 2 === 1);
      fc.pre(chosen.length > 0);
      expect(figures(chosen, all).withdrawable).toBe(smallestCut(chosen, inner));
    }),
    { numRuns: 150 },
  );
});

test('limits: total assets, the cash of all markets, and the sum of the vaults; order changes nothing, and a further vault lowers nothing', () => {
  fc.assert(
    fc.property(WORLD, fc.nat(4), (world, cut) => {
      const { all } = worldOf(world);
      const set = figures(all, all);
      const alone = all.map((one) => figures([one], all).withdrawable ?? Number.NaN);
      const idle = all.reduce((sum, { row }) => sum + (row.idle_assets ?? 0), 0);
      const cash = world.cashes.reduce((sum, one) => sum + one, 0);
      expect(set.withdrawable).toBeLessThanOrEqual(set.total ?? -1);
      expect(set.withdrawable).toBeLessThanOrEqual(cash + idle);
      expect(set.withdrawable).toBeLessThanOrEqual(alone.reduce((sum, one) => sum + one, 0));
      expect(totalsOf(all.toReversed(), all)).toEqual(totalsOf(all, all));
      const fewer = figures(all.toSpliced(cut % all.length, 1), all);
      if (all.length > 1) {
        expect(fewer.withdrawable).toBeLessThanOrEqual(set.withdrawable ?? -1);
        expect(fewer.total).toBeLessThanOrEqual((set.total ?? -1) + 1e-9);
      }
    }),
    { numRuns: 200 },
  );
});

test('taking an input away never makes a figure known or larger', () => {
  const removals: readonly ((vault: SetVault) => SetVault)[] = [
    (vault) => ({ ...vault, holdings: undefined }),
    (vault) => ({ ...vault, isHeldBack: true }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, withdrawable_assets: null } }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, total_assets: null } }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, asset_price_usd: null } }),
    ({ row, ...rest }) => ({ ...rest, row: { ...row, unrealised_bad_debt_low_usd: null } }),
    ({ holdings, ...rest }) => ({
      ...rest,
      holdings: holdings && {
        ...holdings,
        holdings: holdings.holdings.map((one) => ({ ...one, market_cash: null })),
      },
    }),
  ];
  fc.assert(
    fc.property(WORLD, fc.nat(4), fc.constantFrom(...removals), (world, index, removal) => {
      const { all } = worldOf(world);
      const whole = totalsOf(all, all);
      const lacking = totalsOf(all.map((one, at) => (at === index % all.length ? removal(one) : one)));
      for (const name of ['total_assets_usd', 'withdrawable_usd', 'unrealised_bad_debt_low_usd'] as const)
        expect([null, whole[name]]).toContain(lacking[name]);
      for (const gap of whole.gaps) expect(lacking.gaps).toContain(gap);
    }),
    { numRuns: 150 },
  );
});

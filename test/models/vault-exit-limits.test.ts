// Properties of exits from vaults: monotone in the amount, never more than there is, parts that add up, and what is taken away.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { vaultExit } from '../../models/vault-exit.ts';
import type { SetVault } from '../../models/vault-flow.ts';
import type { VaultExit } from '../../schemas/vault-exit.ts';
import type { Vault } from '../../schemas/vaults.ts';
import { figures } from './made-vaults.ts';
import { WORLD, worldOf } from './vault-worlds.ts';

const oracles = { marketOf: () => ({ state: undefined, path: undefined }), hasPaths: false };
const exitOf = (vault: SetVault, value: number, all: readonly SetVault[]) =>
  vaultExit({
    ...{ vault, amount: { unit: 'assets' as const, value }, oracles },
    vaultOf: (key) => all.find(({ row }) => key === `ethereum|${row.vault_address}`),
  });

const MORE = fc.record({
  coverage: fc.constantFrom(1, 0.9, 0.5),
  unrealised_bad_debt_low_usd: fc.nat(10),
  force_penalty: fc.constantFrom(0, 0.02),
});
const CASE = fc.record({
  world: WORLD,
  at: fc.nat(4),
  more: MORE,
  amounts: fc.tuple(fc.nat(40), fc.nat(40)),
});
type Case = typeof CASE extends fc.Arbitrary<infer C> ? C : never;

function caseOf({ world, at, more, amounts }: Case) {
  const all = worldOf(world).all.map(({ row, ...rest }): SetVault => {
    const other = (rest.holdings?.holdings ?? []).filter(({ is_liquidity }) => is_liquidity === false);
    const out = other.reduce((sum, one) => sum + Math.min(one.assets ?? 0, one.market_cash ?? 0), 0);
    const known: Partial<Vault> = {
      ...{ is_gated: false, share_price: '1', flags: [], force_withdrawable_assets: out, ...more },
      unrealised_bad_debt_high_usd: more.unrealised_bad_debt_low_usd * 2,
    };
    return { ...rest, row: { ...row, ...known } };
  });
  const vault = all[at % all.length] as SetVault;
  const total = vault.row.total_assets ?? 0;
  const [less, larger] = amounts.map((one) => Math.min(one, total)).toSorted((a, b) => a - b);
  return { all, vault, total, less: less ?? 0, larger: larger ?? 0 };
}

/** Amounts that grow with the position. */
const growing = ({ at_once, waits, forced, worth }: VaultExit): readonly number[] =>
  [
    ...[at_once.alone_assets, at_once.shared_assets, at_once.last_assets, forced.penalty_assets],
    ...[waits.for_cash_assets, (waits.for_allocator_assets ?? 0) + (waits.unbacked_assets ?? 0)],
    ...[worth.low_assets, worth.high_assets, worth.last_low_assets, worth.last_high_assets],
  ].map(Number);

test('no amount falls as the position grows, and none is more than what there is', () => {
  fc.assert(
    fc.property(CASE, (world) => {
      const { all, vault, less, larger } = caseOf(world);
      fc.pre(less > 0);
      const [small, large] = [exitOf(vault, less, all), exitOf(vault, larger, all)];
      const after = growing(large);
      for (const [index, amount] of growing(small).entries())
        expect(amount).toBeLessThanOrEqual((after[index] ?? -1) + 1e-9);
      const limit = figures([vault], all).withdrawable ?? -1;
      for (const exit of [small, large]) {
        const { alone_assets: alone, shared_assets: shared, last_assets: last } = exit.at_once;
        expect(alone).toBeLessThanOrEqual(limit);
        expect(shared).toBeLessThanOrEqual(alone ?? -1);
        expect(last).toBeLessThanOrEqual(alone ?? -1);
        expect(exit.can_leave_at_once).toBe((alone ?? -1) >= (exit.position.assets ?? 0));
      }
    }),
    { numRuns: 200 },
  );
});

test('what leaves and what waits add up to the position, to the cent; what is forced is part of what waits; losses have an interval', () => {
  fc.assert(
    fc.property(CASE, (world) => {
      const { all, vault, larger } = caseOf(world);
      fc.pre(larger > 0);
      const { position, at_once, waits, forced, worth } = exitOf(vault, larger, all);
      const waiting = [waits.for_cash_assets, waits.for_allocator_assets, waits.unbacked_assets].map(Number);
      const sum = waiting.reduce((total, one) => total + one, 0);
      expect(Number(at_once.alone_assets) + sum).toBeCloseTo(larger, 9);
      expect(Math.min(...waiting)).toBeGreaterThanOrEqual(0);
      const dollars = [waits.for_cash_usd, waits.for_allocator_usd, waits.unbacked_usd].map(Number);
      expect(dollars.reduce((total, one) => total + one, Number(at_once.alone_usd))).toBeCloseTo(
        position.usd ?? -1,
        6,
      );
      expect(Number(forced.assets) + Number(forced.penalty_assets)).toBeLessThanOrEqual(sum + 1e-9);
      const {
        low_assets: low,
        high_assets: high,
        last_low_assets: lastLow,
        last_high_assets: lastHigh,
      } = worth;
      expect(low).toBeLessThanOrEqual(high ?? -1);
      expect(lastLow).toBeLessThanOrEqual(Math.min(low ?? -1, lastHigh ?? -1) + 1e-9);
      expect(high).toBeLessThanOrEqual(larger);
    }),
    { numRuns: 200 },
  );
});

test('all of the vault has all of its figures', () => {
  fc.assert(
    fc.property(CASE, (world) => {
      const { all, vault, total } = caseOf(world);
      fc.pre(total > 0);
      const { at_once, worth } = exitOf(vault, total, all);
      expect(at_once.last_assets).toBe(at_once.alone_assets);
      expect(at_once.alone_assets).toBe(figures([vault], all).withdrawable);
      expect(worth.last_low_assets).toBeCloseTo(worth.low_assets ?? -1, 9);
    }),
    { numRuns: 100 },
  );
});

const without =
  (name: keyof Vault) =>
  (vault: SetVault): SetVault => ({
    ...vault,
    row: { ...vault.row, [name]: null },
  });
const REMOVALS: readonly ((vault: SetVault) => SetVault)[] = [
  (vault) => ({ ...vault, holdings: undefined }),
  ...(
    [
      ...([
        'withdrawable_assets',
        'withdrawable_shared_assets',
        'total_assets',
        'asset_price_usd',
        'coverage',
      ] as const),
      ...(['is_gated', 'force_withdrawable_assets', 'force_penalty', 'unrealised_bad_debt_low_usd'] as const),
      ...(['unrealised_bad_debt_high_usd', 'share_price'] as const),
    ] as const
  ).map(without),
  (vault) => ({ ...vault, row: { ...vault.row, state_status: 'unverifiable' } }),
  ({ holdings, ...rest }) => ({
    ...rest,
    holdings: holdings && {
      ...holdings,
      holdings: holdings.holdings.map((one) => ({ ...one, market_cash: null })),
    },
  }),
  ({ holdings, ...rest }) => ({ ...rest, holdings: holdings && { ...holdings, is_complete: false } }),
];

test('taking an input away never makes a figure known or other, the verdict better, or a gap go away', () => {
  fc.assert(
    fc.property(CASE, fc.constantFrom(...REMOVALS), (world, removal) => {
      const { all, vault, larger } = caseOf(world);
      fc.pre(larger > 0);
      const whole = exitOf(vault, larger, all);
      const lacking = exitOf(removal(vault), larger, all);
      for (const block of ['at_once', 'waits', 'worth'] as const)
        for (const [name, amount] of Object.entries(lacking[block]))
          expect([null, whole[block][name as never]]).toContain(amount);
      expect([null, whole.forced.assets]).toContain(lacking.forced.assets);
      expect([null, whole.can_leave_at_once]).toContain(lacking.can_leave_at_once);
      for (const gap of whole.gaps) expect(lacking.gaps).toContain(gap);
    }),
    { numRuns: 300 },
  );
});

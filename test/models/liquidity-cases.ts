// Made-up markets for tests of how holders share liquidity: as input of the simulator, and random ones whose amounts do not contradict
// each other.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Loan, Position, SimulatedMarket, SimulationInput } from '../../models/simulator/inputs.ts';
import { type Outcome, simulate } from '../../models/simulator/simulate.ts';
import type { Holding, LiquidityCase } from './pro-rata-shares.ts';

export const MARKET = 'ethereum:m';
const VAULT = 'ethereum:v';

export const share = fc.double({ min: 0, max: 1, noNaN: true });
export const part = fc.double({ min: 0.01, max: 1, noNaN: true });

export const keyOf = (index: number): string => `p${String(index).padStart(3, '0')}`;

/** A market whose oracle does not see that its collateral covers only a part of the debts, and a vault in it. */
export function inputOf(one: LiquidityCase, isFirst = false): SimulationInput {
  const { covered, leftByRun, vault } = one;
  return {
    shocks: [
      { kind: 'price', subject: 'XUSD', path: [[0, covered / 1.25]] },
      { kind: 'withdrawable', subject: MARKET, path: [[0, leftByRun]] },
      { kind: 'vault_outflow', subject: VAULT, path: [[0, vault.leftByOutflow]] },
    ],
    betas: null,
    depths: new Map(),
    markets: [marketOf(one, 'hardcoded')],
    vaults: [
      {
        id: VAULT,
        asset: 'USDC',
        holdings: [{ market: MARKET, usd: vault.held }],
        idle_usd: vault.idle,
        unknown_usd: 0,
      },
    ],
    positions: one.positions.map(
      ({ kind, usd }, index): Position =>
        kind === 'supply'
          ? { key: keyOf(index), kind, market: MARKET, usd }
          : { key: keyOf(index), kind, vault: VAULT, usd },
    ),
    horizon_hours: 0,
    first_to_leave: isFirst,
  };
}

export function marketOf(
  { supplied, borrowed, free }: LiquidityCase,
  oracle: Loan['oracle'],
): SimulatedMarket {
  return {
    id: MARKET,
    asset: 'USDC',
    supplied_usd: supplied,
    borrowed_usd: borrowed,
    withdrawable_usd: free,
    curve: null,
    reserve_factor: null,
    collateral: null,
    loans: [
      {
        market: MARKET,
        rules: 'morpho-blue',
        oracle,
        collateral: [
          { asset: 'XUSD', usd: borrowed * 1.25, threshold: 0.915, bonus: 0.026, protocol_fee: 0 },
        ],
        debt: [{ asset: 'USDC', usd: borrowed, market: MARKET }],
      },
    ],
  };
}

const shares = fc.record({
  supplied: fc.double({ min: 1_000, max: 1e9, noNaN: true }),
  borrowed: share,
  free: share,
  covered: share,
  leftByRun: share,
  direct: share,
  held: part,
  idle: share,
  leftByOutflow: share,
  ofVault: share,
  parts: fc.array(fc.record({ kind: fc.constantFrom('supply', 'vault'), weight: part }), {
    minLength: 1,
    maxLength: 6,
  }),
});

/** The positions and the vault are parts of the supply. */
export const liquidityCase: fc.Arbitrary<LiquidityCase> = shares.map(({ supplied, parts, ...one }) => {
  const borrowed = supplied * one.borrowed;
  const direct = supplied * one.direct * 0.999;
  const vault = { held: (supplied - direct) * one.held, idle: supplied * one.idle };
  const amounts = { supply: direct, vault: (vault.held + vault.idle) * one.ofVault };
  const weightOf = (of: string) =>
    parts.reduce((sum, { kind, weight }) => sum + (kind === of ? weight : 0), 0);
  return {
    supplied,
    borrowed,
    free: (supplied - borrowed) * one.free,
    covered: one.covered,
    leftByRun: one.leftByRun,
    vault: { ...vault, leftByOutflow: one.leftByOutflow },
    positions: parts.map(({ kind, weight }) => ({
      kind,
      usd: (amounts[kind] * weight) / weightOf(kind) + 1e-6,
    })),
  };
});

/** What each position holds at the end. */
export const holdingsOf = (outcome: Outcome): readonly Holding[] =>
  [...outcome.positions.values()].map(({ after }) => ({
    value: after.value_usd,
    withdrawable: after.withdrawable_usd,
  }));

export const totalOf = (holdings: readonly Holding[]): Holding => ({
  value: holdings.reduce((sum, { value }) => sum + value, 0),
  withdrawable: holdings.reduce((sum, { withdrawable }) => sum + withdrawable, 0),
});

/** What all positions hold together. */
export const totalIn = (one: LiquidityCase, isFirst = false): Holding =>
  totalOf(holdingsOf(simulate(inputOf(one, isFirst))));

export function expectNear(actual: number | undefined, expected: number | undefined, scale: number): void {
  expect(Math.abs((actual ?? Number.NaN) - (expected ?? Number.NaN))).toBeLessThanOrEqual(1e-8 * scale);
}

// The value of a pool's shares when the prices of its coins move and arbitrage keeps the pool at the market.
import { balancesAt, stableCurve, worthsAt } from '../stable-curve.ts';
import type { PoolShares } from './inputs.ts';

/** Value of the pool's shares, as a factor on the initial value, for the price factor of each coin, without fees. */
export const poolFactor = (shares: PoolShares, factors: readonly number[]): number =>
  factorOf(shares)(factors);

/** As `poolFactor`, for many sets of prices. */
export function factorOf(shares: PoolShares): (factors: readonly number[]) => number {
  return shares.kind === 'stable' ? stableFactorOf(shares) : geometricMean;
}

/** Shares of the coins in the initial value of the pool. */
export function weightsIn(shares: PoolShares): readonly number[] {
  if (shares.kind === 'product') return shares.assets.map(() => 1 / shares.assets.length);
  const worths = worthsAt(stableCurve(shares.balances, shares.amplification), shares.balances);
  const total = worthOf(shares.balances, worths);
  return shares.balances.map((balance, index) => (balance * (worths[index] ?? 0)) / total);
}

/** Factor of n equal parts of a constant product: the n-th root, by Newton's method, because no other root is exact everywhere. */
function geometricMean(factors: readonly number[]): number {
  const n = factors.length;
  if (n === 2) return Math.sqrt((factors[0] ?? 1) * (factors[1] ?? 1));
  const product = factors.reduce((value, factor) => value * factor, 1);
  if (product === 0) return 0;
  if (factors.every((factor) => factor === factors[0])) return factors[0] ?? 1;
  let root = factors.reduce((sum, factor) => sum + factor, 0) / n;
  for (let round = 0; round < 200; round++) {
    let power = 1;
    for (let i = 1; i < n; i++) power *= root;
    const next = ((n - 1) * root + product / power) / n;
    if (next === root) break;
    root = next;
  }
  return root;
}

type StableShares = Extract<PoolShares, { readonly kind: 'stable' }>;

/** Factor of a StableSwap pool after arbitrage has moved its prices from the old market prices to the new ones. */
function stableFactorOf({ balances, amplification }: StableShares): (factors: readonly number[]) => number {
  const curve = stableCurve(balances, amplification);
  const worths = worthsAt(curve, balances);
  const start = worthOf(balances, worths);
  return (factors) => {
    if (factors.every((factor) => factor === factors[0])) return factors[0] ?? 1;
    if (factors.includes(0)) return 0;
    const prices = worths.map((worth, index) => worth * (factors[index] ?? 1));
    return worthOf(balancesAt(curve, prices), prices) / start;
  };
}

const worthOf = (balances: readonly number[], prices: readonly number[]): number =>
  balances.reduce((sum, balance, index) => sum + balance * (prices[index] ?? 0), 0);

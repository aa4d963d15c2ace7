// What the shares of a pool are worth when the prices of its coins move and arbitrage keeps the pool at the market.
import { balancesAt, stableCurve, worthsAt } from '../stable-curve.ts';
import type { PoolShares } from './inputs.ts';

/** Value of the pool's shares, as a factor on the start, for the price factor of each coin; fees are left out. */
export const poolFactor = (shares: PoolShares, factors: readonly number[]): number =>
  factorOf(shares)(factors);

/** The same for many prices. */
export function factorOf(shares: PoolShares): (factors: readonly number[]) => number {
  return shares.kind === 'stable' ? stableFactorOf(shares) : geometricMean;
}

/** Shares of the coins in the value of the pool at the start. */
export function weightsIn(shares: PoolShares): readonly number[] {
  if (shares.kind === 'product') return shares.assets.map(() => 1 / shares.assets.length);
  const worths = worthsAt(stableCurve(shares.balances, shares.amplification), shares.balances);
  const total = worthOf(shares.balances, worths);
  return shares.balances.map((balance, place) => (balance * (worths[place] ?? 0)) / total);
}

/** Of n equal parts of a constant product: the n-th root, by Newton's rounds, as no other root is exact everywhere. */
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

/** A StableSwap pool after arbitrage has brought its prices to those of the market, which it stood at before. */
function stableFactorOf({ balances, amplification }: StableShares): (factors: readonly number[]) => number {
  const curve = stableCurve(balances, amplification);
  const worths = worthsAt(curve, balances);
  const start = worthOf(balances, worths);
  return (factors) => {
    if (factors.every((factor) => factor === factors[0])) return factors[0] ?? 1;
    if (factors.includes(0)) return 0;
    const prices = worths.map((worth, place) => worth * (factors[place] ?? 1));
    return worthOf(balancesAt(curve, prices), prices) / start;
  };
}

const worthOf = (balances: readonly number[], prices: readonly number[]): number =>
  balances.reduce((sum, balance, place) => sum + balance * (prices[place] ?? 0), 0);

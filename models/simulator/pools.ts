// What the shares of a pool are worth when the prices of its coins move and arbitrage keeps the pool at the market.
import type { PoolShares } from './inputs.ts';

/** Value of the pool's shares, as a factor on the start, for the price factor of each coin; fees are left out. */
export function poolFactor(shares: PoolShares, factors: readonly number[]): number {
  if (shares.kind === 'stable') return stableFactor(shares, factors[0] ?? 1, factors[1] ?? 1);
  return geometricMean(factors);
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

/** Value of a StableSwap pool of two coins after arbitrage has brought its price to that of the market. */
function stableFactor(shares: StableShares, first: number, second: number): number {
  const [x, y] = shares.balances;
  if (first === second) return first;
  if (first === 0 || second === 0) return 0;
  const curve = { a: shares.amplification, d: stableD(x, y, shares.amplification) };
  // The pool stood at this price at the start: the factors are relative to it.
  const ratio = (priceAt(curve, x) * first) / second;
  const newX = balanceAt(curve, ratio);
  const start = x * priceAt(curve, x) + y;
  return (newX * priceAt(curve, x) * first + otherBalance(curve, newX) * second) / start;
}

interface Curve {
  /** Amplification, as the contract gives it. */
  readonly a: number;
  readonly d: number;
}

/** The invariant D of two balances. */
function stableD(x: number, y: number, a: number): number {
  const ann = 2 * a;
  const sum = x + y;
  let d = sum;
  for (let round = 0; round < 255; round++) {
    const product = (d * d * d) / (4 * x * y);
    const next = ((ann * sum + 2 * product) * d) / ((ann - 1) * d + 3 * product);
    if (Math.abs(next - d) <= 1e-15 * sum) return next;
    d = next;
  }
  return d;
}

/** The balance of the second coin for one of the first: y² + (x + D/Ann − D)·y = D³/(4·Ann·x). */
function otherBalance({ a, d }: Curve, x: number): number {
  const ann = 2 * a;
  const b = x + d / ann - d;
  const c = (d * d * d) / (4 * ann * x);
  const root = Math.sqrt((b * b) / 4 + c);
  return b > 0 ? c / (root + b / 2) : root - b / 2;
}

/** Price of the first coin in the second at a balance: −dy/dx. */
function priceAt(curve: Curve, x: number): number {
  const y = otherBalance(curve, x);
  const product = (curve.d * curve.d * curve.d) / (4 * x * y);
  const ann = 2 * curve.a;
  return (ann + product / x) / (ann + product / y);
}

/** The balance of the first coin at which it has a price; the price falls as the balance grows. */
function balanceAt(curve: Curve, price: number): number {
  let low = 0;
  let high = curve.d;
  while (priceAt(curve, high) > price && high < curve.d * 1e9) high *= 2;
  for (let round = 0; round < 200; round++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (priceAt(curve, middle) > price) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// How much of a coin can be sold to automated market makers, from their published states.
import type { PoolState } from '../schemas/pools.ts';
import { unwrapped } from '../schemas/wrapped-coins.ts';
import { usd } from './rounding.ts';
import { stableCurve, stableSwapOut, worthsAt } from './stable-curve.ts';

export interface PooledDepth {
  /** Amount that can be sold at a slippage of 100 bps, without fees, in coins. */
  readonly coins: number;
  /** All of the depth is in constant-product pools, whose slippage is a / (reserve + a) at any amount. */
  readonly isExact: boolean;
}

/** A sale of a has a slippage of a / (reserve + a), which is 1 % at the depth. */
export const RESERVES_PER_DEPTH = 99;
const SLIPPAGE = 1 / (RESERVES_PER_DEPTH + 1);
const TWO_96 = Number(1n << 96n);
const MAX_HALVINGS = 100;

export interface Depth {
  readonly usd: number;
  readonly from: 'reported' | 'pools';
  readonly isExact: boolean;
}

/**
 * The larger of what a source reports and what pools take, because each covers only some of the places where a coin is sold. To the cent,
 * so that the published number is the one used.
 */
export function largerDepth(
  reported_usd: number | null,
  pooled: PooledDepth | null,
  price_usd: number | null,
): Depth | null {
  const pooled_usd = pooled === null || price_usd === null ? null : usd(pooled.coins * price_usd);
  if (pooled !== null && pooled_usd !== null && pooled_usd > (reported_usd ?? -1))
    return { usd: pooled_usd, from: 'pools', isExact: pooled.isExact };
  return reportedDepth(reported_usd);
}

export const reportedDepth = (reported_usd: number | null): Depth | null =>
  reported_usd === null ? null : { usd: reported_usd, from: 'reported', isExact: false };

/** Amount of a coin that one pool takes, in coins; null if it does not take it, or its state is impossible. */
export function coinsAtDepth(symbol: string, pool: PoolState): number | null {
  const index = pool.symbols.findIndex((own) => unwrapped(own, pool.chain) === symbol);
  const balances = balancesOf(pool);
  if (index === -1 || balances.some((balance) => !(balance > 0))) return null;
  if (pool.kind === 'product') return (balances[index] ?? 0) / RESERVES_PER_DEPTH;
  return pool.kind === 'stable' ? stableDepth(pool, balances, index) : rangeDepth(pool, balances, index);
}

/** Amount of each coin in the pool, in coins. */
export const balancesOf = ({ reserves, decimals }: PoolState): readonly number[] =>
  reserves.map((digits, index) => Number(`${digits}e-${decimals[index] ?? 0}`));

/** Depth against the coin for which the pool takes the most. */
function stableDepth({ amplification }: PoolState, balances: readonly number[], from: number): number | null {
  if (amplification === null) return null;
  const curve = stableCurve(balances, amplification);
  const worths = worthsAt(curve, balances);
  const total = balances.reduce((sum, balance) => sum + balance, 0);
  const depths = balances.map((_, to) => {
    if (to === from) return 0;
    const price = ((worths[from] ?? 0) / (worths[to] ?? 1)) * (1 - SLIPPAGE);
    let [low, high] = [0, total];
    for (let round = 0; round < MAX_HALVINGS; round++) {
      const amount = (low + high) / 2;
      if (stableSwapOut(curve, balances, { from, to, amount }) >= price * amount) low = amount;
      else high = amount;
    }
    return low;
  });
  return Math.max(...depths);
}

/** Depth within the liquidity in range, and at most what the pool can pay of the other coin. */
function rangeDepth(
  { sqrt_price_x96, liquidity, decimals }: PoolState,
  balances: readonly number[],
  from: number,
): number | null {
  const root = Number(sqrt_price_x96 ?? 0) / TWO_96;
  const inRange = Number(liquidity ?? 0);
  if (!(root > 0 && inRange > 0)) return null;
  const [own = 0, other = 0] = from === 0 ? decimals : [decimals[1], decimals[0]];
  const reserve = (from === 0 ? inRange / root : inRange * root) * Number(`1e-${own}`);
  const received = (from === 0 ? inRange * root : inRange / root) * Number(`1e-${other}`);
  const held = balances[1 - from] ?? 0;
  // A sale of a pays received · a / (reserve + a).
  const payable = held < received ? (reserve * held) / (received - held) : Number.POSITIVE_INFINITY;
  return Math.min(reserve / RESERVES_PER_DEPTH, payable);
}

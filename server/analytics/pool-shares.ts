// What pool shares hold, derived from the pool's published state.
import { balancesOf } from '../../models/pool-depth.ts';
import type { PoolShares } from '../../models/simulator/inputs.ts';
import type { PoolState } from '../../schemas/pools.ts';

/** Undefined for concentrated liquidity, where the range of a position is unknown. */
export function sharesOf(state: PoolState): PoolShares | undefined {
  const { kind, amplification } = state;
  const assets = state.symbols.map((symbol) => symbol.toUpperCase());
  if (kind === 'product') return { kind, assets };
  if (kind !== 'stable' || amplification === null) return undefined;
  const balances = balancesOf(state);
  return balances.every((balance) => balance > 0) ? { kind, assets, amplification, balances } : undefined;
}

// How much of each coin the pools of a version take, computed once per published file.
import type { PoolShares } from '../../models/simulator/inputs.ts';
import { oncePer } from '../../platform/base/once-per.ts';
import { coinsAtDepth, type PooledDepth, balancesOf } from '../../models/pool-depth.ts';
import type { PoolState } from '../../schemas/pools.ts';
import { unwrapped } from '../../schemas/wrapped-coins.ts';
import { sha256Hex } from '../../platform/storage/canonical.ts';
import type { Documents } from '../data/documents.ts';

export interface SymbolDepth extends PooledDepth {
  /** SHA-256 of the document of each pool, by its id. */
  readonly pools: ReadonlyMap<string, string>;
}

interface PoolOfCoin {
  readonly id: string;
  readonly hash: string;
  readonly coins: number;
  readonly isExact: boolean;
  readonly others: readonly string[];
}

/**
 * Pools share a sale, each at the same slippage. Pools that return a coin without a known price do not count. Null if no pool takes the
 * coin. `coin`: the symbol whose price the asset has.
 */
export function depthInPools(
  coin: string,
  documents: Documents | undefined,
  isPriced: (symbol: string) => boolean,
): SymbolDepth | null {
  if (documents === undefined) return null;
  const pools = (poolsByCoin(documents).get(coin) ?? []).filter(({ others }) => others.every(isPriced));
  if (pools.length === 0) return null;
  return {
    coins: pools.reduce((sum, { coins }) => sum + coins, 0),
    isExact: pools.every(({ isExact }) => isExact),
    pools: new Map(pools.map(({ id, hash }) => [id, hash])),
  };
}

const poolsByCoin = oncePer((documents: Documents): ReadonlyMap<string, readonly PoolOfCoin[]> => {
  const index = new Map<string, PoolOfCoin[]>();
  for (const id of [...documents.keys()].toSorted()) {
    const bytes = documents.get(id);
    if (bytes === undefined) continue;
    const state = JSON.parse(bytes.toString('utf8')) as PoolState;
    const symbols = [...new Set(state.symbols.map((symbol) => unwrapped(symbol, state.chain)))];
    for (const symbol of symbols) {
      const coins = coinsAtDepth(symbol, state);
      const others = symbols.filter((other) => other !== symbol);
      if (coins === null || others.length === 0) continue;
      const pool = { id, hash: sha256Hex(bytes), coins, isExact: state.kind === 'product', others };
      index.set(symbol, [...(index.get(symbol) ?? []), pool]);
    }
  }
  return index;
});

// What pool shares hold, derived from the pool's published state.

/** Undefined for concentrated liquidity, where the range of a position is unknown. */
export function sharesOf(state: PoolState): PoolShares | undefined {
  const { kind, amplification } = state;
  const assets = state.symbols.map((symbol) => symbol.toUpperCase());
  if (kind === 'product') return { kind, assets };
  if (kind !== 'stable' || amplification === null) return undefined;
  const balances = balancesOf(state);
  return balances.every((balance) => balance > 0) ? { kind, assets, amplification, balances } : undefined;
}

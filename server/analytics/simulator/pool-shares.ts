// What the shares of a pool hold, from its published state or as the caller gives it.
import type { PoolShares } from '../../../models/simulator/inputs.ts';
import type { PoolState } from '../../../schemas/pools.ts';
import type { SimulatedPosition } from '../../../schemas/simulator.ts';
import { fieldFailure } from '../../define/failure.ts';
import type { Gaps } from './gaps.ts';
import type { Published } from './published.ts';

interface PoolSources {
  readonly published: Published;
  readonly gaps: Gaps;
}

/** Undefined and a gap for a pool whose shares depend on more than its state. @throws Failure `validation_failed` */
export function poolShares(
  { pool: id, assets }: SimulatedPosition,
  place: number,
  { published, gaps }: PoolSources,
): PoolShares | undefined {
  if (id === undefined) return { kind: 'product', assets: assets ?? [] };
  const state = published.pool(id);
  if (state === undefined)
    throw fieldFailure(`positions/${place}/pool`, 'names no pool of the current version');
  const shares = sharesOf(state);
  if (shares === undefined) gaps.add('pool_unknown', id);
  return shares;
}

/** Of concentrated liquidity the range is not known; of three stable coins or more the state after arbitrage is not computed. */
function sharesOf({ kind, symbols, amplification, reserves, decimals }: PoolState): PoolShares | undefined {
  const names = symbols.map((symbol) => symbol.toUpperCase());
  if (kind === 'product') return names.length > 1 ? { kind, assets: names } : undefined;
  const [first, second, third] = names;
  if (kind !== 'stable' || amplification === null) return undefined;
  if (first === undefined || second === undefined || third !== undefined) return undefined;
  const [x, y] = reserves.map((amount, at) => Number(amount) / 10 ** (decimals[at] ?? 0));
  if (x === undefined || y === undefined || !(x > 0 && y > 0)) return undefined;
  return { kind, assets: [first, second], amplification, balances: [x, y] };
}

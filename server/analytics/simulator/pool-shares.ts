// What pool shares hold, from the pool's published state or as the caller states.
import type { PoolShares } from '../../../models/simulator/inputs.ts';
import type { SimulatedPosition } from '../../../schemas/simulator-request.ts';
import { fieldFailure } from '../../define/failure.ts';
import { sharesOf } from '../pool-shares.ts';
import type { Gaps } from './gaps.ts';
import type { Published } from './published-documents.ts';

interface PoolSources {
  readonly published: Published;
  readonly gaps: Gaps;
}

/** Returns undefined and adds a gap for a pool whose shares depend on more than its state. @throws Failure `validation_failed` */
export function poolShares(
  { pool: id, assets }: SimulatedPosition,
  index: number,
  { published, gaps }: PoolSources,
): PoolShares | undefined {
  if (id === undefined) return { kind: 'product', assets: assets ?? [] };
  const state = published.pool(id);
  if (state === undefined)
    throw fieldFailure(`positions/${index}/pool`, 'is not a pool of the current version');
  const shares = sharesOf(state);
  if (shares === undefined) gaps.add('pool_unknown', id);
  return shares;
}

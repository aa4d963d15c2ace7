// The exit Monte Carlo in a worker: a range of paths, or a whole run.
import type { ExitPaths } from '../../../models/exit.ts';
import type { ExitBasis } from '../../../models/exit-market.ts';
import {
  basisOf,
  type Calibration,
  type ExitOrder,
  type ExitOutcome,
  type ExitSources,
  joinPaths,
  outcomeOf,
  pathsOf,
} from '../../../models/exit-run.ts';
import type { PooledDepth } from '../../../models/pool-depth.ts';
import type { Documents } from '../task.ts';

interface Asked {
  readonly returns: unknown;
  readonly utilization: number | null;
  /** What pools take. */
  readonly coins: number | null;
}

interface Known extends Asked {
  readonly basis: ExitBasis;
}

/** The last basis of each market's document: most runs repeat it. */
const known = new WeakMap<object, Known>();

function basisFor({ exit, returns = null }: Documents, { order, pooled }: Market): ExitBasis {
  const sources = { exit, returns, pooled } as ExitSources;
  const asked = { returns, utilization: order.initial_utilization, coins: pooled?.coins ?? null };
  const last = known.get(sources.exit);
  if (last !== undefined && isSame(last, asked)) return last.basis;
  const basis = basisOf(sources, order);
  known.set(sources.exit, { ...asked, basis });
  return basis;
}

const isSame = (a: Asked, b: Asked): boolean =>
  a.returns === b.returns && a.utilization === b.utilization && a.coins === b.coins;

interface Market {
  readonly order: ExitOrder;
  readonly pooled: PooledDepth | null;
}

interface PathRange extends Market {
  readonly from: number;
  readonly to: number;
}

interface WholeRun extends Market {
  readonly calibration: Calibration;
  /** Results of all paths in their order; null to simulate them here. */
  readonly parts: readonly (ExitPaths | null)[] | null;
}

/** Documents: `exit`, and `returns` where the price is known. */
export const EXIT_TASKS = {
  'exit.paths': ({ from, to, ...market }: PathRange, documents: Documents): ExitPaths | null =>
    pathsOf(basisFor(documents, market), market.order, from, to),

  'exit.run': ({ calibration, parts, ...market }: WholeRun, documents: Documents): ExitOutcome => {
    const { order } = market;
    const basis = basisFor(documents, market);
    const known = parts?.flatMap((part) => part ?? []);
    const paths = known === undefined ? pathsOf(basis, order, 0, order.paths) : joinPaths(known);
    return outcomeOf(basis, order, paths, calibration);
  },
};

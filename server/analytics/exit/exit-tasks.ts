// The exit Monte Carlo in a worker: a part of a run, or a whole one.
import type { ExitBasis } from '../../../models/exit-market.ts';
import {
  basisOf,
  type Calibration,
  type ExitOrder,
  type ExitOutcome,
  type ExitPart,
  type ExitSources,
  joinParts,
  outcomeOf,
  partOf,
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

interface RunPart extends Market {
  readonly part: number;
  readonly of: number;
}

interface WholeRun extends Market {
  readonly calibration: Calibration;
  /** All parts in their order; null to simulate everything here. */
  readonly parts: readonly ExitPart[] | null;
}

/** Documents: `exit`, and `returns` where the price is known. */
export const EXIT_TASKS = {
  'exit.part': ({ part, of, ...market }: RunPart, documents: Documents): ExitPart =>
    partOf(basisFor(documents, market), market.order, part, of),

  'exit.run': ({ calibration, parts, ...market }: WholeRun, documents: Documents): ExitOutcome => {
    const { order } = market;
    const basis = basisFor(documents, market);
    const whole = parts === null ? partOf(basis, order) : joinParts(parts);
    return outcomeOf(basis, order, whole, calibration);
  },
};

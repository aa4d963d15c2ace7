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
import type { Documents } from '../task.ts';

interface Known {
  readonly returns: unknown;
  readonly utilization: number | null;
  readonly basis: ExitBasis;
}

/** The last basis of each market's document: most runs repeat it. */
const known = new WeakMap<object, Known>();

function basisFor({ exit, returns = null }: Documents, order: ExitOrder): ExitBasis {
  const sources = { exit, returns } as ExitSources;
  const last = known.get(sources.exit);
  const utilization = order.initial_utilization;
  if (last !== undefined && last.returns === returns && last.utilization === utilization) return last.basis;
  const basis = basisOf(sources, order);
  known.set(sources.exit, { returns, utilization, basis });
  return basis;
}

interface PathRange {
  readonly order: ExitOrder;
  readonly from: number;
  readonly to: number;
}

interface WholeRun {
  readonly order: ExitOrder;
  readonly calibration: Calibration;
  /** Results of all paths in their order; null to simulate them here. */
  readonly parts: readonly (ExitPaths | null)[] | null;
}

/** Documents: `exit`, and `returns` where the price is known. */
export const EXIT_TASKS = {
  'exit.paths': ({ order, from, to }: PathRange, documents: Documents): ExitPaths | null =>
    pathsOf(basisFor(documents, order), order, from, to),

  'exit.run': ({ order, calibration, parts }: WholeRun, documents: Documents): ExitOutcome => {
    const basis = basisFor(documents, order);
    const known = parts?.flatMap((part) => part ?? []);
    const paths = known === undefined ? pathsOf(basis, order, 0, order.paths) : joinPaths(known);
    return outcomeOf(basis, order, paths, calibration);
  },
};

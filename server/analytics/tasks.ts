// Every task of the worker pool by kind. Workers load this file and its imports: models and schemas, nothing else.
import type { Calibration } from '../../models/calibration-gaps.ts';
import type { ExitBasis } from '../../models/exit-market.ts';
import { type ExitOrder, type ExitPart, type ExitShare, joinParts, partOf } from '../../models/exit-parts.ts';
import { basisOf, type ExitOutcome, type ExitSources, outcomeOfPaths } from '../../models/exit-run.ts';
import type { PooledDepth } from '../../models/pool-depth.ts';
import { type Calculation, calculate } from '../../models/simulator/calculate.ts';
import { analyzePortfolio } from './portfolio/analyze.ts';
import type { Documents, TaskTable } from './task.ts';

// The exit Monte Carlo in a worker: part of a run, or a whole run.

interface ExitInputs {
  readonly returns: unknown;
  readonly utilization: number | null;
  /** How much the pools take. */
  readonly coins: number | null;
}

/** The last basis of each market's document, which most runs repeat. */
const known = new WeakMap<object, ExitInputs & { readonly basis: ExitBasis }>();

function basisFor({ exit, returns = null }: Documents, { order, pooled }: Market): ExitBasis {
  const sources = { exit, returns, pooled } as ExitSources;
  const asked = { returns, utilization: order.initial_utilization, coins: pooled?.coins ?? null };
  const last = known.get(sources.exit);
  if (last !== undefined && isSame(last, asked)) return last.basis;
  const basis = basisOf(sources, order);
  known.set(sources.exit, { ...asked, basis });
  return basis;
}

const isSame = (a: ExitInputs, b: ExitInputs): boolean =>
  a.returns === b.returns && a.utilization === b.utilization && a.coins === b.coins;

interface Market {
  readonly order: ExitOrder;
  readonly pooled: PooledDepth | null;
}

interface RunOutcome extends Pick<ExitPart, 'parameters'> {
  /** Excludes what depends on the parameter runs. */
  readonly outcome: ExitOutcome;
}

/** Documents: `exit`, and `returns` if the price is known. */
const EXIT_TASKS = {
  'exit.part': (
    { share, ...market }: Market & { readonly share: ExitShare },
    documents: Documents,
  ): ExitPart => partOf(basisFor(documents, market), market.order, share),

  'exit.figures': (
    {
      calibration,
      paths: own,
      ...market
    }: Market & {
      readonly calibration: Calibration | null;
      /** The parts that make up all paths, in order, or the share that holds all paths, which is then simulated. */
      readonly paths: readonly ExitPart[] | ExitShare;
    },
    documents: Documents,
  ): RunOutcome => {
    const { order } = market;
    const basis = basisFor(documents, market);
    const { paths, parameters } = 'resamples' in own ? partOf(basis, order, own) : joinParts(own);
    return { outcome: outcomeOfPaths(basis, order, paths, calibration), parameters };
  },
};

export const TASKS = {
  ...EXIT_TASKS,
  portfolio: analyzePortfolio,
  simulate: (calculation: Calculation, documents: Documents) => calculate(calculation, documents),
} as const satisfies TaskTable;

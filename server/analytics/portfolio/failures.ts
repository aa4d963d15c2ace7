// The loss of a portfolio when a node behind it loses everything and the loss propagates to the node's holders.
import { type Edge, sumOf, UNKNOWN } from '../../../models/exposure.ts';
import { propagateLosses } from '../../../models/losses.ts';
import { share, usd } from '../../../models/rounding.ts';
import type { PortfolioConcentration } from '../../../schemas/portfolio-concentration.ts';
import { PORTFOLIO } from '../../../schemas/portfolio-limits.ts';
import type { NodeName } from './graph.ts';

type Failures = NonNullable<PortfolioConcentration['look_through']>['failures'];

export interface FailureExposure {
  /** USD by the node at which a position enters the graph. */
  readonly direct: ReadonlyMap<string, number>;
  /** USD by node, direct and indirect. */
  readonly exposure: ReadonlyMap<string, number>;
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  readonly names: ReadonlyMap<string, NodeName>;
}

/** For the nodes with the largest exposure, largest loss first. The unknown is not a node that can fail. */
export function failuresOf({ direct, exposure, edges, names }: FailureExposure): Failures {
  const total = sumOf(direct.values());
  const reached = [...exposure.keys()].flatMap((node) => edges.get(node) ?? []);
  return [...exposure]
    .filter(([node]) => node !== UNKNOWN)
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, PORTFOLIO.max_failures)
    .map(([node]) => {
      const losses = propagateLosses(new Map([[node, 1]]), reached);
      const loss = sumOf([...direct].map(([start, amount]) => amount * (losses.get(start) ?? 0)));
      const { kind = null, name = null } = names.get(node) ?? {};
      return { node, kind, name, loss_usd: usd(loss), share: share(loss / total) };
    })
    .toSorted((a, b) => b.loss_usd - a.loss_usd || (a.node < b.node ? -1 : 1));
}

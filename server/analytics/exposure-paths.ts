// What rests on the start that a caller names: a node of the published graph, or an assumption of oracles.
import {
  assumptionStart,
  exposurePaths,
  type MarketFacts,
  type PathInputs,
  type Start,
} from '../../models/exposure-paths.ts';
import type { ExposureNode, ExposurePaths } from '../../schemas/exposure.ts';
import type { OraclePath } from '../../schemas/oracle-paths.ts';
import { Failure } from '../define/failure.ts';

export type { MarketFacts, PathInputs, YieldFacts } from '../../models/exposure-paths.ts';

interface Oracles {
  readonly paths: readonly OraclePath[];
  readonly markets: readonly MarketFacts[];
}

interface Published extends Pick<PathInputs, 'graph' | 'yields'> {
  /** Read only if the start is an assumption. */
  readonly oracles: () => Oracles;
}

/** @throws Failure `not_found` */
export function exposureFrom(from: string, { graph, yields, oracles }: Published): ExposurePaths {
  if (!from.startsWith('assumption:'))
    return exposurePaths({ graph, yields, markets: [], start: nodeAt(from, graph) });
  const read = oracles();
  return exposurePaths({ graph, yields, markets: read.markets, start: assumptionAt(from, read) });
}

function nodeAt(from: string, graph: readonly ExposureNode[]): Start {
  const held = graph.flatMap(({ node, kind, name, edges }) => [
    { node, kind, name },
    ...edges.map((edge) => ({ ...edge, node: edge.to })),
  ]);
  const wanted = from.startsWith('asset:') ? `asset:${from.slice('asset:'.length).toUpperCase()}` : from;
  const found = held.find(({ node }) => node === wanted && node !== 'unknown');
  if (found === undefined)
    throw new Failure(
      'not_found',
      `Nothing in the exposure graph is called ${from}. Its nodes are in the dataset exposure-graph.`,
    );
  return { id: found.node, kind: found.kind, name: found.name, is_broken: null, markets: [], unread: [] };
}

function assumptionAt(from: string, { paths, markets }: Oracles): Start {
  const [, chain = '', ...rest] = from.split(':');
  const id = rest.join(':');
  const start = assumptionStart({ chain, id }, paths, markets);
  if (start === undefined)
    throw new Failure(
      'not_found',
      `No oracle on ${chain} is known to assume ${id}. The assumptions of each market are in oracle-paths.`,
    );
  return start;
}

// What rests on the start that a caller names: a node of the published graph, or an assumption of oracles.
import {
  assumptionStart,
  exposurePaths,
  heldNode,
  type MarketFacts,
  type PathInputs,
  type Start,
} from '../../models/exposure-paths.ts';
import type { ExposureNode, ExposurePaths } from '../../schemas/exposure.ts';
import type { OraclePath } from '../../schemas/oracle-paths.ts';
import type { HeldSubjects } from '../../snapshots/held.ts';
import { Failure } from '../define/failure.ts';

export type { MarketFacts, PathInputs, YieldFacts } from '../../models/exposure-paths.ts';

interface Oracles {
  readonly paths: readonly OraclePath[];
  readonly markets: readonly MarketFacts[];
}

/** @throws Failure `not_found` */
export function exposureFrom(
  from: string,
  {
    oracles,
    subjects,
    graph,
    yields,
  }: Pick<PathInputs, 'graph' | 'yields'> & {
    /** What the version holds back. */
    readonly subjects: HeldSubjects['list'];
    /** Read only if the start is an assumption. */
    readonly oracles: () => Oracles;
  },
): ExposurePaths {
  const held = subjects
    .flatMap(({ dataset, subject }) => heldNode(dataset, subject) ?? [])
    .filter((node) => yields !== null || !node.startsWith('yield:'));
  const published = { graph, yields, held };
  if (!from.startsWith('assumption:'))
    return exposurePaths({ ...published, markets: [], start: nodeAt(from, graph) });
  const { paths, markets } = oracles();
  return exposurePaths({ ...published, markets, start: assumptionAt(from, { paths, markets, held }) });
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

function assumptionAt(from: string, { paths, ...facts }: Oracles & Pick<PathInputs, 'held'>): Start {
  const [, chain = '', ...rest] = from.split(':');
  const id = rest.join(':');
  const start = assumptionStart({ chain, id }, paths, facts);
  if (start === undefined)
    throw new Failure(
      'not_found',
      `No oracle on ${chain} is known to assume ${id}. The assumptions of each market are in oracle-paths.`,
    );
  return start;
}

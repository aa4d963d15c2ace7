// The paths from a position through the exposure graph to what is behind it, largest first.
import type { Edge } from '../../../models/exposure.ts';
import { edgesByNode } from '../../../models/exposure-paths.ts';
import { share, usd } from '../../../models/rounding.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { PortfolioContagionPath } from '../../../schemas/portfolio-concentration.ts';
import { PORTFOLIO } from '../../../schemas/values.ts';
import { entriesOf } from './holdings.ts';
import type { PortfolioInput, PositionInput } from './portfolio-input.ts';

interface Way {
  readonly nodes: readonly { readonly node: string; readonly amount_usd: number }[];
  readonly amount_usd: number;
}

/** Amounts below this share of the position are not followed. */
const NEGLIGIBLE = 1e-6;
/** Maximum number of paths followed at once; the largest are kept. */
const MAX_OPEN = 1_000;

/**
 * A path ends at a node that holds nothing else, at the second visit to a node of a cycle, or at the maximum length. Amounts never grow
 * along a path, so the first paths to end are the largest.
 */
export function largestWays(
  starts: readonly { readonly node: string; readonly amount_usd: number }[],
  edges: ReadonlyMap<string, readonly Edge[]>,
  { count, length }: { readonly count: number; readonly length: number },
): readonly Way[] {
  const ended: Way[] = [];
  const open: Way[] = starts.map((start) => ({ nodes: [start], amount_usd: start.amount_usd }));
  const limit = NEGLIGIBLE * starts.reduce((sum, { amount_usd }) => sum + amount_usd, 0);
  while (open.length > 0 && ended.length < count) {
    open.sort(bySize);
    const way = open.pop();
    if (way === undefined) break;
    const next = onward(way, edges, length).filter(({ amount_usd }) => amount_usd > limit);
    if (next.length === 0) ended.push(way);
    else open.push(...next);
    if (open.length > 2 * MAX_OPEN) open.splice(0, open.length, ...open.toSorted(bySize).slice(-MAX_OPEN));
  }
  return ended;
}

/** Largest last; equal ones in reverse order of name. */
const bySize = (a: Way, b: Way): number => a.amount_usd - b.amount_usd || (textOf(a) < textOf(b) ? 1 : -1);

const textOf = ({ nodes }: Way): string => nodes.map(({ node }) => node).join(' ');

function onward(
  { nodes, amount_usd }: Way,
  edges: ReadonlyMap<string, readonly Edge[]>,
  length: number,
): Way[] {
  const last = nodes.at(-1)?.node ?? '';
  const isCycle = nodes.slice(0, -1).some(({ node }) => node === last);
  if (isCycle || nodes.length >= length) return [];
  return (edges.get(last) ?? []).map(({ to, share: part }) => ({
    nodes: [...nodes, { node: to, amount_usd: amount_usd * part }],
    amount_usd: amount_usd * part,
  }));
}

/** Returns the largest paths of a position; none if no graph is published. */
export function pathFinder(input: PortfolioInput): (position: PositionInput) => PortfolioContagionPath[] {
  if (input.graph === null) return () => [];
  const edges = edgesByNode(input);
  const names = namesOf(input);
  const described = (node: string): NodeName =>
    names.get(node) ?? { kind: node.split(':', 1)[0] as NodeName['kind'], name: null };
  const limits = { count: PORTFOLIO.max_contagion_paths, length: PORTFOLIO.max_path_nodes };
  return (position) =>
    largestWays(entriesOf(position), edges, limits).map((way) => ({
      amount_usd: usd(way.amount_usd),
      share: share(way.amount_usd / position.amount_usd),
      nodes: way.nodes.map((step) => ({
        node: step.node,
        ...described(step.node),
        amount_usd: usd(step.amount_usd),
      })),
    }));
}

export interface NodeName {
  readonly kind: ExposureNode['kind'];
  readonly name: string | null;
}

/** Kind and name of nodes, including nodes that are held and hold nothing themselves. */
export function namesOf({ graph }: PortfolioInput): ReadonlyMap<string, NodeName> {
  return new Map(
    (graph ?? []).flatMap((holder) => [
      ...holder.edges.map(({ to, kind, name }) => [to, { kind, name }] as const),
      [holder.node, { kind: holder.kind, name: holder.name }] as const,
    ]),
  );
}

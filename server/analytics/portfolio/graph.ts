// The published exposure graph, in the form the calculations use.
import { type Edge, UNKNOWN } from '../../../models/exposure.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { PortfolioInput } from './portfolio-input.ts';

/** Shares are published with eight digits. */
const NEGLIGIBLE = 1e-6;

/** Edges by node. An edge to the unknown holds what a node's edges do not cover. Shares that exceed 1 by rounding are scaled to 1. */
export function edgesByNode({ graph }: PortfolioInput): ReadonlyMap<string, readonly Edge[]> {
  return new Map((graph ?? []).map(({ node, edges }) => [node, wholeEdges(node, edges)]));
}

function wholeEdges(from: string, edges: readonly { readonly to: string; readonly share: number }[]): Edge[] {
  const known = edges.reduce((sum, edge) => sum + edge.share, 0);
  const own = edges.map(({ to, share }) => ({ from, to, share: share / Math.max(1, known) }));
  const isWhole = own.length === 0 || known > 1 - NEGLIGIBLE;
  return isWhole ? own : [...own, { from, to: UNKNOWN, share: 1 - known }];
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

// The published exposure graph as the calculations take it.
import { type Edge, UNKNOWN } from '../../../models/exposure.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { PortfolioQuestion } from './question.ts';

/** Shares are published with eight digits. */
const NEGLIGIBLE = 1e-6;

/** Edges by node. What a holder's edges do not account for is an edge to the unknown; shares a little above 1 by rounding are 1. */
export function edgesByNode({ graph }: PortfolioQuestion): ReadonlyMap<string, readonly Edge[]> {
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

/** What nodes are, by node; also of those that are held and hold nothing themselves. */
export function namesOf({ graph }: PortfolioQuestion): ReadonlyMap<string, NodeName> {
  return new Map(
    (graph ?? []).flatMap((holder) => [
      ...holder.edges.map(({ to, kind, name }) => [to, { kind, name }] as const),
      [holder.node, { kind: holder.kind, name: holder.name }] as const,
    ]),
  );
}

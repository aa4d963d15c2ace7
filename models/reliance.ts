// What rests on one node of the exposure graph: for every holder the share of its value that ends in the node, at least and at most. What no
// source accounts for, and what only holds itself in a circle, may rest on the node or not: it is in the upper bound and not in the lower.
import { type Edge, UNKNOWN } from './exposure.ts';
import { propagateLosses } from './losses.ts';

export interface Reliance {
  /** Shares of the holder's value, 0 to 1. */
  readonly low: number;
  readonly high: number;
  /** The path with the largest share, from the holder to the node; empty if none is known. */
  readonly path: readonly string[];
}

/**
 * Of every holder, however long the path is; circles are exact. `edges`: those of one holder add up to 1, with an edge to `unknown`. What is
 * behind the node itself does not matter.
 * @throws RangeError if the shares of a holder exceed 1.
 */
export function relianceOn(node: string, edges: readonly Edge[]): ReadonlyMap<string, Reliance> {
  const own = edges.filter(({ from, share }) => from !== node && share > 0);
  const holders = new Set(own.map(({ from }) => from));
  const isEnd = (to: string) => to !== node && to !== UNKNOWN && !holders.has(to);
  const ends = new Set(own.map(({ to }) => to).filter(isEnd));
  const inside = propagateLosses(new Map([[node, 1]]), own);
  const outside = propagateLosses(new Map([...ends].map((end) => [end, 1])), own);
  const next = largestSteps(node, own);
  return new Map(
    [...holders].toSorted().map((holder) => {
      const low = inside.get(holder) ?? 0;
      // Rounding must not put the bounds in the wrong order.
      const high = Math.max(low, Math.min(1, 1 - (outside.get(holder) ?? 0)));
      return [holder, { low, high, path: pathFrom(holder, next) }] as const;
    }),
  );
}

interface Step {
  readonly to: string;
  /** Product of the shares on the way to the node. */
  readonly share: number;
}

/** The next step of the largest path from every holder. Shares are at most 1, so a circle never makes a path larger. */
function largestSteps(node: string, edges: readonly Edge[]): ReadonlyMap<string, Step> {
  const best = new Map<string, Step>();
  const to = Map.groupBy(edges, (edge) => edge.to);
  const open = [node];
  for (let held = open.pop(); held !== undefined; held = open.pop()) {
    const rest = held === node ? 1 : (best.get(held)?.share ?? 0);
    for (const edge of to.get(held) ?? []) {
      const share = edge.share * rest;
      if (share <= (best.get(edge.from)?.share ?? 0)) continue;
      best.set(edge.from, { to: held, share });
      open.push(edge.from);
    }
  }
  return best;
}

function pathFrom(holder: string, next: ReadonlyMap<string, Step>): readonly string[] {
  const path = [holder];
  const seen = new Set(path);
  for (let step = next.get(holder); step !== undefined; step = next.get(step.to)) {
    if (seen.has(step.to)) break;
    seen.add(step.to);
    path.push(step.to);
  }
  return path.length > 1 ? path : [];
}

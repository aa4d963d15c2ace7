// Losses that spread from held nodes to their holders. The loss of a node is l = 1 − (1 − A·l)(1 − shock), with A the shares: the least
// fixed point is the probability that a walk along the shares meets a shock before it ends.
import type { Edge } from './exposure.ts';
import { eliminate, leavingOf, type States, statesOf } from './walks.ts';

/**
 * Loss of every node, as a fraction, after shocks (clamped to 0 to 1). Never below the node's own shock, never above 1, and increasing in
 * every shock; the order of shocks and edges does not matter.
 * @throws RangeError if the shares of a holder exceed 1.
 */
export function propagateLosses(
  shocks: ReadonlyMap<string, number>,
  edges: readonly Edge[],
): ReadonlyMap<string, number> {
  const states = statesOf(shocks, edges);
  const order = [...states.keys()].toSorted();
  for (const node of order) eliminate(node, states);
  const losses = new Map<string, number>();
  for (const node of order.toReversed()) losses.set(node, lossAt(node, { states, losses }));
  return losses;
}

function lossAt(
  node: string,
  { states, losses }: { readonly states: States; readonly losses: ReadonlyMap<string, number> },
): number {
  const state = states.get(node);
  if (state === undefined) return 0;
  const leaving = leavingOf(node, state);
  if (leaving === 0) return 0;
  let sum = state.loss;
  for (const [to, weight] of state.next) if (to !== node) sum += weight * (losses.get(to) ?? 0);
  return Math.min(1, sum / leaving);
}

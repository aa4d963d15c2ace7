// Walks along the shares of holders: from a node to one that it holds, with the share as probability, until a node without known holdings.
// Nodes are eliminated one by one without a subtraction (Grassmann, Taksar and Heyman 1985), so cycles whose nodes hold almost only each
// other are exact too.
import { type Edge, edgesByHolder } from './exposure.ts';

/** What happens next to a walk at a node; loss, safe and next add up to 1. */
export interface State {
  /** Probability of a loss at once. */
  loss: number;
  /** Probability that the walk ends without one. */
  safe: number;
  /** Probabilities of the next node. */
  readonly next: Map<string, number>;
  /** Nodes from which a walk may come. */
  readonly before: Set<string>;
}

export type States = ReadonlyMap<string, State>;

/** Shocks are clamped to 0 to 1. @throws RangeError if the shares of a holder exceed 1. */
export function statesOf(shocks: ReadonlyMap<string, number>, edges: readonly Edge[]): States {
  const outgoing = edgesByHolder(edges);
  const all = [...outgoing.values()].flat();
  const nodes = new Set([...shocks.keys(), ...all.flatMap(({ from, to }) => [from, to])]);
  const states = new Map<string, State>();
  for (const node of nodes) {
    const loss = Math.min(1, Math.max(0, shocks.get(node) ?? 0));
    const safe = outgoing.has(node) ? 0 : 1 - loss;
    states.set(node, { loss, safe, next: new Map(), before: new Set() });
  }
  for (const { from, to, share } of all) {
    const state = states.get(from);
    if (state !== undefined) move(states, { from, to, weight: share * (1 - state.loss) });
  }
  return states;
}

function move(
  states: States,
  { from, to, weight }: { readonly from: string; readonly to: string; readonly weight: number },
): void {
  const next = states.get(from)?.next;
  if (weight === 0 || next === undefined) return;
  next.set(to, (next.get(to) ?? 0) + weight);
  states.get(to)?.before.add(from);
}

/** Redirects walks that would come to the node to where they would leave it. */
export function eliminate(node: string, states: States): void {
  const own = states.get(node);
  if (own === undefined) return;
  const leaving = leavingOf(node, own);
  for (const from of own.before) {
    const state = states.get(from);
    const weight = state?.next.get(node);
    if (state === undefined || weight === undefined || from === node) continue;
    state.next.delete(node);
    // A walk that can never leave meets no shock.
    if (leaving === 0) state.safe += weight;
    else {
      const part = weight / leaving;
      state.loss += part * own.loss;
      state.safe += part * own.safe;
      for (const [to, share] of own.next) if (to !== node) move(states, { from, to, weight: part * share });
    }
  }
  for (const to of own.next.keys()) states.get(to)?.before.delete(node);
}

/** Probability that a walk at a node moves on to another node, or ends. */
export const leavingOf = (node: string, { loss, safe, next }: State): number => {
  let sum = loss + safe;
  for (const [to, weight] of next) if (to !== node) sum += weight;
  return sum;
};

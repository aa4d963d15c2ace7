// How much a node of a cycle backs itself: Σ Aᵏ, with A the matrix of shares. A walk along the shares that starts at the node returns to it
// with a probability p, and again with p², so the sum is p ÷ (1 − p).
import type { Edge } from './exposure.ts';
import { eliminate, leavingOf, type States, statesOf } from './walks.ts';

/** By node of a cycle; infinite if nothing but the cycle backs it. @throws RangeError if the shares of a holder exceed 1. */
export function amplificationOf(edges: readonly Edge[]): ReadonlyMap<string, number> {
  const between = edgesBetweenCycles(edges);
  const nodes = [...new Set(between.map(({ from }) => from))].toSorted();
  const states = statesOf(new Map(), between);
  return new Map(alone(nodes, without(states, nodes)));
}

/** Each node with all others eliminated. Works by halves, which costs about as much as one elimination instead of one per node. */
function* alone(nodes: readonly string[], states: States): Generator<[string, number]> {
  const [node] = nodes;
  if (nodes.length > 1) {
    const half = nodes.length >> 1;
    for (const kept of [nodes.slice(0, half), nodes.slice(half)]) yield* alone(kept, without(states, kept));
  } else if (node !== undefined) {
    const state = states.get(node);
    const back = state?.next.get(node) ?? 0;
    if (state !== undefined && back > 0) yield [node, back / leavingOf(node, state)];
  }
}

/** The walks as seen from the kept nodes only. */
function without(states: States, kept: readonly string[]): States {
  const copies = new Map(
    [...states].map(([node, { loss, safe, next, before }]) => [
      node,
      { loss, safe, next: new Map(next), before: new Set(before) },
    ]),
  );
  const nodes = new Set(kept);
  for (const node of states.keys())
    if (!nodes.has(node)) {
      eliminate(node, copies);
      copies.delete(node);
    }
  return copies;
}

/** Edges on a cycle or between two: removes edges without a way in or out until none is left. Trees cost little. */
function edgesBetweenCycles(edges: readonly Edge[]): readonly Edge[] {
  let left = edges;
  for (;;) {
    const holders = new Set(left.map(({ from }) => from));
    const held = new Set(left.map(({ to }) => to));
    const next = left.filter(({ from, to }) => holders.has(to) && held.has(from));
    if (next.length === left.length) return next;
    left = next;
  }
}

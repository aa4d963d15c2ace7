// What rests on a node: by hand, against walks that are drawn at random, and however the unknown part is filled in.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Edge, UNKNOWN } from '../../models/exposure.ts';
import { relianceOn } from '../../models/reliance.ts';

const edge = (from: string, to: string, share: number): Edge => ({ from, to, share });

describe('by hand', () => {
  test('shares multiply along a path and add up over paths, and the largest path is shown', () => {
    const found = relianceOn('asset:X', [
      edge('vault:v', 'market:m', 0.5),
      edge('vault:v', 'market:n', 0.3),
      edge('vault:v', UNKNOWN, 0.2),
      edge('market:m', 'asset:X', 0.8),
      edge('market:m', 'asset:USDC', 0.2),
      edge('market:n', 'asset:X', 0.5),
      edge('market:n', 'asset:USDC', 0.5),
    ]);
    const { low, high, path } = found.get('vault:v') ?? { low: 0, high: 0, path: [] };
    expect(low).toBeCloseTo(0.55, 12);
    expect(high).toBeCloseTo(0.75, 12);
    expect(path).toEqual(['vault:v', 'market:m', 'asset:X']);
  });

  test('assets that back each other in a circle are not known to rest on anything', () => {
    const found = relianceOn('asset:X', [edge('asset:A', 'asset:B', 1), edge('asset:B', 'asset:A', 1)]);
    expect(found.get('asset:A')).toEqual({ low: 0, high: 1, path: [] });
  });

  test('a circle with a way out is exact: a half leaves at each turn', () => {
    const found = relianceOn('asset:X', [
      edge('asset:A', 'asset:B', 1),
      edge('asset:B', 'asset:A', 0.5),
      edge('asset:B', 'asset:X', 0.25),
      edge('asset:B', 'asset:USDC', 0.25),
    ]);
    expect(found.get('asset:A')?.low).toBeCloseTo(0.5, 12);
    expect(found.get('asset:A')?.high).toBeCloseTo(0.5, 12);
    expect(found.get('asset:A')?.path).toEqual(['asset:A', 'asset:B', 'asset:X']);
  });

  test('what is behind the node itself does not matter, and nothing rests on a node that no one holds', () => {
    const edges = [edge('vault:v', 'asset:X', 1), edge('asset:X', 'asset:USDC', 1)];
    expect(relianceOn('asset:X', edges).get('vault:v')).toEqual({
      low: 1,
      high: 1,
      path: ['vault:v', 'asset:X'],
    });
    expect(relianceOn('asset:Z', edges).get('vault:v')).toEqual({ low: 0, high: 0, path: [] });
  });
});

const NODES = ['a', 'b', 'c', 'd', 'e', 'x', 'y'];

/** Graphs of a few nodes with circles; `x` and `y` hold nothing. What a holder's edges do not cover is unknown. */
const graph = fc
  .array(
    fc.record({
      from: fc.constantFrom(...NODES.slice(0, 5)),
      to: fc.constantFrom(...NODES),
      weight: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 15 },
  )
  .map((drawn) => {
    const edges: Edge[] = [];
    for (const [from, own] of Map.groupBy(drawn, (one) => one.from)) {
      const total = own.reduce((sum, { weight }) => sum + weight, 0) + 2;
      for (const { to, weight } of own) if (to !== from) edges.push(edge(from, to, weight / total));
      const known = edges.filter((one) => one.from === from).reduce((sum, { share }) => sum + share, 0);
      edges.push(edge(from, UNKNOWN, 1 - known));
    }
    return edges;
  });

/** By following the value step by step until nothing is left to move. */
function followed(start: string, target: string, edges: readonly Edge[]): number {
  let moving = new Map([[start, 1]]);
  let arrived = 0;
  for (let round = 0; round < 2_000 && moving.size > 0; round++) {
    const next = new Map<string, number>();
    for (const [node, share] of moving) {
      if (node === target) arrived += share;
      else
        for (const one of edges)
          if (one.from === node) next.set(one.to, (next.get(one.to) ?? 0) + share * one.share);
    }
    moving = new Map([...next].filter(([, share]) => share > 1e-15));
  }
  return arrived;
}

describe('of any graph', () => {
  test('the lower bound is what arrives, and the bounds contain what arrives however the unknown is filled in', () => {
    fc.assert(
      fc.property(graph, fc.constantFrom(...NODES), (edges, filling) => {
        const found = relianceOn('x', edges);
        const filled = [...edges, ...(filling === UNKNOWN ? [] : [edge(UNKNOWN, filling, 1)])];
        for (const [holder, { low, high, path }] of found) {
          expect(low).toBeCloseTo(followed(holder, 'x', edges), 9);
          const truth = followed(holder, 'x', filled);
          expect(truth).toBeGreaterThanOrEqual(low - 1e-9);
          expect(truth).toBeLessThanOrEqual(high + 1e-9);
          expect(path.length > 0).toBe(low > 0);
          if (path.length > 0) expect([path[0], path.at(-1)]).toEqual([holder, 'x']);
          expect(new Set(path).size).toBe(path.length);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('an edge less never makes the interval narrower where it was known', () => {
    fc.assert(
      fc.property(graph, fc.nat(), (edges, pick) => {
        const known = edges.filter(({ to }) => to !== UNKNOWN);
        const gone = known[pick % Math.max(1, known.length)];
        if (gone === undefined) return;
        const without = edges.map((one) => (one === gone ? { ...one, to: UNKNOWN } : one));
        const [before, after] = [relianceOn('x', edges), relianceOn('x', without)];
        for (const [holder, { low, high }] of before) {
          expect(after.get(holder)?.low ?? 0).toBeLessThanOrEqual(low + 1e-9);
          expect(after.get(holder)?.high ?? 1).toBeGreaterThanOrEqual(high - 1e-9);
        }
      }),
      { numRuns: 200 },
    );
  });
});

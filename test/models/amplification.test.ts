import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amplificationOf } from '../../models/amplification.ts';
import type { Edge } from '../../models/exposure.ts';
import { edge, graph } from './exposure-graphs.ts';

type Matrix = readonly (readonly number[])[];

const times = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => b.map((_, to) => row.reduce((sum, share, by) => sum + share * (b[by]?.[to] ?? 0), 0)));
const plus = (a: Matrix, b: Matrix): Matrix =>
  a.map((row, from) => row.map((value, to) => value + (b[from]?.[to] ?? 0)));

/** The definition: A + A² + …, the first 2^30 terms, doubled 30 times: S(2n) = S(n) + Aⁿ S(n). */
function walked(edges: readonly Edge[]): ReadonlyMap<string, number> {
  const nodes = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const share = (from: string, to: string) =>
    edges.reduce((sum, own) => sum + (own.from === from && own.to === to ? own.share : 0), 0);
  let power: Matrix = nodes.map((from) => nodes.map((to) => share(from, to)));
  let sum = power;
  for (let doubled = 0; doubled < 30; doubled++) {
    sum = plus(sum, times(power, sum));
    power = times(power, power);
  }
  return new Map(nodes.map((node, index) => [node, sum[index]?.[index] ?? 0]));
}

const ring = (shares: readonly number[]) =>
  shares.map((share, index) => edge(`n${index}`, `n${(index + 1) % shares.length}`, share));

test.each([
  ['a node that holds itself', ring([0.2]), { n0: 0.2 / 0.8 }],
  ['two nodes', ring([0.5, 0.6]), { n0: 0.3 / 0.7, n1: 0.3 / 0.7 }],
  ['three nodes', ring([0.5, 0.8, 0.9]), { n0: 0.36 / 0.64, n1: 0.36 / 0.64, n2: 0.36 / 0.64 }],
  [
    'two cycles that share a node',
    [edge('m', 'a', 0.4), edge('a', 'm', 0.5), edge('m', 'b', 0.3), edge('b', 'm', 0.6)],
    // From m back: .4 · .5 + .3 · .6 = .38. From a: .5 · .4 of those that leave the other cycle, .82.
    { m: 0.38 / 0.62, a: 0.2 / 0.82 / (1 - 0.2 / 0.82), b: 0.18 / 0.8 / (1 - 0.18 / 0.8) },
  ],
  ['a cycle that leaks a millionth', ring([1, 1 - 1e-6]), { n0: (1 - 1e-6) / 1e-6, n1: (1 - 1e-6) / 1e-6 }],
])('%s', (_, edges, expected) => {
  const found = Object.fromEntries(amplificationOf(edges));
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [node, value] of Object.entries(expected)) expect((found[node] ?? 0) / value).toBeCloseTo(1, 9);
});

test.each([
  ['itself', ring([1])],
  ['two that hold each other', ring([1, 1])],
  ['three', [...ring([1, 1]), edge('before', 'n0', 1)]],
  ['thirds of one another', [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => edge(`n${a}`, `n${b}`, 1 / 3)))],
])('if nothing but the cycle backs it, there is no end: %s', (_, edges) => {
  const found = amplificationOf(edges);
  expect(found.has('before')).toBe(false);
  expect(new Set(found.values())).toEqual(new Set([Number.POSITIVE_INFINITY]));
});

test('is the sum of the powers of the shares, whatever the graph', () => {
  fc.assert(
    fc.property(graph, (edges) => {
      const found = amplificationOf(edges);
      for (const [node, value] of walked(edges)) {
        const own = found.get(node) ?? 0;
        if (value > 1e6) expect(own).toBeGreaterThan(0.999e6);
        else if (value > 1e-6) expect(own / value).toBeCloseTo(1, 6);
        else expect(own).toBeLessThan(1.001e-6);
      }
    }),
    { numRuns: 300 },
  );
});

test('a cycle is found behind any number of holders, and only where it is reached', () => {
  const cycle = [edge('x', 'y', 0.5), edge('y', 'x', 0.6)];
  const chain = Array.from({ length: 200 }, (_, index) =>
    edge(`n${index}`, index === 199 ? 'x' : `n${index + 1}`, 1),
  );
  const crowd = Array.from({ length: 3_000 }, (_, index) => edge(`other ${index}`, 'x', 0.5));
  const near = amplificationOf([...chain, ...crowd, ...cycle]);
  expect([...near.keys()].sort()).toEqual(['x', 'y']);
  expect(near.get('y')).toBeCloseTo(0.3 / 0.7, 12);
  expect(amplificationOf([...chain, ...crowd]).size).toBe(0);
});

test('a node between two cycles amplifies nothing', () => {
  const edges = [
    edge('a', 'b', 0.5),
    edge('b', 'a', 0.5),
    edge('b', 'between', 0.2),
    edge('between', 'self', 1),
    edge('self', 'self', 0.2),
  ];
  expect([...amplificationOf(edges).keys()].sort()).toEqual(['a', 'b', 'self']);
});

test('shares beyond the whole are refused', () => {
  expect(() => amplificationOf(ring([1.1, 0.5]))).toThrow('add up to 1.1');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountsByLastLabel } from '../../models/last-label.ts';

type Graph = Readonly<Record<string, readonly { readonly to: string; readonly share: number }[]>>;
const holdings = (graph: Graph, prefix: string) => ({
  edgesOf: (node: string) => graph[node] ?? [],
  labelsOf: (node: string) => (node.startsWith(prefix) ? [node] : []),
});
const start = (node: string, amount_usd: number, label: string | null = null) => ({
  node,
  amount_usd,
  label,
});

test('the last label on the way counts, and the first stays where none follows', () => {
  const graph = { vault: [{ to: 'a1', share: 0.75 }], a1: [{ to: 'a2', share: 0.5 }] };
  const found = amountsByLastLabel([start('vault', 100, 'first')], holdings(graph, 'a'));
  expect(Object.fromEntries(found)).toEqual({ first: 25, a1: 37.5, a2: 37.5 });
});

test('a cycle that keeps all of it has no end: nothing is known of it', () => {
  const graph = { a1: [{ to: 'a2', share: 1 }], a2: [{ to: 'a1', share: 1 }] };
  expect([...amountsByLastLabel([start('a1', 100)], holdings(graph, 'a'))]).toEqual([[null, 100]]);
});

test('several labels of one node share its amount', () => {
  const found = amountsByLastLabel([start('m', 90)], { edgesOf: () => [], labelsOf: () => ['x', 'y', 'z'] });
  expect(Object.fromEntries(found)).toEqual({ x: 30, y: 30, z: 30 });
});

test('parts add up to the whole on any graph', () => {
  const node = fc.constantFrom('a', 'b', 'c', 'l1', 'l2');
  const edges = fc.array(fc.record({ to: node, share: fc.double({ min: 0, max: 0.2, noNaN: true }) }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.dictionary(node, edges), fc.array(fc.tuple(node, fc.nat(1_000))), (graph, amounts) => {
      const starts = amounts.map(([at, amount]) => start(at, amount));
      const found = amountsByLastLabel(starts, holdings(graph, 'l'));
      const total = amounts.reduce((sum, [, amount]) => sum + amount, 0);
      expect(Math.abs([...found.values()].reduce((sum, part) => sum + part, 0) - total)).toBeLessThanOrEqual(
        1e-5 * total,
      );
    }),
  );
});

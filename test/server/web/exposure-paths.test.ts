// What is held through what, against walks at random and worked examples.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  endsOf,
  type ExposureNode,
  graphOf,
  holdersOf,
  worthOf,
} from '../../../server/web/browser/exposure-paths.ts';

const node = (
  name: string,
  edges: Readonly<Record<string, number>>,
  usd: number | null = null,
): ExposureNode => ({
  node: name,
  kind: name.split(':')[0] ?? '',
  name,
  known_share: Object.values(edges).reduce((sum, share) => sum + share, 0),
  edges: Object.entries(edges).map(([to, share]) => ({
    to,
    kind: to.split(':')[0] ?? '',
    name: to,
    usd: usd === null ? null : usd * share,
    share,
    observed_at: 0,
  })),
});

test('shares multiply along the path, and what is not accounted for stays unknown', () => {
  const graph = graphOf([
    node('vault:a', { 'market:m': 0.5, 'asset:USDC': 0.3 }),
    node('market:m', { 'asset:XUSD': 0.8 }),
    node('asset:USDC', { 'issuer:circle': 1 }),
  ]);
  const ends = endsOf(graph, 'vault:a');
  expect(ends.get('asset:XUSD')).toBeCloseTo(0.4, 9);
  expect(ends.get('issuer:circle')).toBeCloseTo(0.3, 9);
  expect(ends.get('unknown')).toBeCloseTo(0.3, 9);
  expect([...ends.keys()][0]).toBe('asset:XUSD');
});

test('assets that back each other end where their value ends', () => {
  const graph = graphOf([
    node('asset:X', { 'asset:D': 0.4, 'issuer:s': 0.6 }),
    node('asset:D', { 'asset:X': 0.45, 'asset:U': 0.55 }),
  ]);
  const ends = endsOf(graph, 'asset:X');
  // x = 0.6 + 0.4 × 0.45 x
  expect(ends.get('issuer:s')).toBeCloseTo(0.6 / (1 - 0.18), 6);
  expect(ends.get('asset:U')).toBeCloseTo((0.4 * 0.55) / (1 - 0.18), 6);
  expect(holdersOf(graph, 'asset:D').map(({ holder, share }) => [holder.node, share])).toEqual([
    ['asset:X', expect.closeTo(0.4, 9)],
  ]);
});

test('assets that only back each other are unknown, and the calculation ends', () => {
  const graph = graphOf([node('asset:A', { 'asset:B': 1 }), node('asset:B', { 'asset:A': 1 })]);
  expect([...endsOf(graph, 'asset:A')]).toEqual([['unknown', expect.closeTo(1, 6)]]);
});

test('the value of a holder follows from what is known of it, and is unknown without an amount', () => {
  expect(worthOf(node('vault:a', { 'market:m': 0.5, 'asset:U': 0.25 }, 1_000))).toBeCloseTo(1_000, 6);
  expect(worthOf(node('asset:A', { 'issuer:i': 1 }))).toBeUndefined();
  expect(worthOf(node('vault:d', {}))).toBeUndefined();
});

const NODES = ['a:0', 'a:1', 'a:2', 'a:3', 'a:4'];
const anyGraph = fc
  .array(
    fc.array(fc.tuple(fc.constantFrom(...NODES, 'issuer:i'), fc.integer({ min: 1, max: 30 })), {
      maxLength: 3,
    }),
    {
      minLength: NODES.length,
      maxLength: NODES.length,
    },
  )
  .map((lists) =>
    lists.map((edges, index) =>
      node(NODES[index] ?? '', Object.fromEntries(edges.map(([to, share]) => [to, share / 100]))),
    ),
  );

test('for any graph, ends add up to the whole, and a holder of a node reaches it', () => {
  fc.assert(
    fc.property(anyGraph, (nodes) => {
      const graph = graphOf(nodes);
      for (const start of NODES) {
        const ends = endsOf(graph, start);
        expect([...ends.values()].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
        for (const share of ends.values()) expect(share).toBeGreaterThan(0);
      }
      for (const { share, direct } of holdersOf(graph, 'issuer:i')) {
        expect(share).toBeLessThanOrEqual(1 + 1e-9);
        if (direct !== undefined) expect(share).toBeGreaterThanOrEqual(direct.share - 1e-9);
      }
    }),
  );
});

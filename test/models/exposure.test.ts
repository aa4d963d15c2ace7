import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concentrationOf, type Edge, lookThrough, propagateLosses, UNKNOWN } from '../../models/exposure.ts';

const edge = (from: string, to: string, share: number): Edge => ({ from, to, share });
const holding = (node: string, usd = 100) => new Map([[node, usd]]);

test('a vault is looked through to the issuers behind its markets', () => {
  const edges = [
    edge('vault', 'market a', 0.6),
    edge('vault', 'market b', 0.4),
    edge('market a', 'coin', 1),
    edge('market b', 'coin', 0.5),
    edge('market b', 'ether', 0.5),
    edge('coin', 'issuer', 1),
  ];
  const { exposure, ends } = lookThrough(holding('vault'), edges);
  expect(Object.fromEntries(exposure)).toEqual({
    vault: 100,
    'market a': 60,
    'market b': 40,
    coin: 80,
    ether: 20,
    issuer: 80,
  });
  expect(Object.fromEntries(ends)).toEqual({ ether: 20, issuer: 80 });
});

test('what a holder does not account for ends as unknown', () => {
  const { ends } = lookThrough(holding('vault'), [edge('vault', 'a', 0.7)]);
  expect(ends.get(UNKNOWN)).toBeCloseTo(30, 12);
});

test('two coins that back each other report how much larger they look', () => {
  const edges = [edge('x', 'y', 0.5), edge('y', 'x', 0.6), edge('x', 'cash', 0.5), edge('y', 'cash', 0.4)];
  const { exposure, amplification, ends, rest } = lookThrough(holding('x'), edges);
  // 1 / (1 − .5 · .6) − 1
  expect(amplification.get('x')).toBeCloseTo(0.3 / 0.7, 5);
  expect(exposure.get('x')).toBeCloseTo(100 / 0.7, 3);
  expect((ends.get('cash') ?? 0) + rest).toBeCloseTo(100, 9);
});

test('two coins that back each other alone never end', () => {
  const { rest, ends } = lookThrough(holding('x'), [edge('x', 'y', 1), edge('y', 'x', 1)]);
  expect([rest, ends.size]).toEqual([100, 0]);
});

test('shares beyond the whole are refused', () => {
  expect(() => lookThrough(holding('a'), [edge('a', 'b', 0.7), edge('a', 'c', 0.4)])).toThrow(
    'add up to 1.1',
  );
  expect(() => lookThrough(holding('a'), [edge('a', 'b', -1)])).toThrow('is -1');
  expect(() => lookThrough(holding('a'), [edge('a', 'b', Number.NaN)])).toThrow('is NaN');
});

const graph = fc
  .array(fc.tuple(fc.nat(7), fc.nat(7), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 24 })
  .map((drawn) => {
    const counts = new Map<number, number>();
    for (const [from] of drawn) counts.set(from, (counts.get(from) ?? 0) + 1);
    return drawn.map(([from, to, share]) => edge(`n${from}`, `n${to}`, share / (counts.get(from) ?? 1)));
  });
const shocks = fc.dictionary(
  fc.nat(7).map((n) => `n${n}`),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

test('ends and rest add up to the position, whatever the graph', () => {
  fc.assert(
    fc.property(graph, (edges) => {
      const { ends, rest } = lookThrough(holding('n0'), edges);
      expect([...ends.values()].reduce((sum, usd) => sum + usd, rest)).toBeCloseTo(100, 6);
    }),
  );
});

test('losses lie between the shock and the whole, grow with the shocks and do not depend on order', () => {
  fc.assert(
    fc.property(graph, shocks, shocks, (edges, one, two) => {
      const first = new Map(Object.entries(one));
      const larger = new Map(
        [...Object.entries(two), ...first].map(([node, loss]) => [node, Math.max(loss, two[node] ?? 0)]),
      );
      const losses = propagateLosses(first, edges);
      const more = propagateLosses(larger, edges);
      const turned = propagateLosses(new Map([...first].reverse()), edges.toReversed());
      for (const [node, loss] of losses) {
        expect(loss).toBeLessThanOrEqual(1);
        expect(loss).toBeGreaterThanOrEqual((first.get(node) ?? 0) - 1e-12);
        expect(more.get(node) ?? 0).toBeGreaterThanOrEqual(loss - 1e-9);
        expect(turned.get(node) ?? 0).toBeCloseTo(loss, 9);
      }
    }),
  );
});

test('a shock to nothing loses nothing, and a chain passes its share on', () => {
  const edges = [edge('vault', 'market', 0.5), edge('market', 'coin', 0.8)];
  expect([...propagateLosses(new Map(), edges).values()].every((loss) => loss === 0)).toBe(true);
  const losses = propagateLosses(new Map([['coin', 0.5]]), edges);
  expect([losses.get('coin'), losses.get('market'), losses.get('vault')]).toEqual([
    0.5,
    0.4,
    expect.closeTo(0.2, 12),
  ]);
});

test('concentration of equal parts is their number', () => {
  expect(concentrationOf([5, 5, 5, 5])).toEqual({ hhi: 0.25, effective_number: 4 });
  expect(concentrationOf([])).toEqual({ hhi: null, effective_number: null });
});

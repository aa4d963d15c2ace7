import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookThrough, UNKNOWN } from '../../models/exposure.ts';
import { edge, graph } from './exposure-graphs.ts';

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

test('two coins that back each other count as often as dollars come by', () => {
  const edges = [edge('x', 'y', 0.5), edge('y', 'x', 0.6), edge('x', 'cash', 0.5), edge('y', 'cash', 0.4)];
  const { exposure, ends, rest } = lookThrough(holding('x'), edges);
  // 1 + .3 + .3² + …
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

test('ends and rest add up to the position, whatever the graph', () => {
  fc.assert(
    fc.property(graph, (edges) => {
      const { ends, rest } = lookThrough(holding('n0'), edges);
      expect([...ends.values()].reduce((sum, usd) => sum + usd, rest)).toBeCloseTo(100, 6);
    }),
  );
});

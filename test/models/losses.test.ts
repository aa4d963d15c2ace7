import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Edge } from '../../models/exposure.ts';
import { propagateLosses } from '../../models/losses.ts';
import { edge, graph } from './exposure-graphs.ts';

type Losses = ReadonlyMap<string, number>;
const shocks = fc.dictionary(
  fc.nat(7).map((n) => `n${n}`),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

/** The rule itself, once: 1 − (1 − what is held has lost)(1 − shock). */
function applied(losses: Losses, shock: Losses, edges: readonly Edge[]): Losses {
  return new Map(
    [...losses.keys()].map((node) => {
      const own = edges.filter(({ from }) => from === node);
      const held = own.reduce((sum, { to, share }) => sum + share * (losses.get(to) ?? 0), 0);
      return [node, 1 - (1 - held) * (1 - (shock.get(node) ?? 0))];
    }),
  );
}

/** The rule from below: every round is at or below the least fixed point. */
function fromBelow(nodes: Iterable<string>, shock: Losses, edges: readonly Edge[]): Losses {
  let losses: Losses = new Map([...nodes].map((node) => [node, 0]));
  for (let round = 0; round < 400; round++) losses = applied(losses, shock, edges);
  return losses;
}

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

test('losses obey the rule, and are no larger than it demands', () => {
  fc.assert(
    fc.property(graph, shocks, (edges, drawn) => {
      // A twentieth is kept, so that the rounds of the rule converge.
      const leaking = edges.map(({ share, ...rest }) => ({ ...rest, share: 0.95 * share }));
      const shock = new Map(Object.entries(drawn));
      const losses = propagateLosses(shock, leaking);
      const again = applied(losses, shock, leaking);
      const below = fromBelow(losses.keys(), shock, leaking);
      for (const [node, loss] of losses) {
        expect(again.get(node)).toBeCloseTo(loss, 11);
        expect(below.get(node)).toBeCloseTo(loss, 7);
      }
    }),
    { numRuns: 60 },
  );
});

test('a shock to nothing loses nothing, and a chain passes its share on', () => {
  const edges = [edge('vault', 'market', 0.5), edge('market', 'coin', 0.8)];
  expect([...propagateLosses(new Map(), edges).values()].every((loss) => loss === 0)).toBe(true);
  const losses = propagateLosses(new Map([['coin', 0.5]]), edges);
  expect([losses.get('coin'), losses.get('market'), losses.get('vault')]).toEqual([
    0.5,
    expect.closeTo(0.4, 15),
    expect.closeTo(0.2, 15),
  ]);
});

test('two coins that hold only each other: without a shock nothing is lost, with the smallest everything', () => {
  const edges = [edge('x', 'y', 1), edge('y', 'x', 1)];
  const lossesAfter = (shock: number) => Object.fromEntries(propagateLosses(new Map([['x', shock]]), edges));
  expect(lossesAfter(0)).toEqual({ x: 0, y: 0 });
  expect(lossesAfter(1e-9)).toEqual({ x: expect.closeTo(1, 12), y: expect.closeTo(1, 12) });
});

test('an issuer that loses 93 of 285 million takes down two synthetic dollars through their cycle', () => {
  const edges = [
    edge('x', 'issuer', 0.35),
    edge('x', 'y', 0.65),
    edge('y', 'x', 0.65),
    edge('y', 'cash', 0.35),
  ];
  const losses = propagateLosses(new Map([['issuer', 93 / 285]]), edges);
  const x = (0.35 * (93 / 285)) / (1 - 0.65 * 0.65);
  expect(losses.get('x')).toBeCloseTo(x, 14);
  expect(losses.get('y')).toBeCloseTo(0.65 * x, 14);
});

test('thousands of holders of a few hundred markets are solved at once', () => {
  const edges = Array.from({ length: 6_000 }, (_, index) => [
    edge(`v${index}`, `m${index % 500}`, 0.7),
    edge(`v${index}`, `v${Math.floor(index / 2)}`, 0.2),
  ]).flat();
  const losses = propagateLosses(new Map([['m3', 1]]), edges);
  expect(losses.get('v503')).toBeGreaterThanOrEqual(0.7);
  expect(losses.get('m4')).toBe(0);
});

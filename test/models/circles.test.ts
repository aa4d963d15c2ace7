// Circles of holdings: by hand, and against every walk through graphs that are drawn at random.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { circlesAmong } from '../../models/circles.ts';
import { type Edge, UNKNOWN } from '../../models/exposure.ts';

const edge = (from: string, to: string, share = 0.5): Edge => ({ from, to, share });
const among = (edges: readonly Edge[], left: readonly string[] = []) =>
  circlesAmong(
    new Set(edges.flatMap(({ from, to }) => [from, to]).filter((node) => !left.includes(node))),
    edges,
  );

describe('by hand', () => {
  test('two that hold each other are a circle, whatever holds them', () => {
    expect(
      among([edge('XUSD', 'DEUSD'), edge('DEUSD', 'XUSD'), edge('vault', 'XUSD'), edge('DEUSD', 'USDC')]),
    ).toEqual([['DEUSD', 'XUSD']]);
  });

  test('a circle is in the order in which a loss goes round: from what is held to its holder', () => {
    expect(among([edge('B', 'A'), edge('C', 'B'), edge('A', 'C')])).toEqual([['A', 'B', 'C']]);
  });

  test('of several circles through one node the shortest is shown, and each group has one', () => {
    const edges = [
      ...[edge('B', 'A'), edge('A', 'B'), edge('C', 'B'), edge('A', 'C')],
      ...[edge('Y', 'X'), edge('X', 'Y'), edge('X', 'A')],
    ];
    expect(among(edges)).toEqual([
      ['A', 'B'],
      ['X', 'Y'],
    ]);
  });

  test('what holds itself, an edge without a share, the unknown, and nodes that do not count make no circle', () => {
    expect(among([edge('A', 'A'), edge('A', 'B'), edge('B', 'A', 0)])).toEqual([]);
    expect(among([edge('A', UNKNOWN), edge(UNKNOWN, 'A')])).toEqual([]);
    expect(among([edge('A', 'B'), edge('B', 'C'), edge('C', 'A')], ['C'])).toEqual([]);
  });
});

const NODES = ['a', 'b', 'c', 'd', 'e'];
const graphs = fc.array(fc.tuple(fc.constantFrom(...NODES), fc.constantFrom(...NODES)), { maxLength: 12 });

test('every node that a walk brings back is in one group, of which a true circle is shown', () => {
  fc.assert(
    fc.property(graphs, (pairs) => {
      const edges = pairs.map(([from, to]) => edge(from, to));
      const holds = (from: string, to: string) =>
        from !== to && pairs.some(([f, t]) => f === from && t === to);
      const leads = (from: string, to: string, seen: readonly string[] = []): boolean =>
        NODES.some(
          (next) =>
            holds(next, from) && !seen.includes(next) && (next === to || leads(next, to, [...seen, next])),
        );
      const circles = circlesAmong(new Set(NODES), edges);
      for (const circle of circles)
        for (const [index, node] of circle.entries())
          expect(holds(circle[(index + 1) % circle.length] ?? '', node)).toBe(true);
      const inOne = NODES.filter((node) =>
        NODES.some((other) => other !== node && leads(node, other) && leads(other, node)),
      );
      const groups = new Set(
        inOne.map((node) =>
          NODES.filter((other) => other === node || (leads(node, other) && leads(other, node))).join(),
        ),
      );
      expect(circles.length).toBe(groups.size);
      for (const [first = ''] of circles)
        expect([...groups].some((group) => group.startsWith(first))).toBe(true);
    }),
  );
});

// The picture of contagion: bounded, with everything on the way to what is drawn, and without boxes upon each other.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BOX_HEIGHT,
  drawnOf,
  type ExposurePaths,
  KINDS,
  layoutOf,
  type Reliance,
} from '../../../server/web/browser/contagion-layout.ts';

const START = 'asset:X';
const none = { count: 0, usd_low: 0, usd_high: 0, unknown: 0 };

function row(node: string, path: readonly string[] = []): Reliance {
  const step = (id: string) => ({ node: id, kind: id.split(':')[0] ?? '', name: null });
  return {
    ...step(node),
    ...{ share_low: 0.5, share_high: 0.7, value_usd: 10, usd_low: 5, usd_high: 7 },
    path: [START, ...path, node].map(step),
  };
}

const found = (nodes: readonly Reliance[], more: Partial<ExposurePaths> = {}): ExposurePaths => ({
  from: { id: START, kind: 'asset', name: 'X', is_broken: null, markets: [] },
  reach: { market: none, vault: none, asset: none, yield: none },
  ...{ nodes, circles: [], gaps: [] },
  ...more,
});

describe('what is drawn', () => {
  test('the largest of each kind, and what leads to them even if it is small', () => {
    const markets = Array.from({ length: 12 }, (_, n) => row(`market:m${n}`));
    const drawn = drawnOf(found([...markets, row('vault:v', ['market:m11'])]));
    expect(drawn.all.map(({ node }) => node)).toEqual([
      ...Array.from({ length: 6 }, (_, n) => `market:m${n}`),
      'market:m11',
      'vault:v',
    ]);
    expect(drawn.edges).toContainEqual(['market:m11', 'vault:v']);
  });

  test('the rest is counted by what is known and what is not', () => {
    const markets = Array.from({ length: 12 }, (_, n) => row(`market:m${n}`));
    const reach = {
      market: { ...none, count: 30, unknown: 4 },
      vault: { ...none, unknown: 2 },
      asset: none,
      yield: none,
    };
    expect(drawnOf(found(markets, { reach })).rest).toEqual({
      asset: { more: 0, unknown: 0 },
      market: { more: 24, unknown: 4 },
      vault: { more: 0, unknown: 2 },
      yield: { more: 0, unknown: 0 },
    });
  });

  test('a circle is drawn with all its nodes, however small', () => {
    const assets = Array.from({ length: 9 }, (_, n) => row(`asset:a${n}`));
    const drawn = drawnOf(
      found(assets, {
        circles: [
          [START, 'asset:a8'],
          ['asset:a7', 'asset:elsewhere'],
        ],
      }),
    );
    expect(drawn.circles).toEqual([[START, 'asset:a8']]);
    expect(drawn.all.map(({ node }) => node)).toContain('asset:a8');
  });
});

const graphs = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), id: fc.nat({ max: 30 }), through: fc.nat({ max: 30 }) }),
  { maxLength: 60 },
);

test('at any width boxes stay inside and apart, and every line has both ends', () => {
  fc.assert(
    fc.property(graphs, fc.integer({ min: 260, max: 1_080 }), fc.boolean(), (all, room, isNarrow) => {
      const nodes = [
        ...new Map(
          all.map(({ kind, id, through }) => [`${kind}:${id}`, row(`${kind}:${id}`, [`market:${through}`])]),
        ).values(),
      ];
      const reach = Object.fromEntries(
        KINDS.map((kind) => [kind, { ...none, count: 50, unknown: all.length % 3 }]),
      );
      const drawn = drawnOf(found(nodes, { reach: reach as ExposurePaths['reach'] }));
      const layout = layoutOf(drawn, isNarrow ? room : Math.max(640, room), isNarrow);
      const boxes = [layout.start, ...layout.boxes.values(), ...layout.rests.values()];
      for (const [held, holder] of drawn.edges)
        for (const node of [held, holder]) expect(node === START || layout.boxes.has(node)).toBe(true);
      for (const [index, { x, y, width }] of boxes.entries()) {
        expect(x >= 0 && width > 60 && x + width <= layout.width && y + BOX_HEIGHT <= layout.height).toBe(
          true,
        );
        for (const other of boxes.slice(index + 1))
          expect(
            x + width <= other.x || other.x + other.width <= x || Math.abs(y - other.y) >= BOX_HEIGHT,
          ).toBe(true);
      }
      expect(drawn.all.length).toBeLessThanOrEqual(6 * KINDS.length * 3);
    }),
    { numRuns: 60 },
  );
});

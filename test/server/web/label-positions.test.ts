// Labels of thresholds never overlap.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bounds, labelBoxes } from '../../../server/web/browser/label-positions.ts';

const bounds: Bounds = { left: 60, right: 660, top: 10, bottom: 210 };
const layout = { bounds, height: 14, gap: 2 };

const isApart = (a: Bounds, b: Bounds): boolean =>
  a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

test('for any thresholds, no two labels overlap, and each is in the picture and next to its line', () => {
  const anyLabel = fc.record({
    y: fc.double({ min: -50, max: 260, noNaN: true }),
    width: fc.integer({ min: 1, max: 700 }),
  });
  fc.assert(
    fc.property(fc.array(anyLabel, { maxLength: 12 }), (labels) => {
      const boxes = labelBoxes(labels, layout);
      for (const [at, box] of boxes.entries()) {
        expect(boxes.slice(at + 1).filter((other) => !isApart(box, other))).toEqual([]);
        expect(box.left >= bounds.left && box.right <= bounds.right).toBe(true);
        expect(box.top >= bounds.top && box.bottom <= bounds.bottom).toBe(true);
        const { y = 0, width = 0 } = labels[box.index] ?? {};
        expect(box.right - box.left).toBeCloseTo(width, 6);
        expect(Math.min(Math.abs(box.bottom - y), Math.abs(box.top - y))).toBeCloseTo(layout.gap, 6);
      }
      expect(new Set(boxes.map(({ index }) => index)).size).toBe(boxes.length);
    }),
  );
});

test('a label is above its line; one that would overlap is below it or next to the other', () => {
  const [first, second, third] = labelBoxes(
    [
      { y: 100, width: 80 },
      { y: 105, width: 80 },
      { y: 103, width: 80 },
    ],
    layout,
  );
  expect(first).toEqual({ index: 0, left: 62, right: 142, top: 84, bottom: 98 });
  expect(second).toEqual({ index: 1, left: 62, right: 142, top: 107, bottom: 121 });
  expect(third?.left).toBe(146);
});

test('labels far apart are all at the left end, and one wider than the picture is left out', () => {
  const boxes = labelBoxes(
    [40, 90, 140].map((y) => ({ y, width: 100 })),
    layout,
  );
  expect(boxes.map(({ left }) => left)).toEqual([62, 62, 62]);
  expect(labelBoxes([{ y: 100, width: 601 }], layout)).toEqual([]);
});

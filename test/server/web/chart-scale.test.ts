// Axes of charts with few points, or none.
import { expect, test } from 'vitest';
import { boundsOf, rangeOf, spanOf } from '../../../server/web/browser/chart-scale.ts';

const NOON = 1_795_348_800;
const HALF_DAY = 43_200;

test('a single point is in the middle of a day, whatever range the library proposes', () => {
  for (const [from, to] of [
    [NOON, NOON],
    [NOON, NOON + 90_000_000],
    [NOON - 1, NOON + 1],
  ] as const)
    expect(spanOf(from, to, [NOON])).toEqual([NOON - HALF_DAY, NOON + HALF_DAY]);
});

test('two points are at the ends, and a selected range is kept', () => {
  const t = [NOON, NOON + 60];
  expect(spanOf(NOON, NOON + 60, t)).toEqual([NOON, NOON + 60]);
  expect(spanOf(NOON + 10, NOON + 20, t)).toEqual([NOON + 10, NOON + 20]);
  expect(spanOf(NOON, NOON, [NOON, NOON])).toEqual([NOON - HALF_DAY, NOON + HALF_DAY]);
});

test('values have margin, thresholds are in view, and having no value is not an error', () => {
  const [low, high] = rangeOf(1, 2, { thresholds: [{ value: 10, label: 'limit' }] });
  expect([low < 1, high > 10]).toEqual([true, true]);
  expect(rangeOf(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)).toEqual([0, 1]);
  const [under, over] = rangeOf(0, 0);
  expect(under < 0 && over > 0).toBe(true);
});

test.each([
  ['a share of up to 100 % ends there', 60, 100, 'percent', [56.8, 100]],
  ['a fraction that begins at 0 begins there', 0, 0.5, 'fraction', [0, 0.54]],
  ['a rate beyond 100 % has its margin', 20, 120, 'percent', [12, 128]],
  ['other units have no bounds', 0, 100, 'bps', [-8, 108]],
])('%s', (_, low, high, unit, range) => {
  const found = rangeOf(low, high, {}, boundsOf(unit));
  expect(found.map((value) => Number(value.toFixed(9)))).toEqual(range);
});

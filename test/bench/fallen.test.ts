import { expect, test } from 'vitest';
import { againstExpected, hasFallen, slowerLines } from './fallen.ts';
import type { BenchRatio } from './report.ts';

const EXPECTED = { rate: 0.8, time: 4 };
const rate = (value: number): BenchRatio =>
  againstExpected({ label: 'rate', value, goal: '≥ 0.9' }, EXPECTED);
const time = (value: number): BenchRatio => againstExpected({ label: 'time', value, goal: '≤ 5' }, EXPECTED);

test.each([
  [rate(0.68), false],
  [rate(0.679), true],
  [rate(2), false],
  [time(4.6), false],
  [time(4.601), true],
  [time(0.1), false],
  [rate(Number.NaN), true],
])('%j has fallen: %s', (ratio, expected) => {
  expect(hasFallen(ratio)).toBe(expected);
});

test('a ratio of which nothing is expected has not fallen, and says so', () => {
  const ratio = againstExpected({ label: 'new', value: 0, goal: '≥ 1' }, EXPECTED);
  expect([ratio.goal, hasFallen(ratio)]).toEqual(['nothing is expected yet', false]);
});

test('only what fell in both repetitions is named', () => {
  expect(slowerLines([rate(0.5), time(9)], [rate(0.9), time(8)])).toEqual([
    'SLOWER: time: 9.00 and 8.00, should be ≤ 4.600 (expected 4)',
  ]);
  expect(slowerLines([rate(0.5)], [])).toEqual([]);
});

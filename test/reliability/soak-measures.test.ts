// What the soak concludes from its samples: memory that is given back is no growth, and memory that is never given back is.
import { expect, test } from 'vitest';
import { floorsOf, slopeOf } from './soak/measures.ts';

const samples = (value: (hours: number) => number) =>
  Array.from({ length: 80 }, (_, index) => ({ hours: 4 + index / 4, value: value(4 + index / 4) }));

test('the line of least squares through a line is that line', () => {
  expect(slopeOf(samples((hours) => 7 + 1.5 * hours))).toBeCloseTo(1.5, 10);
});

test('memory that a process gives back within the hour is no growth, however late it begins to take it', () => {
  const swinging = samples((hours) => 370 + (hours > 12 && hours % 1 === 0.5 ? 100 : 0));
  expect(slopeOf(swinging)).toBeGreaterThan(1);
  expect(slopeOf(floorsOf(swinging))).toBe(0);
});

test('memory that is never given back is growth', () => {
  const leaking = samples((hours) => 370 + 1.2 * hours + (hours % 1 === 0.25 ? 100 : 0));
  expect(slopeOf(floorsOf(leaking))).toBeCloseTo(1.2, 10);
  expect(floorsOf(leaking)).toHaveLength(20);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { roundParts, roundTo } from '../../models/rounding.ts';

test('numbers are rounded half away from zero, without a negative zero', () => {
  expect([1.005, 2.5, -2.5, -0.004, 1e300].map((value) => roundTo(value, 0))).toEqual([1, 3, -3, 0, 1e300]);
  expect(Object.is(roundTo(-0.004, 2), 0)).toBe(true);
  expect(roundTo(0.1234567, 6)).toBe(0.123457);
});

const cents = (value: number) => Math.round(value * 100);

test('rounded parts add up to the rounded total, and none moves by more than a cent', () => {
  const amount = fc.double({ min: -1e9, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1, maxLength: 100 }), (parts) => {
      const total = parts.reduce((sum, part) => sum + part, 0);
      const rounded = roundParts(total, parts, 2);
      expect(rounded.reduce((sum, part) => sum + cents(part), 0)).toBe(cents(roundTo(total, 2)));
      for (const [index, part] of rounded.entries())
        expect(Math.abs(part - (parts[index] ?? 0))).toBeLessThan(0.0100001);
    }),
  );
});

test('equal remainders are settled in order, and amounts beyond cents by ones', () => {
  expect(roundParts(0.01, [0.005, 0.005], 2)).toEqual([0.01, 0]);
  expect(roundParts(-0.01, [-0.005, -0.005], 2)).toEqual([0, -0.01]);
  const large = roundParts(1e14, [4e13 + 0.5, 6e13 - 0.5], 2);
  expect((large[0] ?? 0) + (large[1] ?? 0)).toBe(1e14);
});

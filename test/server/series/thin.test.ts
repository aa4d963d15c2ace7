import fc from 'fast-check';
import { expect, test } from 'vitest';
import { thinned } from '../../../server/series/thin.ts';

const series = (values: readonly (number | null)[]) => ({
  t: values.map((_, index) => index),
  columns: { value: values, other: values.map((value) => (value === null ? null : -2 * value)) },
});
const known = (values: readonly unknown[]) => values.filter((value) => typeof value === 'number') as number[];

test('the lowest and the highest value are kept, points are those of the series, and there are no more than requested', () => {
  const values = fc.array(fc.option(fc.integer({ min: -1_000, max: 1_000 }), { nil: null }), {
    minLength: 1,
    maxLength: 400,
  });
  fc.assert(
    fc.property(values, fc.integer({ min: 40, max: 100 }), (list, max) => {
      const all = series(list.filter((value, index) => index === 0 || value !== null));
      const { t, columns } = thinned(all, max);
      expect(t.length).toBeLessThanOrEqual(max);
      expect(t).toEqual([...new Set(t)].sort((a, b) => a - b));
      expect(columns['value']).toEqual(t.map((time) => all.columns.value[time]));
      const [before, after] = [known(all.columns.value), known(columns['value'] ?? [])];
      expect([Math.min(...after), Math.max(...after)]).toEqual([Math.min(...before), Math.max(...before)]);
    }),
  );
});

test('one outlier in 100,000 points is kept, and so are the ends', () => {
  const values = Array.from({ length: 100_000 }, (_, n) => (n === 77_777 ? -5_000 : n % 10));
  const { t, columns } = thinned(series(values), 2_000);
  expect(t.length).toBeGreaterThan(500);
  expect(t.length).toBeLessThanOrEqual(2_000);
  expect([t[0], t.at(-1), t.includes(77_777)]).toEqual([0, 99_999, true]);
  expect(columns['value']?.[t.indexOf(77_777)]).toBe(-5_000);
});

test('a short series is unchanged, even an empty one', () => {
  const short = series([1, null, 3]);
  expect(thinned(short, 3)).toBe(short);
  expect(thinned(series([]), 2_000).t).toEqual([]);
});

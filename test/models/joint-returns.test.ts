import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  blockHoursOf,
  chooseJointHours,
  jointReturns,
  type PriceSeries,
  stretchEnds,
  volatilityOf,
} from '../../models/joint-returns.ts';
import { numpyNormals } from './numpy-random.ts';

const HOUR_S = 3_600;
const hoursFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => (from + i) * HOUR_S);
const series = (symbol: string, hour: readonly number[], value = hour.map(() => 0.001)): PriceSeries => ({
  symbol,
  hour,
  value,
});

test('symbols with enough hours in common are kept, in the order given', () => {
  const [a, b] = [series('A', hoursFrom(0, 500)), series('B', hoursFrom(100, 500))];
  expect(chooseJointHours([a, b], 400)).toEqual({ hours: hoursFrom(100, 400), series: [a, b], left_out: [] });
});

test('one hour too few leaves out the symbol that ended first', () => {
  const [a, b] = [series('A', hoursFrom(0, 500)), series('B', hoursFrom(101, 500))];
  const { series: kept, left_out, hours } = chooseJointHours([a, b], 400);
  expect([kept, left_out, hours.length]).toEqual([[b], [a], 500]);
});

test('one symbol of the past does not push out several of the present', () => {
  const past = series('OLD', hoursFrom(0, 1_000));
  const present = ['A', 'B', 'C'].map((symbol) => series(symbol, hoursFrom(1_500, 500)));
  expect(chooseJointHours([past, ...present], 336).left_out).toEqual([past]);
});

test('symbols with a short history of their own are left out first', () => {
  const [long, short] = [series('A', hoursFrom(0, 336)), series('B', hoursFrom(0, 335))];
  expect(chooseJointHours([long, short], 336)).toEqual({
    hours: long.hour,
    series: [long],
    left_out: [short],
  });
  expect(chooseJointHours([short], 336)).toEqual({ hours: [], series: [], left_out: [short] });
});

const gappy = fc
  .array(
    fc.tuple(
      fc.integer({ min: 0, max: 40 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1 }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) =>
    parts.map(([shift, positions], n) =>
      series(
        `S${n}`,
        positions.toSorted((x, y) => x - y).map((index) => (index + shift) * HOUR_S),
      ),
    ),
  );

test('whatever is kept shares the hours that are named, and enough of them; order changes nothing', () => {
  fc.assert(
    fc.property(gappy, fc.integer({ min: 1, max: 30 }), (all, need) => {
      const { hours, series: kept, left_out } = chooseJointHours(all, need);
      expect([...kept, ...left_out].length).toBe(all.length);
      for (const hour of hours) expect(kept.every((one) => one.hour.includes(hour))).toBe(true);
      if (kept.length > 0) expect(hours.length).toBeGreaterThanOrEqual(need);
      const backward = chooseJointHours(all.toReversed(), need);
      expect([backward.hours, backward.series.toReversed()]).toEqual([hours, kept]);
    }),
  );
});

test('returns are scaled to the current volatility', () => {
  const quiet = [...numpyNormals(1, 400)].map((value) => value * 0.001);
  const loud = [...numpyNormals(2, 400)].map((value) => value * 0.002);
  const { sigma_now, z } = volatilityOf([...quiet, ...loud]);
  const deviation = (values: readonly number[]) =>
    Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  expect(sigma_now / 0.002).toBeGreaterThan(0.8);
  expect(sigma_now / 0.002).toBeLessThan(1.25);
  expect(deviation([...z.subarray(50, 400)])).toBeCloseTo(1, 0);
  expect(deviation([...z.subarray(450)])).toBeCloseTo(1, 0);
});

test('the one jump of a price that stood still is multiplied by four at most', () => {
  const still = Array.from({ length: 600 }, () => 0);
  const jump = [...still, -0.02, ...still.slice(0, 300), 0.01];
  const { sigma_now, z } = volatilityOf(jump);
  expect((z[600] ?? 0) * sigma_now).toBeCloseTo(-0.08, 12);
  const calm = volatilityOf([...jump, ...still]);
  expect((calm.z[600] ?? 0) * calm.sigma_now).toBeCloseTo(-0.08, 12);
});

test('a price that never moved has no volatility, and no return of it is drawn', () => {
  expect(volatilityOf([0, 0, 0])).toEqual({ sigma_now: 0, z: new Float64Array(3) });
});

test('blocks end before a missing hour', () => {
  expect([...stretchEnds([...hoursFrom(0, 3), ...hoursFrom(4, 2)])]).toEqual([2, 2, 2, 4, 4]);
  expect([...stretchEnds([])]).toEqual([]);
});

test('the length of blocks is within its limits, or assumed if it cannot be estimated', () => {
  expect(blockHoursOf([...numpyNormals(3, 500)])).toEqual({ value: 6, is_assumed: false });
  let level = 0;
  const slow = [...numpyNormals(4, 3_000)].map((value) => (level = 0.999 * level + value));
  expect(blockHoursOf(slow).value).toBeGreaterThan(100);
  expect(blockHoursOf(slow).value).toBeLessThanOrEqual(168);
  expect(blockHoursOf([0, 0, 0])).toEqual({ value: 24, is_assumed: true });
});

test('a beta multiplies what is drawn, and rows are those of the common hours', () => {
  const hour = hoursFrom(0, 400);
  const own = series(
    'ETH',
    hour,
    [...numpyNormals(5, 400)].map((value) => value * 0.01),
  );
  const hours = hour.filter((_, index) => index !== 10);
  const { inputs } = jointReturns(hours, [
    { series: own, beta: 1, weight: 0.5 },
    { series: own, beta: 2, weight: 0.5 },
  ]);
  const [plain, doubled] = inputs.symbols;
  expect(doubled?.z).toEqual(plain?.z);
  expect(doubled?.sigma_now).toBe((plain?.sigma_now ?? 0) * 2);
  expect(plain?.z.length).toBe(399);
  expect(inputs.history.stretchEnd[0]).toBe(9);
});

test('a trend that gained is not drawn, one that lost is', () => {
  const hour = hoursFrom(0, 400);
  const rising = series(
    'UP',
    hour,
    [...numpyNormals(6, 400)].map((value) => 0.002 + value * 0.01),
  );
  const meanOf = (beta: number) => {
    const { sigma_now = 0, z = new Float64Array() } =
      jointReturns(hour, [{ series: rising, beta, weight: 1 }]).inputs.symbols[0] ?? {};
    return (z.reduce((sum, value) => sum + value, 0) / z.length) * sigma_now;
  };
  expect(meanOf(1)).toBeCloseTo(0, 12);
  expect(meanOf(-1)).toBeLessThan(-0.0005);
});

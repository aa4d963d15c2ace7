import { expect, test } from 'vitest';
import { type ReturnHours, riskBacktests } from '../../models/risk-backtest.ts';
import { numpyNormals } from './numpy-random.ts';

const HOUR = 3_600;
const START = 20 * 86_400;

const hoursOf = (returns: readonly number[]): ReturnHours => ({
  hour: returns.map((_, index) => START + index * HOUR),
  return: returns,
});

const of = (hours: ReturnHours, step: number, level: number, model: string) =>
  riskBacktests(hours).find((one) => one.step_hours === step && one.level === level && one.model === model);

test('every step, level and model is tested, on what the window leaves', () => {
  const results = riskBacktests(hoursOf(numpyNormals(1, 24 * 100).map((value) => value / 100)));
  expect(results).toHaveLength(12);
  for (const { step_hours, trials, expected, level } of results) {
    expect(trials).toBe(step_hours === 1 ? 24 * 100 - 720 : 10);
    expect(expected).toBeCloseTo(trials * (1 - level), 10);
  }
});

test('an exceedance has the end of its hour, the return and the threshold that it broke', () => {
  const returns: number[] = Array.from({ length: 800 }, (_, index) => (index % 2 === 0 ? 0.01 : -0.01));
  returns[750] = -0.5;
  const found = of(hoursOf(returns), 1, 0.95, 'hs');
  expect(found?.exceedances).toEqual([{ at: START + 751 * HOUR, return: -0.5, threshold: -0.01 }]);
  expect(found?.trials).toBe(80);
});

test('days are compounded from all of their hours; a day with a missing hour has no return', () => {
  const whole = hoursOf(new Array<number>(24 * 92).fill(0.001));
  expect(of(whole, 24, 0.95, 'hs')).toMatchObject({ returns: 92, trials: 2 });
  const keep = (_: number, index: number) => index !== 30;
  const holed = { hour: whole.hour.filter(keep), return: whole.return.filter(keep) };
  expect(of(holed, 24, 0.95, 'hs')).toMatchObject({ returns: 91, trials: 1, frequency: null, zone: null });
  const crash = whole.return.map((value, index) => (index >= 24 * 91 ? -0.01 : value));
  const [day] = of(hoursOf(crash), 24, 0.95, 'hs')?.exceedances ?? [];
  expect(day?.at).toBe(START + 92 * 86_400);
  let growth = 1;
  for (let hour = 0; hour < 24; hour++) growth *= 0.99;
  expect(day?.return).toBeCloseTo(growth - 1, 14);
});

test('a history that is no longer than the window gives no forecast and no test', () => {
  for (const length of [0, 1, 720]) {
    expect(of(hoursOf(new Array<number>(length).fill(0.001)), 1, 0.99, 'fhs')).toMatchObject({
      trials: 0,
      returns: length,
      exceedances: [],
      frequency: null,
      independence: null,
      joint: null,
      zone: null,
    });
  }
});

test('zones and p-values are those of the tests, even without any exceedance', () => {
  const calm = of(hoursOf(new Array<number>(1_000).fill(0)), 1, 0.99, 'hs');
  expect(calm).toMatchObject({ trials: 280, exceedances: [], zone: 'green' });
  expect(calm?.independence?.p_value).toBe(1);
  expect(calm?.frequency?.statistic).toBeCloseTo(-2 * 280 * Math.log(0.99), 10);
});

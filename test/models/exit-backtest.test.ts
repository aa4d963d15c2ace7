import { expect, test } from 'vitest';
import {
  type BacktestOptions,
  type ExitForecast,
  exitForecasts,
  type MarketHours,
} from '../../models/exit-backtest.ts';
import { brierScore, climatologyScore, verdictOf } from '../../models/forecast-score.ts';
import { describeRealData } from '../support/real-data.ts';
import { readHourlyStates } from './recorded-states.ts';

const HOUR = 3_600;
const DAY = 86_400;
const START = 20 * DAY;
const OPTIONS: BacktestOptions = { window_hours: 2_160, min_hours: 24, paths: 200 };

/** Hours of a market that supplies 100, from its withdrawable amount at each full hour; null where it is not known. */
function hoursOf(withdrawable: readonly (number | null)[]): MarketHours {
  const rows = withdrawable.slice(0, -1).flatMap((amount, index) => {
    const next = withdrawable[index + 1] ?? null;
    return amount === null || next === null ? [] : [{ index, amount, flow: (next - amount) / 100 }];
  });
  return {
    hour: rows.map(({ index }) => START + index * HOUR),
    flow: rows.map(({ flow }) => flow),
    supplied_usd: rows.map(() => 100),
    withdrawable_usd: rows.map(({ amount }) => amount),
  };
}

const flat = (amount: number, hours: number): readonly number[] => new Array<number>(hours).fill(amount);
const ofSize = (forecasts: readonly ExitForecast[], size: number, horizon_hours: number) =>
  forecasts.filter((one) => one.size === size && one.horizon_hours === horizon_hours);

test('a market that never moves keeps what is larger than its liquidity, for certain', () => {
  const forecasts = exitForecasts(hoursOf(flat(10, 24 * 9 + 1)), OPTIONS);
  expect(ofSize(forecasts, 0.2, 24)).toHaveLength(8);
  for (const { probability, isImmediate } of ofSize(forecasts, 0.2, 168))
    expect({ probability, isImmediate }).toEqual({ probability: 0, isImmediate: false });
  for (const { probability, isImmediate } of ofSize(forecasts, 0.05, 168))
    expect({ probability, isImmediate }).toEqual({ probability: 1, isImmediate: true });
  expect(ofSize(forecasts, 0.2, 24).map(({ isExited }) => isExited)).toEqual(new Array(8).fill(false));
  expect(ofSize(forecasts, 0.2, 168).map(({ isExited }) => isExited)).toEqual([
    false,
    false,
    ...new Array(6).fill(null),
  ]);
});

test('liquidity that comes in steadily lets a position out when it suffices', () => {
  // One a hour for a day: 24 hours of history, and 1 withdrawable at midnight.
  const rising = [...flat(0, 1), ...Array.from({ length: 24 }, () => 1)];
  const steady = hoursOf([...rising, ...Array.from({ length: 24 }, (_, hour) => 2 + hour)]);
  const flows = {
    ...steady,
    flow: steady.flow.map((_, index) => (index < 24 ? 0.01 : (steady.flow[index] ?? 0))),
  };
  const [five] = ofSize(exitForecasts(flows, OPTIONS), 0.05, 24);
  expect(five).toMatchObject({ probability: 1, isImmediate: false, isExited: true });
  const [twenty] = ofSize(exitForecasts(flows, OPTIONS), 0.2, 24);
  expect(twenty).toMatchObject({ probability: 1, isExited: true });
});

test('the amount at the last hour of the horizon counts, and the one after it does not', () => {
  const until = (hour: number) => [...flat(10, 24 + hour), ...flat(30, 40)];
  const exited = (hour: number) => ofSize(exitForecasts(hoursOf(until(hour)), OPTIONS), 0.2, 24)[0]?.isExited;
  expect(exited(24)).toBe(true);
  expect(exited(25)).toBe(false);
});

test('a missing hour leaves it open whether nothing could leave, but not whether something could', () => {
  const gap = [...flat(10, 30), null, ...flat(10, 40)];
  const outcome = (list: readonly (number | null)[]) =>
    ofSize(exitForecasts(hoursOf(list), OPTIONS), 0.2, 24)[0]?.isExited;
  expect(outcome(gap)).toBe(null);
  expect(outcome([...gap.slice(0, 40), 20, ...gap.slice(40)])).toBe(true);
});

test('an outcome is known at the end of the horizon and not before, even if all could leave earlier', () => {
  const early = (length: number) => [...flat(10, 26), ...flat(50, length - 26)];
  const outcome = (length: number) =>
    ofSize(exitForecasts(hoursOf(early(length)), OPTIONS), 0.2, 24)[0]?.isExited;
  expect(outcome(49)).toBe(true);
  expect(outcome(48)).toBe(null);
});

test('there is no forecast from fewer hours than the minimum, and hours before the window are not used', () => {
  const midnights = (hours: MarketHours, options: Partial<BacktestOptions>) =>
    ofSize(exitForecasts(hours, { ...OPTIONS, ...options }), 0.2, 24).map(({ at }) => (at - START) / DAY);
  const hours = hoursOf(flat(10, 24 * 4));
  expect(midnights(hours, { min_hours: 24 })).toEqual([1, 2, 3]);
  expect(midnights(hours, { min_hours: 25 })).toEqual([2, 3]);
  expect(midnights(hours, { min_hours: 25, window_hours: 24 })).toEqual([]);
});

test('a forecast uses what was known before it and nothing else', () => {
  const wave = Array.from({ length: 24 * 6 }, (_, hour) => 12 + ((hour * 7) % 11) - 5);
  const changed = wave.map((amount, hour) => (hour > 24 * 4 ? amount / 3 : amount));
  const before = (list: readonly number[]) =>
    exitForecasts(hoursOf(list), OPTIONS)
      .filter(({ at }) => at <= START + 4 * DAY)
      .map(({ probability }) => probability);
  expect(before(changed)).toEqual(before(wave));
  expect(new Set(before(wave)).size).toBeGreaterThan(1);
});

test('an empty market and an empty history give no forecast', () => {
  const hours = hoursOf(flat(10, 24 * 3));
  expect(exitForecasts({ ...hours, supplied_usd: hours.supplied_usd.map(() => 0) }, OPTIONS)).toEqual([]);
  expect(exitForecasts(hoursOf([]), OPTIONS)).toEqual([]);
});

describeRealData('markets of Aave in distress', () => {
  const FILES = [
    'aave-v2-usdc-eth-hourly-2023-03-09-2023-03-17.csv',
    'aave-v3-usdc-eth-hourly-2023-03-09-2023-03-17.csv',
    'aave-v2-weth-eth-hourly-2022-06-01-2022-06-30.csv',
    'aave-v3-usdt-eth-hourly-2025-08-10-2025-08-21.csv',
  ];
  const options = { window_hours: 2_160, paths: 1_000 };

  test('two weeks of history are too short for a verdict', () => {
    const forecasts = FILES.flatMap((file) =>
      exitForecasts(readHourlyStates(file), { ...options, min_hours: 336 }),
    );
    expect(forecasts).toHaveLength(90);
    expect(forecasts.every(({ isImmediate, isExited }) => isImmediate && isExited !== false)).toBe(true);
  });

  test('with a single day of history the forecasts of a day beat climatology, from too few cases for a verdict', () => {
    const waiting = FILES.flatMap((file) =>
      exitForecasts(readHourlyStates(file), { ...options, min_hours: 24 }),
    ).flatMap(({ at, horizon_hours, isImmediate, isExited, probability }) =>
      isImmediate || isExited === null || horizon_hours !== 24 ? [] : [{ at, probability, isTrue: isExited }],
    );
    expect(waiting).toHaveLength(10);
    expect(waiting.filter(({ isTrue }) => isTrue)).toHaveLength(1);
    expect(brierScore(waiting) ?? 1).toBeLessThan((climatologyScore(waiting) ?? 0) / 100);
    const rule = { min_forecasts: 30, min_outcomes: 5 };
    expect(verdictOf(waiting, { p_value: 1 }, rule)).toBe('insufficient');
  });
});

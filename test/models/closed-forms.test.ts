import { expect, test } from 'vitest';
import { wilsonInterval } from '../../models/estimates.ts';
import { simulateExit } from '../../models/exit.ts';
import { type History, HistoryWalk } from '../../models/history-walk.ts';
import { openStream } from '../../models/random-stream.ts';
import {
  endsBelow,
  type Motion,
  mertonCall,
  normalQuantile,
  touches,
  touchesAtSteps,
} from './closed-forms.ts';

test('Haug’s digital put and one-touch options', () => {
  const put = 10 * Math.exp(-0.06 * 0.75) * endsBelow(motion(100, -(0.35 ** 2) / 2, 0.35, 0.75), 80);
  expect(put).toBeCloseTo(2.671, 4);
  const below = motion(105, 0.1 - 0.2 ** 2 / 2, 0.2, 0.5);
  const above = { ...below, spot: 95 };
  expect(touches(below, 100)).toBeCloseTo(0.656018, 6);
  expect(touches(above, 100)).toBeCloseTo(0.786514, 6);
  expect(15 * Math.exp(-0.05) * touches(below, 100)).toBeCloseTo(9.3604, 4);
  expect(15 * Math.exp(-0.05) * touches(above, 100)).toBeCloseTo(11.2223, 4);
});

const motion = (spot: number, drift: number, volatility: number, years: number): Motion => ({
  spot,
  drift,
  volatility,
  years,
});

test.each([
  [80, 0.1, 1, 0.25, 20.67],
  [100, 0.25, 5, 0.25, 5.96],
  [110, 0.5, 10, 0.25, 4.74],
  [100, 0.5, 1, 0.5, 8.71],
])(
  'Merton’s call at %d in %d years with %d jumps a year that are %d of the variance is %d',
  (strike, years, intensity, share, price) => {
    const found = mertonCall(
      { spot: 100, strike, years, rate: 0.08 },
      { volatility: 0.25, intensity, share },
    );
    expect(Math.abs(found - price)).toBeLessThan(0.01);
  },
);

const HOURS = 720;
const YEARS = HOURS / 8_760;
const VOLATILITY = 0.8;
const MARTINGALE = motion(1, -(VOLATILITY ** 2) / 2, VOLATILITY, YEARS);

test('a fall of a fifth within 720 hours at a volatility of 80 %', () => {
  expect(touches(MARTINGALE, 0.8)).toBeCloseTo(0.36836, 5);
  expect(touchesAtSteps(MARTINGALE, 0.8, HOURS)).toBeCloseTo(0.35733, 5);
});

// A history with exactly the normal distribution of hourly returns, in an arbitrary order.
const ROWS = 20_000;
const STEP = VOLATILITY * Math.sqrt(1 / 8_760);
const returns = Float64Array.from({ length: ROWS }, (_, row) => {
  const index = (row * 7_919) % ROWS;
  return Math.exp(STEP * normalQuantile((index + 0.5) / ROWS) - STEP ** 2 / 2) - 1;
});
const history: History = { stretchEnd: new Int32Array(ROWS).fill(ROWS - 1), bucket: new Uint8Array(ROWS) };
const PATHS = 20_000;

test('hours of Brownian motion drawn by the bootstrap fall as often as the closed form says, within three standard errors', () => {
  const walk = new HistoryWalk(history, 1);
  let fallen = 0;
  let low = 0;
  for (let path = 0; path < PATHS; path++) {
    const stream = openStream(5, path, 0);
    let price = 1;
    let lowest = 1;
    let row = walk.draw(stream, 0);
    for (let hour = 0; hour < HOURS; hour++) {
      price *= 1 + (returns[row] ?? 0);
      lowest = Math.min(lowest, price);
      row = walk.next(stream, row, 0);
    }
    if (lowest <= 0.8) fallen++;
    if (price <= 0.8) low++;
  }
  expectShare(fallen, touchesAtSteps(MARTINGALE, 0.8, HOURS));
  expectShare(low, endsBelow(MARTINGALE, 0.8));
});

test('the exit model prices what stays in a market without liquidity as the closed form does', () => {
  const market = {
    supplied_usd: 1e9,
    withdrawable_usd: 0,
    depth_usd: null,
    sigma_now: STEP,
    block_hours: 1,
    history,
    flow: new Float64Array(ROWS),
    z: returns.map((value) => value / STEP),
  };
  const plan = { position_usd: 1e6, horizon_hours: HOURS, max_slippage_bps: 100, slices: 1, seed: 9 };
  const { stranded_usd, exit_hour } = simulateExit(market, plan, 0, PATHS);
  expect(exit_hour.every((hour) => hour === -1)).toBe(true);
  for (const level of [0.7, 0.8, 1, 1.2])
    expectShare(stranded_usd.filter((usd) => usd <= level * 1e6).length, endsBelow(MARTINGALE, level));
  const mean = stranded_usd.reduce((sum, usd) => sum + usd, 0) / PATHS / 1e6;
  const deviation = Math.sqrt((Math.exp(VOLATILITY ** 2 * YEARS) - 1) / PATHS);
  expect(Math.abs(mean - 1)).toBeLessThan(3 * deviation);
});

/** Expects a share within three standard errors of the expected one. */
function expectShare(count: number, expected: number): void {
  const error = Math.sqrt((expected * (1 - expected)) / PATHS);
  expect(Math.abs(count / PATHS - expected)).toBeLessThan(3 * error);
  // The interval that would be published is of the same width.
  const { from, to } = wilsonInterval(count, PATHS);
  expect((to - from) / (2 * 1.96 * error)).toBeCloseTo(1, 1);
}

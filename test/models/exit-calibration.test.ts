// Whether the backtest distinguishes a world that follows the exit model from one that does not, and what a response reports for each.
import { expect, test } from 'vitest';
import { exitRows } from '../../jobs/backtests/backtest-rows.ts';
import { exitForecasts, type MarketHours } from '../../models/exit-backtest.ts';
import { basisOf, outcomeOf } from '../../models/exit-run.ts';
import type { ExitBacktest } from '../../schemas/backtests.ts';
import { calibrationOf } from '../../server/analytics/calibration.ts';
import { marketInputs, returnInputs } from '../support/analytics-inputs.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { wholeOf } from './whole-exit.ts';

const HOUR = 3_600;
const DAY = 24;
const FORECAST_FROM = 90;
const DAYS = 180;
const RULE = { min_forecasts: 30, min_outcomes: 5 };

/** Average hourly inflow, as a share of the supply, by utilisation. */
const drift = (utilization: number) =>
  utilization > 0.95 ? 0.0035 : utilization > 0.9 ? 0.0005 : utilization > 0.8 ? -0.0015 : -0.004;

/** A market whose flows depend only on its utilisation and chance, as the model assumes; `more` is added to the flow of an hour. */
function market(seed: number, more: (hour: number) => number): MarketHours {
  const random = seededRandom(seed);
  const free = [0.08];
  for (let hour = 0; hour < DAYS * DAY; hour++) {
    const now = free[hour] ?? 0;
    const chance = (random() + random() + random() - 1.5) * 0.022;
    free.push(Math.min(1, Math.max(0, now + drift(1 - now) + chance + more(hour))));
  }
  const starts = free.slice(0, -1);
  return {
    hour: starts.map((_, hour) => hour * HOUR),
    flow: starts.map((now, hour) => (free[hour + 1] ?? 0) - now),
    supplied_usd: starts.map(() => 1e6),
    withdrawable_usd: starts.map((now) => now * 1e6),
  };
}

/** The published rows of the backtest over all sizes, 24 hours first. */
function backtest(hours: MarketHours): readonly ExitBacktest[] {
  const forecasts = exitForecasts(hours, { window_hours: 2_160, min_hours: 336, paths: 100 });
  const own = forecasts.filter(({ at }) => at >= FORECAST_FROM * DAY * HOUR);
  const moment = { as_of: DAYS * DAY * HOUR, computed_at: DAYS * DAY * HOUR };
  return exitRows({ id: 'e:m', hours_known: hours.hour.length, forecasts: own }, moment, RULE)
    .filter(({ size }) => size === 0)
    .map(
      (row) =>
        ({
          ...row,
          size: null,
          calibration: row['verdict'],
          calibration_blocks: row['blocks'],
        }) as unknown as ExitBacktest,
    );
}

const verdicts = (rows: readonly ExitBacktest[]) => rows.map(({ verdict }) => verdict);

/** Gaps and warnings of an exit within `horizon_hours`. */
function said(rows: readonly ExitBacktest[], horizon_hours: number): readonly string[] {
  const order = { position_usd: 1e6, horizon_hours, paths: 100, max_slippage_bps: 100, confidence: [0.95] };
  const whole = { ...order, slices: 1, seed: 1, initial_utilization: null };
  const basis = basisOf({ exit: marketInputs(), returns: returnInputs() }, whole);
  const { gaps, warnings } = outcomeOf(
    basis,
    whole,
    wholeOf(basis, whole),
    calibrationOf(rows, horizon_hours),
  );
  const names = [...gaps.map(({ gap }) => gap), ...warnings.map(({ warning }) => warning)];
  const about = ['not_calibrated', 'calibration_short', 'calibration_failed'];
  return names.filter((name) => about.includes(name));
}

test('in a world that follows the model the backtest passes, and responses say that it covers little time', () => {
  const worlds = [1, 2, 3, 4].map((seed) => backtest(market(seed, () => 0)));
  expect(worlds.flatMap(verdicts).filter((verdict) => verdict === 'pass').length).toBeGreaterThanOrEqual(6);
  const passed = worlds.find((rows) => verdicts(rows).every((verdict) => verdict === 'pass')) ?? [];
  expect(passed.map(({ p_value }) => (p_value ?? 0) >= 0.05)).toEqual([true, true]);
  expect([said(passed, 24), said(passed, 168)]).toEqual([['calibration_short'], ['calibration_short']]);
  const half = passed.map((row) => ({ ...row, calibration_blocks: 13 }));
  expect([said(half, 24), said(half, 168)]).toEqual([[], []]);
});

test('in a world that dries up after the forecasts begin it fails, names every stranded position, and responses stay marked', () => {
  // At a quarter of it only a fifth of the supply is stranded, which forecasts of about .1 allow: seven fortnights cannot tell.
  const dry = (hour: number) => (hour >= FORECAST_FROM * DAY ? -0.01 : 0);
  for (const rows of [1, 2, 3].map((seed) => backtest(market(seed, dry)))) {
    const week = rows.find(({ horizon_hours }) => horizon_hours === 168);
    expect(week?.verdict).toBe('fail');
    expect(week?.p_value ?? 1).toBeLessThan(0.05);
    expect(JSON.parse(String(week?.stranded))).toHaveLength((week?.scored ?? 0) - (week?.exited ?? 0));
    expect(JSON.parse(String(week?.bins)).length).toBeGreaterThan(1);
    expect(said(rows, 168)).toEqual(['not_calibrated', 'calibration_failed']);
  }
});

test('in a world that no one can leave, or where all can leave at once, there is nothing to judge', () => {
  for (const rows of [backtest(market(1, () => -1)), backtest(market(1, () => 1))]) {
    expect(verdicts(rows)).toEqual(['insufficient', 'insufficient']);
    expect(said(rows, 24)).toEqual(['not_calibrated']);
  }
});

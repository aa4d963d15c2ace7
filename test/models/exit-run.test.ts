// A run of the exit from published inputs to published figures, against closed forms and its own properties.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exitBasis } from '../../models/exit-market.ts';
import { type ExitOrder, joinParts, partOf, sharesOf } from '../../models/exit-parts.ts';
import { wholeOf } from './whole-exit.ts';
import { basisOf, outcomeOf } from '../../models/exit-run.ts';
import type { ExitInputs, ReturnInputs } from '../../schemas/analytics.ts';
import { INPUT_END_S, INPUT_HOUR_S, marketInputs, returnInputs } from '../support/analytics-inputs.ts';

const order = (more: Partial<ExitOrder> = {}): ExitOrder => ({
  position_usd: 2_500_000,
  horizon_hours: 24,
  paths: 400,
  max_slippage_bps: 100,
  confidence: [0.95, 0.99],
  slices: 1,
  seed: 1,
  initial_utilization: null,
  ...more,
});

interface Sources {
  readonly exit: ExitInputs;
  readonly returns: ReturnInputs | null;
}

function run({ exit, returns }: Sources, how: ExitOrder) {
  const sources = { exit, returns };
  const basis = basisOf(sources, how);
  return outcomeOf(basis, how, wholeOf(basis, how), { verdict: 'pass', fortnights: 13 });
}

/** Every hour brings the same flow and the same return. */
function constantSources({ flow = 0, each = 0, hours = 800, free = 0.1 } = {}): Sources {
  const base = marketInputs({ hours });
  const exit = {
    ...base,
    borrowed_usd: (1 - free) * 10_000_000,
    withdrawable_usd: free * 10_000_000,
    hours: {
      ...base.hours,
      flow: base.hours.flow.map(() => flow),
      withdrawable_usd: base.hours.hour.map(() => free * 10_000_000),
    },
  };
  const returns = returnInputs(hours);
  return {
    exit,
    returns: { ...returns, hours: { ...returns.hours, return: returns.hours.return.map(() => each) } },
  };
}

test('with a constant inflow and price the exit takes as many hours as the inflow needs, on every path', () => {
  const sources = constantSources({ flow: 0.005 });
  const outcome = run(sources, order({ position_usd: 1_240_000, max_slippage_bps: 10_000 }));
  // 1,000,000 at once, then 50,000 each hour: the last 40,000 leave in the fifth.
  expect(outcome.time_to_exit_hours).toMatchObject({ p50: 5, p95: 5, censored_share: 0 });
  expect(outcome.exit_probability).toMatchObject({ value: 1, parameter_ci: { from: 1, to: 1 } });
  expect(outcome.exit_probability_by_hour?.map(({ value }) => value).slice(3, 7)).toEqual([0, 0, 1, 1]);
  const reserve = 99 * 400_000;
  const lost = [1_000_000, 50_000, 50_000, 50_000, 50_000, 40_000].reduce(
    (sum, sold) => sum + (sold * sold) / (reserve + sold),
    0,
  );
  const cents = Math.round(lost * 100) / 100;
  expect(outcome.attribution).toEqual({ price_usd: 0, slippage_usd: cents, stranded_usd: 0 });
  expect(outcome.proceeds_usd.mean).toBeCloseTo(1_240_000 - lost, 2);
  for (const { var_usd, cvar_usd } of outcome.confidence) {
    expect(var_usd).toMatchObject({ value: cents, parameter_ci: { from: cents, to: cents } });
    expect(cvar_usd?.value).toBe(cents);
  }
});

test('a price that falls by the same share each hour costs what the closed form says', () => {
  const each = -0.001;
  const sources = constantSources({ each, free: 0 });
  const outcome = run(sources, order({ position_usd: 1_000_000, horizon_hours: 48 }));
  const left = 1_000_000 * (1 + each) ** 48;
  expect(outcome.exit_probability?.value).toBe(0);
  expect(outcome.time_to_exit_hours).toMatchObject({ p50: null, p95: null, censored_share: 1 });
  expect(outcome.stranded_usd.mean).toBeCloseTo(left, 1);
  expect(outcome.attribution.price_usd).toBeCloseTo(1_000_000 - left, 1);
  expect(outcome.slippage_bps).toMatchObject({ mean: null, p50: null });
});

const wholeOrder = fc.record({
  position_usd: fc.double({ min: 1, max: 9_000_000, noNaN: true }),
  horizon_hours: fc.integer({ min: 1, max: 60 }),
  max_slippage_bps: fc.integer({ min: 1, max: 10_000 }),
  slices: fc.integer({ min: 1, max: 12 }),
  seed: fc.nat(),
});

test('the attribution and the mean of the proceeds add up to the position, to the cent', () => {
  const sources = { exit: marketInputs(), returns: returnInputs() };
  fc.assert(
    fc.property(wholeOrder, (changes) => {
      const { attribution, proceeds_usd } = run(sources, order({ ...changes, paths: 100 }));
      const parts = [attribution.price_usd, attribution.slippage_usd, attribution.stranded_usd];
      const sum = parts.reduce<number>((total, part) => total + Math.round((part ?? Number.NaN) * 100), 0);
      const position = Math.floor(changes.position_usd * 100 + 0.5);
      expect(sum + Math.round((proceeds_usd.mean ?? Number.NaN) * 100)).toBe(position);
    }),
    { numRuns: 40 },
  );
});

test('a path leaves no later with a longer horizon, a wider limit or a smaller position', () => {
  const sources = { exit: marketInputs(), returns: returnInputs() };
  fc.assert(
    fc.property(wholeOrder, (changes) => {
      const how = order({ ...changes, slices: 1, paths: 100 });
      const hoursOf = (more: Partial<ExitOrder>) =>
        wholeOf(basisOf(sources, how), { ...how, ...more }).paths?.exit_hour ?? new Int32Array();
      const base = hoursOf({});
      const easier = [
        hoursOf({ horizon_hours: how.horizon_hours + 7 }),
        hoursOf({ max_slippage_bps: Math.min(10_000, how.max_slippage_bps + 50) }),
        hoursOf({ position_usd: how.position_usd * 0.7 }),
      ];
      for (const exits of easier)
        for (const [path, hour] of base.entries())
          if (hour >= 0) {
            expect(exits[path]).toBeGreaterThanOrEqual(0);
            expect(exits[path]).toBeLessThanOrEqual(hour);
          }
    }),
    { numRuns: 40 },
  );
});

test.each([
  [2, 1_000],
  [3, 999],
  [7, 251],
  [30, 5_000],
  [2, 5_001],
  [3, 7_777],
  [40, 6_001],
])('%i workers share %i paths, and their parts in order are the whole', (workers, paths) => {
  const sources = { exit: marketInputs(), returns: returnInputs() };
  const how = order({ paths });
  const basis = basisOf(sources, how);
  const parts = sharesOf(how, workers).map((share) => partOf(basis, how, share));
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.length).toBeLessThanOrEqual(workers);
  expect(joinParts(parts)).toEqual(wholeOf(basis, how));
});

test('a history that is too short has empty parts', () => {
  const basis = basisOf({ exit: marketInputs({ hours: 100 }), returns: null }, order());
  const nothing = { paths: null, parameters: null };
  expect(joinParts(sharesOf(order(), 2).map((share) => partOf(basis, order(), share)))).toEqual(nothing);
});

test('parameter ranges hold the value for up to 5,000 paths, and are null beyond', () => {
  const sources = { exit: marketInputs(), returns: returnInputs() };
  const few = run(sources, order({ paths: 5_000, position_usd: 2_000_000 }));
  const { value, parameter_ci } = few.exit_probability ?? { value: Number.NaN, parameter_ci: null };
  expect(parameter_ci?.from).toBeLessThan(value);
  expect(parameter_ci?.to).toBeGreaterThan(value);
  const many = run(sources, order({ paths: 5_001 }));
  expect(many.exit_probability?.parameter_ci).toBeNull();
  expect(many.confidence.map(({ var_usd }) => var_usd?.parameter_ci)).toEqual([null, null]);
});

test('a market without depth sells nothing below a slippage of everything, and loses all of it there', () => {
  const sources = constantSources();
  const none = { ...sources, exit: { ...sources.exit, depth_usd: 0 } };
  const stuck = run(none, order({ position_usd: 1_000 }));
  expect(stuck.exit_probability?.value).toBe(0);
  expect(stuck.attribution).toEqual({ price_usd: 0, slippage_usd: 0, stranded_usd: 1_000 });
  const given = run(none, order({ position_usd: 1_000, max_slippage_bps: 10_000 }));
  expect(given.attribution).toEqual({ price_usd: 0, slippage_usd: 1_000, stranded_usd: 0 });
});

test.each([
  [335, null, ['history_short', 'curve_implied']],
  [336, 336, ['curve_implied']],
  [719, 719, ['curve_implied']],
])('%i known hours: a market is simulated from 336 on', (hours, known, gaps) => {
  const basis = exitBasis(marketInputs({ hours }), returnInputs(hours), null);
  expect(basis.market?.flow.length ?? null).toBe(known);
  expect(basis.gaps.map(({ gap }) => gap).filter((gap) => gap !== 'block_length_assumed')).toEqual(gaps);
});

test('figures of one percent need 720 known hours', () => {
  const at = (hours: number) =>
    run({ exit: marketInputs({ hours }), returns: returnInputs(hours) }, order({ paths: 100 }));
  const [thin, enough] = [at(719), at(720)];
  expect(thin.confidence.map(({ var_usd }) => var_usd === null)).toEqual([false, true]);
  expect(thin.proceeds_usd.p01).toBeNull();
  expect(thin.gaps.find(({ gap }) => gap === 'history_short')).toMatchObject({
    have_hours: 719,
    need_hours: 720,
  });
  expect(enough.confidence.map(({ var_usd }) => var_usd === null)).toEqual([false, false]);
  expect(enough.gaps.map(({ gap }) => gap)).not.toContain('history_short');
});

test('only hours whose flow and return are both known are used, and blocks end before a missing one', () => {
  const returns = returnInputs(1_000);
  const without = (list: readonly number[]) => list.filter((_, index) => index !== 500);
  const holed = {
    ...returns,
    hours: { hour: without(returns.hours.hour), return: without(returns.hours.return) },
  };
  const basis = exitBasis(marketInputs({ hours: 1_000 }), holed, null);
  expect(basis.hours_known).toBe(999);
  expect(basis.market?.history.stretchEnd[0]).toBe(499);
  expect(basis.market?.history.stretchEnd[500]).toBe(998);
  expect([basis.from, basis.to]).toEqual([INPUT_END_S - 1_000 * INPUT_HOUR_S, INPUT_END_S]);
});

test('a caller’s utilisation replaces the published state', () => {
  const basis = exitBasis(marketInputs(), returnInputs(), 0.97);
  expect(basis.market?.withdrawable_usd).toBeCloseTo(300_000, 6);
  expect(basis.bucket).toBe(3);
  const blind = { ...marketInputs(), withdrawable_usd: null };
  expect(exitBasis(blind, null, null).gaps.map(({ gap }) => gap)).toContain('state_unknown');
  expect(exitBasis(blind, null, 0.5).market?.withdrawable_usd).toBe(5_000_000);
});

test('a market that reports more liquidity than is left of its supply has what is left', () => {
  const { exit, returns } = constantSources({ free: 0.0001 });
  const odd: ExitInputs = { ...exit, withdrawable_usd: 3_440_000 };
  const outcome = run({ exit: odd, returns }, order({ position_usd: 10_000 }));
  expect(outcome.exit_probability?.value).toBe(0);
  expect(outcome.withdrawable_usd).toBe(1_000);
  expect(outcome.warnings.map(({ warning }) => warning)).toContain('withdrawable_limited');
  const known = run({ exit, returns }, order({ position_usd: 10_000 }));
  expect(known.warnings.map(({ warning }) => warning)).not.toContain('withdrawable_limited');
});

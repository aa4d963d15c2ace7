import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exp } from '../../models/elementary.ts';
import { quantileInterval } from '../../models/estimates.ts';
import { HistoryWalk } from '../../models/history-walk.ts';
import {
  dependenceOf,
  type Holding,
  lossesOf,
  portfolioRisk,
  type ReturnInputs,
  simulateLosses,
  simulateReturns,
} from '../../models/portfolio.ts';
import { openStream } from '../../models/random-stream.ts';
import { normalCdf } from './closed-forms.ts';
import { numpyNormals } from './numpy-random.ts';

const HOURS = 1_000;

function inputs(series: readonly Float64Array[], sigma = 0.01): ReturnInputs {
  const hours = series[0]?.length ?? 0;
  return {
    history: { stretchEnd: new Int32Array(hours).fill(hours - 1), bucket: new Uint8Array(hours) },
    block_hours: 24,
    symbols: series.map((z) => ({ sigma_now: sigma, z })),
  };
}

const normals = (seed: number) => Float64Array.from(numpyNormals(seed, HOURS));
const one = (symbol: number, amount_usd = 100) => ({
  amount_usd,
  assets: [{ symbol, weight: 1 }],
  pool: null,
});

test('symbols with the same history have the same returns in every path', () => {
  const z = normals(1);
  const [a = new Float64Array(), b] = simulateReturns(inputs([z, z]), { hours: 48, seed: 1 }, 0, 100);
  expect(b).toEqual(a);
  expect(new Set(a).size).toBe(100);
});

/** The simulation as its definition reads, one symbol and path at a time. */
function plainReturns(model: ReturnInputs, hours: number, seed: number, paths: number): number[][] {
  return model.symbols.map(({ sigma_now, z }) =>
    Array.from({ length: paths }, (_, path) => {
      const walk = new HistoryWalk(model.history, model.block_hours);
      const stream = openStream(seed, path, 1);
      let row = walk.draw(stream, 0);
      let value = 1;
      for (let hour = 0; hour < hours; hour++) {
        if (hour > 0) row = walk.next(stream, row, 0);
        value *= 1 + Math.max(-1, (z[row] ?? 0) * sigma_now);
      }
      return value;
    }),
  );
}

test('the fast simulation equals the plain one bit by bit, a price that falls to nothing included', () => {
  const crash = normals(3).map((value, index) => (index === 700 ? -1_000 : value));
  const model = inputs([normals(1), normals(2), crash]);
  const fast = simulateReturns(model, { hours: 200, seed: 77 }, 0, 50);
  expect(fast.map((values) => [...values])).toEqual(plainReturns(model, 200, 77, 50));
  expect(Math.min(...(fast[2] ?? []))).toBe(0);
});

test('a hedged portfolio has bounded contributions, although gains and losses nearly cancel', () => {
  const a = normals(1).map((value) => value * 1_000);
  const b = a.map((value, path) => -value + (path % 7) * 1e-6);
  const { contributions, var_usd } = portfolioRisk([a, b], 0.95);
  for (const own of contributions) expect(Math.abs(own.var_usd)).toBeLessThan(4_000);
  expect(contributions.reduce((sum, own) => sum + own.var_usd, 0)).toBeCloseTo(var_usd, 9);
});

test('lognormal prices give the value at risk and the expected shortfall of the closed form', () => {
  const [sigma, hours] = [0.01, 24];
  const z = normalRows(40_000).map((value) => (exp(sigma * value - (sigma * sigma) / 2) - 1) / sigma);
  const gross = simulateReturns({ ...inputs([z], sigma), block_hours: 1 }, { hours, seed: 5 }, 0, 20_000);
  const { ascending, var_usd, expected_shortfall } = portfolioRisk([lossesOf(one(0, 1), gross)], 0.95);
  const total = sigma * Math.sqrt(hours);
  const quantile = -1.6448536269514722;
  const closedVar = 1 - exp(total * quantile - (total * total) / 2);
  const closedShortfall = 1 - normalCdf(quantile - total) / 0.05;
  // Half of a 95 % interval is 1.96 standard errors; the rows themselves are a sample of 40,000.
  const { from, to } = quantileInterval(ascending, 0.95);
  const rowsError = (3 * hours * sigma) / Math.sqrt(40_000);
  expect(Math.abs(var_usd - closedVar)).toBeLessThan((3 * (to - from)) / 3.92 + rowsError);
  expect(Math.abs(expected_shortfall.value - closedShortfall)).toBeLessThan(
    3 * expected_shortfall.standard_error + rowsError,
  );
});

const normalRows = (count: number) => Float64Array.from(numpyNormals(8, count));

test('a coin and its mirror image hedge each other hour by hour', () => {
  const z = normals(2);
  const gross = simulateReturns(inputs([z, z.map((value) => -value)]), { hours: 1, seed: 1 }, 0, 500);
  const both = {
    amount_usd: 200,
    assets: [
      { symbol: 0, weight: 0.5 },
      { symbol: 1, weight: 0.5 },
    ],
    pool: null,
  };
  for (const loss of lossesOf(both, gross)) expect(Math.abs(loss)).toBeLessThan(1e-12);
});

test('paths do not depend on how they are cut into chunks', () => {
  const model = inputs([normals(1), normals(2)]);
  const whole = simulateReturns(model, { hours: 48, seed: 9 }, 0, 60);
  const parts = [
    simulateReturns(model, { hours: 48, seed: 9 }, 0, 23),
    simulateReturns(model, { hours: 48, seed: 9 }, 23, 60),
  ];
  expect(parts.flatMap(([first = new Float64Array()]) => [...first])).toEqual([...(whole[0] ?? [])]);
});

test.each([1, 499, 500, 501, 1_203])('losses of %i paths are those of all returns at once', (paths) => {
  const model = inputs([normals(1), normals(2)]);
  const horizon = { hours: 24, seed: 9 };
  const assets = [
    { symbol: 0, weight: 0.25 },
    { symbol: 1, weight: 0.75 },
  ];
  const holdings: Holding[] = [
    one(0, 1_000),
    { amount_usd: 500, assets, pool: { kind: 'product', assets: ['A', 'B'] } },
    { amount_usd: 7, assets: [], pool: null },
  ];
  const gross = simulateReturns(model, horizon, 0, paths);
  expect(simulateLosses(model, holdings, { ...horizon, paths })).toEqual(
    holdings.map((holding) => lossesOf(holding, gross)),
  );
});

test('a constant-product pool of two equal assets loses to holding them when they part', () => {
  const gross = [Float64Array.of(4, 1, 0), Float64Array.of(1, 1, 1)];
  const assets = [
    { symbol: 0, weight: 0.5 },
    { symbol: 1, weight: 0.5 },
  ];
  expect([
    ...lossesOf({ amount_usd: 100, assets, pool: { kind: 'product', assets: ['A', 'B'] } }, gross),
  ]).toEqual([-100, 0, 100]);
  expect([...lossesOf({ amount_usd: 100, assets, pool: null }, gross)]).toEqual([-150, 0, 50]);
});

const lossMatrix = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 300 }), fc.nat())
  .map(([positions, paths, seed]) =>
    Array.from({ length: positions }, (_, index) =>
      Float64Array.from(numpyNormals((seed + index) >>> 0, paths)),
    ),
  );

test('what positions contribute adds up to the expected shortfall and to the value at risk', () => {
  fc.assert(
    fc.property(lossMatrix, fc.constantFrom(0.9, 0.95, 0.99), (losses, level) => {
      const { var_usd, expected_shortfall, contributions } = portfolioRisk(losses, level);
      const sum = (pick: (c: (typeof contributions)[number]) => number) =>
        contributions.reduce((total, own) => total + pick(own), 0);
      expect(sum((own) => own.expected_shortfall_usd)).toBeCloseTo(expected_shortfall.value, 9);
      expect(Math.abs(sum((own) => own.var_usd) - var_usd)).toBeLessThan(
        1e-9 * Math.max(1, Math.abs(var_usd)),
      );
      expect(expected_shortfall.value).toBeGreaterThanOrEqual(var_usd);
    }),
    { numRuns: 60 },
  );
});

test('the order of positions changes nothing', () => {
  const losses = [normals(1), normals(2), normals(3)];
  const forward = portfolioRisk(losses, 0.95);
  const backward = portfolioRisk(losses.toReversed(), 0.95);
  expect(backward.var_usd).toBeCloseTo(forward.var_usd, 12);
  for (const [index, own] of backward.contributions.toReversed().entries())
    expect(own.expected_shortfall_usd).toBeCloseTo(
      forward.contributions[index]?.expected_shortfall_usd ?? 0,
      12,
    );
});

test('a position without loss contributes nothing', () => {
  const { contributions } = portfolioRisk([normals(1), new Float64Array(HOURS)], 0.95);
  expect(contributions[1]).toEqual({
    expected_shortfall_usd: 0,
    var_usd: 0,
    marginal_var_usd: 0,
    marginal_expected_shortfall_usd: 0,
  });
});

test('normal hourly returns give the value at risk of the normal distribution', () => {
  const z = Float64Array.from(numpyNormals(4, 20_000));
  const gross = simulateReturns({ ...inputs([z], 0.001), block_hours: 1 }, { hours: 24, seed: 3 }, 0, 20_000);
  const { var_usd } = portfolioRisk([lossesOf(one(0, 1_000_000), gross)], 0.95);
  const expected = 1.6448536269514722 * 0.001 * Math.sqrt(24) * 1_000_000;
  expect(Math.abs(var_usd / expected - 1)).toBeLessThan(0.04);
});

test('dependence: a series with itself, with its opposite and with another', () => {
  const [a, b] = [normals(1), normals(2)];
  expect(dependenceOf(a, a)).toEqual({ correlation: expect.closeTo(1, 12), lower_tail: 1, count: HOURS });
  expect(
    dependenceOf(
      a,
      a.map((value) => -value),
    )?.lower_tail,
  ).toBe(0);
  const apart = dependenceOf(a, b);
  expect(Math.abs(apart?.correlation ?? 1)).toBeLessThan(0.1);
  expect(apart?.lower_tail).toBeLessThan(0.2);
  expect(dependenceOf(a, new Float64Array(HOURS))).toBeNull();
});

test('an empty portfolio is refused', () => {
  expect(() => portfolioRisk([], 0.95)).toThrow(RangeError);
  expect(() => simulateReturns(inputs([new Float64Array()]), { hours: 1, seed: 1 }, 0, 1)).toThrow(
    'at least one row',
  );
});

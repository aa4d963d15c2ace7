import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketOf, type ExitMarket, type ExitPlan, simulateExit } from '../../models/exit.ts';
import { HistoryWalk } from '../../models/history-walk.ts';
import { openStream } from '../../models/random-stream.ts';
import { referencePath } from './exit-reference.ts';
import { numpyNormals } from './numpy-random.ts';

const PATHS = 200;

/** A market whose history is one unbroken stretch with the given flows and scaled returns. */
function market(
  rows: readonly { readonly flow: number; readonly z: number; readonly bucket?: number }[],
  rest: Partial<ExitMarket> = {},
): ExitMarket {
  return {
    supplied_usd: 1_000_000,
    withdrawable_usd: 200_000,
    depth_usd: null,
    sigma_now: 0.01,
    block_hours: 24,
    history: {
      stretchEnd: new Int32Array(rows.length).fill(rows.length - 1),
      bucket: Uint8Array.from(rows, ({ bucket = 0 }) => bucket),
    },
    flow: Float64Array.from(rows, ({ flow }) => flow),
    z: Float64Array.from(rows, ({ z }) => z),
    ...rest,
  };
}

const plan = (changes: Partial<ExitPlan> = {}): ExitPlan => ({
  position_usd: 100_000,
  horizon_hours: 24,
  max_slippage_bps: 100,
  slices: 1,
  seed: 1,
  ...changes,
});

const rowsArbitrary = fc.array(
  fc.record({
    flow: fc.double({ min: -0.2, max: 0.2, noNaN: true }),
    z: fc.double({ min: -4, max: 4, noNaN: true }),
    bucket: fc.integer({ min: 0, max: 4 }),
  }),
  { minLength: 1, maxLength: 300 },
);

const isExited = (exits: Int32Array) => Array.from(exits, (hour) => hour >= 0);
const implies = (a: readonly boolean[], b: readonly boolean[]) =>
  a.every((value, path) => !value || b[path] === true);

test('every path equals the plain hour-by-hour simulation, bit by bit', () => {
  const hole = fc.integer({ min: 0, max: 299 });
  fc.assert(
    fc.property(
      rowsArbitrary,
      fc.nat({ max: 2 ** 31 }),
      fc.array(hole),
      fc.boolean(),
      (rows, seed, holes, isDeep) => {
        const ends = [...holes, rows.length - 1].filter((row) => row < rows.length).sort((a, b) => a - b);
        const stretchEnd = Int32Array.from(rows, (_, row) => ends.find((end) => end >= row) ?? row);
        const whole = market(rows, { depth_usd: isDeep ? null : 7_777, block_hours: 1 + (seed % 50) });
        const position = { ...whole, history: { ...whole.history, stretchEnd } };
        const how = plan({
          seed,
          slices: 1 + (seed % 7),
          horizon_hours: 1 + (seed % 90),
          position_usd: 150_000.37,
        });
        const fast = simulateExit(position, how, 5, 25);
        const buckets = new Set<number>();
        for (let path = 5; path < 25; path++) {
          const slow = referencePath(position, how, path);
          for (const bucket of slow.buckets) buckets.add(bucket);
          expect({
            exit_hour: fast.exit_hour[path - 5],
            proceeds_usd: fast.proceeds_usd[path - 5],
            stranded_usd: fast.stranded_usd[path - 5],
            price_loss_usd: fast.price_loss_usd[path - 5],
            slippage_loss_usd: fast.slippage_loss_usd?.[path - 5] ?? 0,
            buckets: slow.buckets,
          }).toEqual(slow);
        }
        expect(fast.buckets_entered).toEqual([...buckets].sort());
      },
    ),
    { numRuns: 80 },
  );
});

test('a still market with room lets a position out at once, at the slippage of its depth', () => {
  const still = market([{ flow: 0, z: 0 }], { depth_usd: 500_000 });
  const paths = simulateExit(still, plan(), 0, PATHS);
  expect(new Set(paths.exit_hour)).toEqual(new Set([0]));
  const share = 100_000 / (99 * 500_000 + 100_000);
  expect(paths.slippage_loss_usd?.[0]).toBeCloseTo(100_000 * share, 6);
  expect(paths.proceeds_usd[0]).toBeCloseTo(100_000 * (1 - share), 6);
  expect([paths.stranded_usd[0], paths.price_loss_usd[0]]).toEqual([0, expect.closeTo(0, 6)]);
});

test('selling exactly the depth costs 100 bps, and no hour sells more than the limit allows', () => {
  const deep = market([{ flow: 0, z: 0 }], { depth_usd: 50_000 });
  const atDepth = simulateExit(deep, plan({ position_usd: 50_000 }), 0, 1);
  expect(atDepth.slippage_loss_usd?.[0]).toBeCloseTo(500, 6);
  expect(atDepth.exit_hour[0]).toBe(0);
  const twice = simulateExit(deep, plan({ position_usd: 100_001 }), 0, 1);
  expect(twice.exit_hour[0]).toBe(2);
});

test('a full market that only ever was full keeps everything, and its price still moves', () => {
  const rows = Array.from({ length: 100 }, () => ({ flow: 0, z: -0.1, bucket: 4 }));
  const paths = simulateExit(market(rows, { withdrawable_usd: 0 }), plan(), 0, PATHS);
  expect(new Set(paths.exit_hour)).toEqual(new Set([-1]));
  const price = (1 - 0.001) ** 24;
  expect(paths.stranded_usd[0]).toBeCloseTo(100_000 * price, 4);
  expect(paths.price_loss_usd[0]).toBeCloseTo(100_000 * (1 - price), 4);
  expect(paths.proceeds_usd[0]).toBe(0);
});

test('if the depth is unknown, no slippage is reported, and liquidity alone limits what leaves', () => {
  const paths = simulateExit(market([{ flow: 0, z: 0 }]), plan({ position_usd: 250_000 }), 0, 1);
  expect(paths.slippage_loss_usd).toBeNull();
  expect([paths.proceeds_usd[0], paths.stranded_usd[0]]).toEqual([200_000, 50_000]);
});

test('own withdrawals stay gone: what flows in by the hour is what leaves', () => {
  const rows = [{ flow: 0.01, z: 0 }];
  const paths = simulateExit(market(rows, { withdrawable_usd: 0 }), plan({ position_usd: 95_000 }), 0, 1);
  expect(paths.exit_hour[0]).toBe(10);
});

test('a price that falls by more than everything ends at zero', () => {
  const paths = simulateExit(market([{ flow: 0, z: -500 }], { withdrawable_usd: 0 }), plan(), 0, 1);
  expect([paths.stranded_usd[0], paths.price_loss_usd[0]]).toEqual([0, 100_000]);
});

test('parts fall due evenly over the horizon', () => {
  const paths = simulateExit(market([{ flow: 0, z: 0 }]), plan({ slices: 4 }), 0, 1);
  expect(paths.exit_hour[0]).toBe(18);
});

test('a larger position leaves later, a longer horizon and a wider limit let more out, path by path', () => {
  fc.assert(
    fc.property(rowsArbitrary, fc.integer({ min: 0, max: 2 ** 31 }), (rows, seed) => {
      const location = market(rows, { depth_usd: 20_000 });
      const exits = (changes: Partial<ExitPlan>) =>
        isExited(simulateExit(location, plan({ seed, ...changes }), 0, 40).exit_hour);
      expect(implies(exits({ position_usd: 150_000 }), exits({}))).toBe(true);
      expect(implies(exits({ horizon_hours: 12 }), exits({}))).toBe(true);
      expect(implies(exits({ max_slippage_bps: 50 }), exits({}))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('twice the market and twice the position have the same exits and twice the amounts', () => {
  fc.assert(
    fc.property(rowsArbitrary, (rows) => {
      const one = simulateExit(market(rows, { depth_usd: 20_000 }), plan(), 0, 40);
      const doubled = { supplied_usd: 2_000_000, withdrawable_usd: 400_000, depth_usd: 40_000 };
      const two = simulateExit(market(rows, doubled), plan({ position_usd: 200_000 }), 0, 40);
      expect(two.exit_hour).toEqual(one.exit_hour);
      expect(two.proceeds_usd).toEqual(one.proceeds_usd.map((value) => 2 * value));
    }),
    { numRuns: 40 },
  );
});

test('losses and what is left add up to the position', () => {
  fc.assert(
    fc.property(rowsArbitrary, fc.integer({ min: 1, max: 24 }), (rows, slices) => {
      const { proceeds_usd, stranded_usd, price_loss_usd, slippage_loss_usd } = simulateExit(
        market(rows, { depth_usd: 5_000 }),
        plan({ slices }),
        0,
        40,
      );
      for (const [path, proceeds] of proceeds_usd.entries()) {
        const rest =
          (stranded_usd[path] ?? 0) + (price_loss_usd[path] ?? 0) + (slippage_loss_usd?.[path] ?? 0);
        expect(Math.abs(proceeds + rest - 100_000)).toBeLessThan(1e-6);
      }
    }),
    { numRuns: 40 },
  );
});

test('chunks of paths are the paths of the whole, whichever way they are cut', () => {
  const rows = Array.from({ length: 200 }, (_, i) => ({
    flow: Math.sin(i) / 20,
    z: Math.cos(i * 7),
    bucket: i % 5,
  }));
  const location = market(rows, { depth_usd: 20_000 });
  const whole = simulateExit(location, plan(), 0, 90);
  const parts = [0, 7, 50].map((from, i, all) => simulateExit(location, plan(), from, all[i + 1] ?? 90));
  expect(parts.flatMap(({ proceeds_usd }) => [...proceeds_usd])).toEqual([...whole.proceeds_usd]);
  expect(parts.flatMap(({ exit_hour }) => [...exit_hour])).toEqual([...whole.exit_hour]);
});

test('blocks never cross a gap in the history', () => {
  const rows = Array.from({ length: 10 }, (_, i) => ({ flow: 0, z: i < 5 ? 1 : -1 }));
  const stretchEnd = Int32Array.from(rows, (_, i) => (i < 5 ? 4 : 9));
  const broken = market(rows, { block_hours: 1e9, withdrawable_usd: 0 });
  const position = { ...broken, history: { ...broken.history, stretchEnd } };
  // With endless blocks a stretch is left only at its end, so no path has six equal steps that begin inside it.
  const paths = simulateExit(position, plan({ horizon_hours: 3 }), 0, PATHS);
  const ends = new Set(Array.from(paths.stranded_usd, (value) => Math.round(value / 1_000)));
  expect(ends.has(103) && ends.has(97)).toBe(true);
});

test.each([
  [0, 0],
  [0.7999, 0],
  [0.8, 1],
  [0.9, 2],
  [0.95, 3],
  [0.98999, 3],
  [0.99, 4],
  [1, 4],
])('utilisation %f is in bucket %i', (utilization, bucket) => {
  expect(bucketOf(utilization)).toBe(bucket);
});

// An asset of 80 % annual volatility falls by 20 % within 720 hourly looks with probability .3553 ± .0011 (numpy), .35733 by the
// correction of Broadie, Glasserman and Kou (1997) to the continuous one-touch.
test('rows of a lognormal walk fall by a fifth as often as the walk does', () => {
  const hourly = 0.8 / Math.sqrt(24 * 365);
  const draws = numpyNormals(11, 5_000);
  const z = [...draws, ...draws.map((value) => -value)];
  const deviation = Math.sqrt(z.reduce((sum, value) => sum + value * value, 0) / z.length);
  const returns = z.map((value) => Math.exp((value / deviation) * hourly - (hourly * hourly) / 2) - 1);
  const history = {
    stretchEnd: new Int32Array(returns.length).fill(returns.length - 1),
    bucket: new Uint8Array(returns.length),
  };
  const walk = new HistoryWalk(history, 1);
  const count = 10_000;
  let hits = 0;
  for (let path = 0; path < count; path++) {
    const stream = openStream(5, path, 0);
    let row = 0;
    let price = 1;
    for (let hour = 0; hour < 720 && price > 0.8; hour++) {
      row = walk.next(stream, row, 0);
      price *= 1 + (returns[row] ?? 0);
    }
    if (price <= 0.8) hits++;
  }
  const share = hits / count;
  const error = Math.sqrt((share * (1 - share)) / count);
  expect(Math.abs(share - 0.3553)).toBeLessThan(3 * error + 0.0011);
});

import { expect, test } from 'vitest';
import { stableOut } from './stable-pool.ts';
import { coinsAtDepth, largerDepth } from '../../models/pool-depth.ts';
import { poolFactor } from '../../models/simulator/pools.ts';
import { balancesAt, stableCurve, worthsAt } from '../../models/stable-curve.ts';
import type { PoolState } from '../../schemas/pools.ts';
import { seededRandom } from '../support/seeded-random.ts';

const pool = (more: Partial<PoolState>): PoolState => ({
  id: 'ethereum:0xp',
  chain: 'ethereum',
  pool: '0xp',
  venue: null,
  kind: 'product',
  observed_at: 1,
  block_number: null,
  fee_pips: 0,
  symbols: ['WETH', 'USDC'],
  decimals: [18, 6],
  reserves: [`990${'0'.repeat(18)}`, '1980000000000'],
  amplification: null,
  sqrt_price_x96: null,
  liquidity: null,
  ...more,
});

// curvesim, test/fixtures/pool.py: the 3pool with A 2000
const THREE_POOL = pool({
  id: 'ethereum:0x3pool',
  kind: 'stable',
  symbols: ['DAI', 'USDC', 'USDT'],
  decimals: [18, 6, 6],
  reserves: ['295949605740077243186725223', '284320067518878', '288200854907854'],
  amplification: 2_000,
});

test('a constant product takes a ninety-ninth of its reserve at 100 bps, under the name of the coin or of its wrapped form', () => {
  expect(coinsAtDepth('ETH', pool({}))).toBe(10);
  expect(coinsAtDepth('USDC', pool({}))).toBeCloseTo(20_000, 6);
  expect(coinsAtDepth('ETH', pool({ id: 'polygon:0xp', chain: 'polygon' }))).toBeNull();
  expect(coinsAtDepth('WETH', pool({ id: 'polygon:0xp', chain: 'polygon' }))).toBe(10);
  expect(coinsAtDepth('DAI', pool({}))).toBeNull();
  expect(coinsAtDepth('ETH', pool({ reserves: ['0', '5'] }))).toBeNull();
});

test('of two figures the larger is used, and only pools of constant product make it exact', () => {
  const pooled = { coins: 10, isExact: true };
  expect(largerDepth(15_000, pooled, 2_000)).toEqual({ usd: 20_000, from: 'pools', isExact: true });
  expect(largerDepth(25_000, pooled, 2_000)).toEqual({ usd: 25_000, from: 'reported', isExact: false });
  expect(largerDepth(null, { coins: 0, isExact: false }, 1)).toEqual({
    usd: 0,
    from: 'pools',
    isExact: false,
  });
  expect(largerDepth(15_000, pooled, null)?.from).toBe('reported');
  expect(largerDepth(15_000, null, 2_000)?.from).toBe('reported');
  expect(largerDepth(null, pooled, null)).toBeNull();
});

test('the depth of a StableSwap pool is where the contract gives 100 bps less than at its margin', () => {
  const exact = {
    amplification: 2_000n,
    balances: THREE_POOL.reserves.map(BigInt),
    rates: [10n ** 18n, 10n ** 30n, 10n ** 30n],
    fee: 0n,
  };
  const coins = coinsAtDepth('USDC', THREE_POOL) ?? 0;
  const sold = (to: number, scale: number) =>
    Number(stableOut(exact, 1, to, BigInt(Math.round(coins * 1e6)))) / scale / coins;
  const margin = (to: number, scale: number) => Number(stableOut(exact, 1, to, 10n ** 9n)) / scale / 1_000;
  const slippages = [1 - sold(0, 1e18) / margin(0, 1e18), 1 - sold(2, 1e6) / margin(2, 1e6)];
  // Of the two coins, it is the depth against the one that takes more.
  expect(Math.min(...slippages)).toBeCloseTo(0.01, 6);
});

test('liquidity in a range is as deep as a constant product of its size, and no deeper than what the pool has', () => {
  // √price 2^96 is a price of 1 in smallest units: one USDC (6 decimals) for one coin of 6 decimals.
  const range = pool({
    kind: 'ticks',
    symbols: ['USDE', 'USDC'],
    decimals: [6, 6],
    reserves: ['1000000000000', '1000000000000'],
    sqrt_price_x96: String(2n ** 96n),
    liquidity: '99000000000000',
  });
  expect(coinsAtDepth('USDE', range)).toBeCloseTo(1e6, 6);
  expect(coinsAtDepth('USDC', range)).toBeCloseTo(1e6, 6);
  const drained = { ...range, reserves: ['1', '495000000000'] };
  // All 495,000 USDC are paid for it: 99e6 · a / (99e6 + a).
  const max = coinsAtDepth('USDE', drained) ?? 0;
  expect((99e6 * max) / (99e6 + max)).toBeCloseTo(495_000, 6);
  const justEnough = { ...range, reserves: ['1', '990000000000'] };
  expect(coinsAtDepth('USDE', justEnough)).toBeCloseTo(1e6, 6);
  expect(coinsAtDepth('USDE', { ...range, liquidity: '0' })).toBeNull();
});

const balances = [296e6, 284e6, 288e6];

test('balances on a curve are found from the worths that they have', () => {
  const curve = stableCurve(balances, 2_000);
  for (const own of [balances, [1e6, 700e6, 400e6], [5, 100, 900]]) {
    const same = stableCurve(own, 50);
    const found = balancesAt(same, worthsAt(same, own));
    for (const [index, balance] of own.entries())
      expect(found[index] ?? 0).toBeCloseTo(balance, -Math.log10(balance) + 8);
  }
  const shifted = balancesAt(
    curve,
    worthsAt(curve, balances).map((worth, index) => worth * (index === 0 ? 0.9 : 1)),
  );
  expect(stableCurve(shifted, 2_000).d / curve.d).toBeCloseTo(1, 9);
  expect(shifted[0]).toBeGreaterThan((shifted[1] ?? 0) * 5);
});

test('arbitrage leaves the least that a pool of three can be worth on its curve', () => {
  const curve = stableCurve(balances, 100);
  const random = seededRandom(3);
  for (const factors of [
    [1, 0.9, 1.01],
    [0.2, 1, 1],
    [1.3, 0.7, 1],
  ]) {
    const prices = worthsAt(curve, balances).map((worth, index) => worth * (factors[index] ?? 1));
    const worthOf = (own: readonly number[]) =>
      own.reduce((sum, one, index) => sum + one * (prices[index] ?? 0), 0);
    const min = worthOf(balancesAt(curve, prices));
    for (let trial = 0; trial < 2_000; trial++) {
      const guess = balances.map((balance) => balance * (0.001 + random() * 3));
      const scale = curve.d / stableCurve(guess, 100).d;
      expect(worthOf(guess.map((one) => one * scale)) / min).toBeGreaterThan(1 - 1e-9);
    }
  }
});

test('a pool of three stable coins is left with the one that falls', () => {
  const shares = { kind: 'stable', assets: ['A', 'B', 'C'], amplification: 2_000, balances } as const;
  expect(poolFactor(shares, [1, 1, 1])).toBe(1);
  expect(poolFactor(shares, [0.9, 0.9, 0.9])).toBe(0.9);
  expect(poolFactor(shares, [0, 1, 1])).toBe(0);
  // Nearly all of the pool turns into the coin that lost 13 %.
  const fallen = poolFactor(shares, [1, 0.87, 1]);
  expect(fallen).toBeGreaterThan(0.87);
  expect(fallen).toBeLessThan(0.89);
  // Two coins that move alike are one side of a pool of two.
  const both = poolFactor(shares, [0.97, 1, 0.97]);
  expect(both).toBeGreaterThan(0.97);
  expect(both).toBeLessThan(0.9817);
});

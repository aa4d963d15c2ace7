import { expect, test } from 'vitest';
import { productOut } from '../../models/amm-product.ts';
import { stableInvariant, stableOut, virtualPrice } from '../../models/amm-stable.ts';
import { swapStep } from '../../models/amm-ticks.ts';

const wad = (units: number) => BigInt(units) * 10n ** 18n;

// Uniswap v2-core, test/UniswapV2Pair.spec.ts
test.each([
  [1, 5, 10, '1662497915624478906'],
  [1, 10, 5, '453305446940074565'],
  [2, 5, 10, '2851015155847869602'],
  [1, 1000, 1000, '996006981039903216'],
])('constant product: %i into %i/%i', (amount, reserveIn, reserveOut, out) => {
  const pool = { reserveIn: wad(reserveIn), reserveOut: wad(reserveOut), feeBps: 30n };
  expect(productOut(pool, wad(amount))).toBe(BigInt(out));
});

test('constant product refuses an empty pool and a negative amount', () => {
  expect(() => productOut({ reserveIn: 0n, reserveOut: 1n, feeBps: 30n }, 1n)).toThrow(RangeError);
  expect(() => productOut({ reserveIn: 1n, reserveOut: 1n, feeBps: 30n }, -1n)).toThrow(RangeError);
});

// Uniswap v3-core, test/SwapMath.spec.ts: price 1, liquidity 2e18, one token in, fee 600 pips. The target is √1.01 in Q64.96.
const ONE = 1n << 96n;
const root = (ratioNumerator: bigint, ratioDenominator: bigint) =>
  integerRoot((ratioNumerator * (1n << 192n)) / ratioDenominator);
function integerRoot(value: bigint): bigint {
  let guess = value;
  for (let next = (guess + 1n) / 2n; next < guess; next = (guess + value / guess) / 2n) guess = next;
  return guess;
}
const range = (sqrtTarget: bigint) => ({ sqrtPrice: ONE, sqrtTarget, liquidity: wad(2), feePips: 600n });

test('concentrated liquidity: an amount in is capped where the range ends', () => {
  expect(swapStep(range(root(101n, 100n)), wad(1))).toEqual({
    sqrtPrice: root(101n, 100n),
    amountIn: 9975124224178055n,
    fee: 5988667735148n,
    amountOut: 9925619580021728n,
  });
});

test('concentrated liquidity: an amount in is spent inside the range', () => {
  const step = swapStep(range(root(1000n, 100n)), wad(1));
  expect(step.amountIn + step.fee).toBe(wad(1));
  expect([step.amountIn, step.fee, step.amountOut]).toEqual([
    999400000000000000n,
    600000000000000n,
    666399946655997866n,
  ]);
});

test('concentrated liquidity: token 0 lowers the price and the step mirrors the other direction', () => {
  const step = swapStep({ ...range(root(100n, 1000n)), feePips: 600n }, wad(1));
  expect(step.sqrtPrice).toBeLessThan(ONE);
  expect(step.amountOut).toBe(666399946655997866n);
});

// curvesim, test/fixtures/pool.py: the 3pool with A 2000
const THREE_POOL = {
  amplification: 2000n,
  balances: [295949605740077243186725223n, 284320067518878n, 288200854907854n],
  rates: [10n ** 18n, 10n ** 30n, 10n ** 30n],
  fee: 4_000_000n,
};

test('stable swap: invariant, virtual price and a swap of a million', () => {
  const { balances, rates, amplification } = THREE_POOL;
  const scaled = balances.map((balance, place) => (balance * (rates[place] ?? 0n)) / 10n ** 18n);
  expect(stableInvariant(scaled, amplification)).toBe(868470467876941593674366120n);
  expect(virtualPrice(THREE_POOL, 849743149250065202008212976n)).toBe(1022038799187029697n);
  expect(stableOut(THREE_POOL, 0, 1, wad(1_000_000))).toBe(999578282174n);
});

test('stable swap: a balanced pool is (A + 1) / 2 times as deep as a constant product of its size', () => {
  // Two tokens: the contract's A is twice the paper's A·n^(n−1)/n.
  const size = wad(1_000_000);
  const pool = (amplification: bigint) => ({
    amplification,
    balances: [size, size],
    rates: [10n ** 18n, 10n ** 18n],
    fee: 0n,
  });
  const amount = wad(100);
  const shift = (out: bigint) => Number(amount - out);
  const product = shift(productOut({ reserveIn: size, reserveOut: size, feeBps: 0n }, amount));
  for (const a of [50n, 200n, 1000n]) {
    const stable = shift(stableOut(pool(a), 0, 1, amount));
    expect(Math.abs(product / stable / Number(a + 1n) - 1)).toBeLessThan(0.001);
  }
});

test('stable swap: an unbalanced stETH pool prices stETH below ETH', () => {
  const pool = {
    amplification: 50n,
    balances: [242_800n, 757_200n].map((units) => units * 10n ** 18n),
    rates: [10n ** 18n, 10n ** 18n],
    fee: 0n,
  };
  expect(Number(stableOut(pool, 1, 0, wad(1))) / 1e18).toBeCloseTo(0.9643, 3);
  const later = { ...pool, balances: [wad(111_300), wad(491_000)] };
  expect(Math.abs(Number(stableOut(later, 1, 0, wad(1))) / 1e18 - 0.93738)).toBeLessThan(1e-3);
});

test('stable swap refuses what is no pool', () => {
  expect(() => stableOut(THREE_POOL, 1, 1, 1n)).toThrow('two tokens');
  expect(() => stableOut(THREE_POOL, 0, 3, 1n)).toThrow('no token 3');
});

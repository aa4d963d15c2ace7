import { expect, test } from 'vitest';
import { stableInvariant, stableOut, virtualPrice } from './stable-pool.ts';

const wad = (units: number) => BigInt(units) * 10n ** 18n;

// curvesim, test/fixtures/pool.py: the 3pool with A 2000
const THREE_POOL = {
  amplification: 2000n,
  balances: [295949605740077243186725223n, 284320067518878n, 288200854907854n],
  rates: [10n ** 18n, 10n ** 30n, 10n ** 30n],
  fee: 4_000_000n,
};

test('stable swap: invariant, virtual price and a swap of a million', () => {
  const { balances, rates, amplification } = THREE_POOL;
  const scaled = balances.map((balance, index) => (balance * (rates[index] ?? 0n)) / 10n ** 18n);
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
  const product = shift((amount * size) / (size + amount));
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

test('stable swap refuses an invalid pool', () => {
  expect(() => stableOut(THREE_POOL, 1, 1, 1n)).toThrow('two tokens');
  expect(() => stableOut(THREE_POOL, 0, 3, 1n)).toThrow('no token 3');
});

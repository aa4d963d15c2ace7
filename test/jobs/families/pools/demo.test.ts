import { expect, test } from 'vitest';
import { poolsDemoSources } from '../../../../jobs/sources/demo/pools.ts';
import { rowsOf, testPromises } from '../../sources/demo/cuts.ts';
import { STARTED_AT, settings } from '../../sources/demo/expand-rows.ts';

const [source] = poolsDemoSources(settings());
const ALL = { from: -1, to: STARTED_AT };

testPromises(poolsDemoSources);

test('every pool is read every hour, and there are three kinds', async () => {
  const rows = await rowsOf(source, ALL);
  const byPool = Map.groupBy(rows, ({ pool }) => pool);
  expect([...byPool.values()].map(({ length }) => length)).toEqual(Array(6).fill(rows.length / 6));
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['product', 'stable', 'ticks']));
  const times = (byPool.values().next().value ?? []).map(({ observed_at }) => Number(observed_at));
  for (const [index, time] of times.slice(1).entries())
    expect(Math.abs(time - (times[index] ?? 0) - 3_600)).toBeLessThan(13);
});

test('the price and liquidity of a range follow from its reserves', async () => {
  const ranges = (await rowsOf(source, ALL)).filter(({ kind }) => kind === 'ticks');
  expect(ranges.length).toBeGreaterThan(100);
  for (const { reserves, sqrt_price_x96, liquidity } of ranges) {
    const [x = 0, y = 0] = String(reserves).split(',').map(Number);
    const price = Number(sqrt_price_x96) / 2 ** 96;
    expect(Number(liquidity) / price / x).toBeCloseTo(1, 9);
    expect((Number(liquidity) * price) / y).toBeCloseTo(1, 9);
  }
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type KinkedCurve, kinkedRate } from '../../models/rates.ts';
import { describeRealData, realData } from '../support/real-data.ts';

describeRealData('borrow rates that Aave recorded', () => {
  const V2_USDC = { base: 0, slope1: 0.04, slope2: 0.6, optimal: 0.9 };
  const V2_WETH = { base: 0, slope1: 0.03, slope2: 1, optimal: 0.7 };
  const V3_USDC = { base: 0, slope1: 0.04, slope2: 0.6, optimal: 0.9 };
  test.each<[string, KinkedCurve, number]>([
    ['aave-v2-usdc-eth-hourly-2023-03-09-2023-03-17.csv', V2_USDC, 1e-6],
    ['aave-v2-weth-eth-hourly-2022-06-01-2022-06-30.csv', V2_WETH, 2e-9],
    ['aave-v3-usdc-eth-hourly-2023-03-09-2023-03-17.csv', V3_USDC, 2e-4],
  ])('%s', (file, curve, tolerancePct) => {
    const hours = readHours(file);
    expect(hours.length).toBeGreaterThan(150);
    const errors = hours.map(({ utilization, ratePct }) =>
      Math.abs(kinkedRate(curve, utilization) * 100 - ratePct),
    );
    expect(Math.max(...errors)).toBeLessThan(tolerancePct);
  });
});

function readHours(file: string): readonly { readonly utilization: number; readonly ratePct: number }[] {
  const [head = '', ...lines] = readFileSync(realData(`lending/${file}`), 'utf8')
    .trim()
    .split('\n');
  const columns = head.split(',');
  const value = (cells: readonly string[], name: string) => Number(cells[columns.indexOf(name)]);
  return lines
    .map((line) => line.split(','))
    .map((cells) => ({
      utilization: value(cells, 'borrowed_USD') / value(cells, 'supplied_USD'),
      ratePct: value(cells, 'borrower_variable_apr'),
    }));
}

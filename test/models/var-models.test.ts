import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ewmaDeviations, VAR_MODELS, type VarModel, walkForward } from '../../models/var-models.ts';
import { christoffersen, kupiec } from '../../models/var-tests.ts';
import { describeRealData, realData } from '../support/real-data.ts';
import { numpyNormals } from './numpy-random.ts';

const HOUR = 3_600;
const DAY = 86_400;

describeRealData('ETH-USD by Chainlink, ten months', () => {
  // Exceedances and the p-values of Kupiec and of Christoffersen's independence, computed independently
  const PUBLISHED: readonly (readonly [VarModel, number, 0.95 | 0.99, number, string, string])[] = [
    ['hs', DAY, 0.95, 12, '0.62', '0.22'],
    ['hs', DAY, 0.99, 4, '0.24', '0.69'],
    ['ewma', DAY, 0.95, 8, '0.43', '0.42'],
    ['ewma', DAY, 0.99, 3, '0.55', '0.77'],
    ['fhs', DAY, 0.95, 10, '0.90', '0.31'],
    ['fhs', DAY, 0.99, 2, '0.96', '0.84'],
    ['hs', HOUR, 0.95, 344, '0.23', '0.03'],
    ['hs', HOUR, 0.99, 71, '0.42', '0.05'],
    ['ewma', HOUR, 0.95, 271, '0.00', '0.10'],
    ['ewma', HOUR, 0.99, 130, '0.00', '0.07'],
    ['fhs', HOUR, 0.95, 329, '0.72', '0.08'],
    ['fhs', HOUR, 0.99, 71, '0.42', '0.24'],
  ];
  const rounds = readRounds();
  test.each(PUBLISHED)('%s over %i s at %f', (model, step, level, exceedances, coverage, independence) => {
    const daily = step === DAY;
    const options = { model, level, window: daily ? 90 : 720, lambda: daily ? 0.94 : 0.97 };
    const hits = walkForward(returnsOf(rounds, step), options).map(({ isExceeded }) => isExceeded);
    expect(hits).toHaveLength(daily ? 208 : 6_452);
    expect(hits.filter((hit) => hit)).toHaveLength(exceedances);
    expect(kupiec(hits.length, exceedances, 1 - level).p_value.toFixed(2)).toBe(coverage);
    expect(christoffersen(hits).p_value.toFixed(2)).toBe(independence);
  });
});

interface Round {
  readonly at: number;
  readonly price: number;
}

/** Oldest first; of two rounds in one second the later one counts. */
function readRounds(): readonly Round[] {
  const [head = '', ...lines] = readFileSync(realData('oracles/chainlink-eth-usd-rounds.csv'), 'utf8')
    .trim()
    .split('\n');
  const columns = head.split(',');
  const [atColumn, priceColumn] = [columns.indexOf('update'), columns.indexOf('answer')];
  return lines
    .map((line) => line.split(','))
    .map((cells) => ({ at: Number(cells[atColumn]), price: Number(cells[priceColumn]) }))
    .filter(({ at, price }) => at > 0 && price > 0)
    .reverse()
    .toSorted((a, b) => a.at - b.at);
}

/** Simple returns of the last price at each step of the clock. */
function returnsOf(rounds: readonly Round[], step: number): readonly number[] {
  const prices: number[] = [];
  let next = Math.ceil((rounds[0]?.at ?? 0) / step) * step;
  let last = 0;
  for (const { at, price } of rounds) {
    for (; at > next; next += step) prices.push(last);
    last = price;
  }
  return prices.slice(1).map((price, index) => price / (prices[index] ?? price) - 1);
}

const options = (model: VarModel) => ({ model, level: 0.95 as const, window: 100, lambda: 0.94 });

test.each(VAR_MODELS)(
  '%s forecasts from the past alone: a later change moves no earlier threshold',
  (model) => {
    const returns = numpyNormals(3, 300).map((value) => value / 100);
    const changed = returns.map((value, index) => (index >= 250 ? value * 9 : value));
    const thresholds = (values: readonly number[]) =>
      walkForward(values, options(model))
        .filter(({ index }) => index <= 250)
        .map(({ threshold }) => threshold);
    expect(thresholds(changed)).toEqual(thresholds(returns));
  },
);

test.each(VAR_MODELS)('%s is exceeded about as often as it says by independent normal returns', (model) => {
  const returns = numpyNormals(5, 4_100).map((value) => value / 100);
  const hits = walkForward(returns, options(model)).filter(({ isExceeded }) => isExceeded).length;
  expect(hits / 4_000).toBeGreaterThan(0.04);
  expect(hits / 4_000).toBeLessThan(0.065);
});

test('the variance is weighted exponentially from the mean square of the first thirty', () => {
  const returns = [...new Array<number>(30).fill(0.02), 0.1, 0];
  const deviations = ewmaDeviations(returns, 0.94);
  expect(deviations[30]).toBeCloseTo(0.02, 15);
  expect(deviations[31]).toBeCloseTo(Math.sqrt(0.94 * 0.0004 + 0.06 * 0.01), 15);
});

test.each(VAR_MODELS)('%s stays finite over a price that stood still before it first moved', (model) => {
  const returns = [
    ...new Array<number>(60).fill(0),
    0.03,
    ...numpyNormals(6, 200).map((value) => value / 100),
  ];
  const forecasts = walkForward(returns, { ...options(model), window: 50 });
  expect(forecasts.every(({ threshold }) => Number.isFinite(threshold))).toBe(true);
  expect(forecasts.filter(({ isExceeded }) => isExceeded).length).toBeGreaterThan(0);
});

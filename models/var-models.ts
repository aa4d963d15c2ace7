// Walk-forward value at risk by three models: historical simulation, a normal distribution with exponentially weighted variance
// (RiskMetrics), and filtered historical simulation (Barone-Adesi 1999). Each forecast uses only what was known before it.
import { quantile } from './estimates.ts';

export const VAR_MODELS = ['hs', 'ewma', 'fhs'] as const;
export type VarModel = (typeof VAR_MODELS)[number];

export interface WalkForward {
  readonly model: VarModel;
  /** Number of returns that a quantile is taken from. */
  readonly window: number;
  /** .95 or .99: the forecast is the loss exceeded with probability 1 − level. */
  readonly level: 0.95 | 0.99;
  /** Weight of the past in the variance: .97 for hours, .94 for days. */
  readonly lambda: number;
}

export interface Forecast {
  /** Index of the forecast return. */
  readonly index: number;
  /** Return below which there is an exceedance; negative. */
  readonly threshold: number;
  readonly isExceeded: boolean;
}

/** Returns whose mean square starts the variance. */
const SEED_COUNT = 30;

const NORMAL_QUANTILES = { 0.95: -1.6448536269514722, 0.99: -2.3263478740408408 } as const;

/** One forecast for each return after the first `window`. Simple returns, oldest first. */
export function walkForward(returns: readonly number[], options: WalkForward): readonly Forecast[] {
  const { model, window, level } = options;
  const deviations = ewmaDeviations(returns, options.lambda);
  const scaled = returns.map((value, index) => scaledBy(deviations[index] ?? 0, value));
  const sample = model === 'hs' ? returns : scaled;
  const sorted = model === 'ewma' ? null : slidingWindow(sample, window);
  return returns.slice(window).map((value, offset) => {
    const index = offset + window;
    const deviation = deviations[index] ?? 0;
    const tail = sorted === null ? NORMAL_QUANTILES[level] : quantile(sorted(offset), 1 - level);
    const threshold = model === 'hs' ? tail : tail * deviation;
    return { index, threshold, isExceeded: value < threshold };
  });
}

/** Before the first move of a price its deviation is 0, and nothing can be measured in units of it. */
const scaledBy = (deviation: number, value: number): number => (deviation === 0 ? 0 : value / deviation);

/** Standard deviation forecast for each return from the returns before it; 0 while all of them are 0. */
export function ewmaDeviations(returns: readonly number[], lambda: number): readonly number[] {
  const seed = returns.slice(0, SEED_COUNT);
  let variance = seed.reduce((sum, value) => sum + value * value, 0) / Math.max(1, seed.length);
  return returns.map((value) => {
    const deviation = Math.sqrt(variance);
    variance = lambda * variance + (1 - lambda) * value * value;
    return deviation;
  });
}

/** Ascending values of the window that starts at an offset; offsets must be requested in order. */
function slidingWindow(values: readonly number[], size: number): (offset: number) => readonly number[] {
  const sorted = values.slice(0, size).sort((a, b) => a - b);
  let start = 0;
  return (offset) => {
    for (; start < offset; start++) {
      sorted.splice(positionOf(sorted, values[start] ?? 0), 1);
      const added = values[start + size] ?? 0;
      sorted.splice(positionOf(sorted, added), 0, added);
    }
    return sorted;
  };
}

/** First index whose value is not below the given one. */
function positionOf(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

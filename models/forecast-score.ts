// Scores of probability forecasts: the Brier score against always forecasting the rate that was observed, and reliability by bins.
import { type Interval, wilsonInterval } from './estimates.ts';

export interface ScoredForecast {
  readonly probability: number;
  readonly isTrue: boolean;
}

export interface ReliabilityBin {
  /** Probabilities from `from` up to, but not including, `to`; the last bin includes 1. */
  readonly from: number;
  readonly to: number;
  readonly forecasts: number;
  readonly mean_probability: number;
  readonly observed_share: number;
  /** 95 % interval of the observed share (Wilson). */
  readonly interval: Interval;
}

export const BINS = 10;

/** Mean squared difference between the probability and what happened; null without forecasts. 0 is perfect. */
export function brierScore(forecasts: readonly ScoredForecast[]): number | null {
  if (forecasts.length === 0) return null;
  let sum = 0;
  for (const { probability, isTrue } of forecasts) {
    const error = probability - (isTrue ? 1 : 0);
    sum += error * error;
  }
  return sum / forecasts.length;
}

/** The Brier score of always forecasting the observed rate, r(1 − r); null without forecasts. */
export function climatologyScore(forecasts: readonly ScoredForecast[]): number | null {
  if (forecasts.length === 0) return null;
  const rate = forecasts.filter(({ isTrue }) => isTrue).length / forecasts.length;
  return rate * (1 - rate);
}

/** Ten bins of equal width; bins without forecasts are left out. */
export function reliabilityBins(forecasts: readonly ScoredForecast[]): readonly ReliabilityBin[] {
  const binOf = ({ probability }: ScoredForecast) => Math.min(BINS - 1, Math.floor(probability * BINS));
  return Array.from({ length: BINS }, (_, bin) => forecasts.filter((one) => binOf(one) === bin)).flatMap(
    (own, bin) => (own.length === 0 ? [] : [reliabilityOf(own, bin)]),
  );
}

function reliabilityOf(own: readonly ScoredForecast[], bin: number): ReliabilityBin {
  const hits = own.filter(({ isTrue }) => isTrue).length;
  return {
    from: bin / BINS,
    to: (bin + 1) / BINS,
    forecasts: own.length,
    mean_probability: own.reduce((sum, { probability }) => sum + probability, 0) / own.length,
    observed_share: hits / own.length,
    interval: wilsonInterval(hits, own.length),
  };
}

export const VERDICTS = ['pass', 'fail', 'insufficient'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a verdict needs at least. */
export interface VerdictRule {
  readonly min_forecasts: number;
  /** Of each outcome. */
  readonly min_outcomes: number;
  /** Bins with fewer forecasts are not judged. */
  readonly min_bin_forecasts: number;
}

/**
 * Passed if the Brier score is below climatology and the mean probability of every judged bin is within the interval of what was
 * observed; insufficient where there are too few forecasts, or too few of one outcome, to tell.
 */
export function verdictOf(forecasts: readonly ScoredForecast[], rule: VerdictRule): Verdict {
  const hits = forecasts.filter(({ isTrue }) => isTrue).length;
  const rarer = Math.min(hits, forecasts.length - hits);
  if (forecasts.length < rule.min_forecasts || rarer < rule.min_outcomes) return 'insufficient';
  const [brier, climatology] = [brierScore(forecasts), climatologyScore(forecasts)];
  const isSkilled = brier !== null && climatology !== null && brier < climatology;
  const judged = reliabilityBins(forecasts).filter((bin) => bin.forecasts >= rule.min_bin_forecasts);
  const isReliable = judged.every(
    ({ mean_probability, interval }) => mean_probability >= interval.from && mean_probability <= interval.to,
  );
  return isSkilled && isReliable ? 'pass' : 'fail';
}

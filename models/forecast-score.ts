// Scores of probability forecasts: the Brier score, compared with forecasting the rate of other times, and reliability by bins.
import { blockOf, type CalibrationTest, type DatedForecast } from './calibration-test.ts';
import { type Interval, wilsonInterval } from './estimates.ts';

export type ScoredForecast = DatedForecast;

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

/** Mean squared difference between probability and outcome; null without forecasts. 0 is perfect. */
export function brierScore(forecasts: readonly ScoredForecast[]): number | null {
  if (forecasts.length === 0) return null;
  let sum = 0;
  for (const { probability, isTrue } of forecasts) {
    const error = probability - (isTrue ? 1 : 0);
    sum += error * error;
  }
  return sum / forecasts.length;
}

/**
 * The Brier score of forecasting, in each fortnight, the share of true outcomes in the other fortnights: like the forecasts, it has no
 * knowledge of the fortnight. Null with fewer than two fortnights.
 */
export function climatologyScore(forecasts: readonly ScoredForecast[]): number | null {
  const blocks = [...Map.groupBy(forecasts, ({ at }) => blockOf(at)).values()];
  if (blocks.length < 2) return null;
  const hitsOf = (own: readonly ScoredForecast[]) => own.filter(({ isTrue }) => isTrue).length;
  const hits = hitsOf(forecasts);
  let sum = 0;
  for (const own of blocks) {
    const ownHits = hitsOf(own);
    const share = (hits - ownHits) / (forecasts.length - own.length);
    sum += ownHits * (1 - share) * (1 - share) + (own.length - ownHits) * share * share;
  }
  return sum / forecasts.length;
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

/** Minimum requirements of a verdict. */
export interface VerdictRule {
  readonly min_forecasts: number;
  /** Minimum number of forecasts of each outcome. */
  readonly min_outcomes: number;
}

/** A p-value below this is a failure. */
const SIGNIFICANCE = 0.05;

/**
 * Passes if the Brier score is below climatology and the test of calibration finds no fault; insufficient if there are too few forecasts,
 * fortnights, or cases of one outcome.
 */
export function verdictOf(
  forecasts: readonly ScoredForecast[],
  { p_value }: Pick<CalibrationTest, 'p_value'>,
  rule: VerdictRule,
): Verdict {
  const hits = forecasts.filter(({ isTrue }) => isTrue).length;
  const rarer = Math.min(hits, forecasts.length - hits);
  if (forecasts.length < rule.min_forecasts || rarer < rule.min_outcomes) return 'insufficient';
  const [brier, climatology] = [brierScore(forecasts), climatologyScore(forecasts)];
  if (brier === null || climatology === null || p_value === null) return 'insufficient';
  return brier < climatology && p_value >= SIGNIFICANCE ? 'pass' : 'fail';
}

// Backtests of exits as rows of their raw table: one for each horizon and size, for each market and for all markets together.
import { calibrationTest } from '../../models/calibration-test.ts';
import { EXIT_HORIZONS, EXIT_SIZES, type ExitForecast } from '../../models/exit-backtest.ts';
import {
  brierScore,
  climatologyScore,
  type ReliabilityBin,
  reliabilityBins,
  type VerdictRule,
  verdictOf,
} from '../../models/forecast-score.ts';
import { roundTo } from '../../models/rounding.ts';
import type { BacktestRow, Moment } from './risk-rows.ts';

/** Id of the rows that cover all markets together. */
export const ALL = 'all';
/** Size of the rows that cover all sizes together. */
const EVERY_SIZE = 0;

export interface ExitSample {
  readonly id: string;
  readonly hours_known: number;
  readonly forecasts: readonly ExitForecast[];
}

export function exitRows(
  { id, hours_known, forecasts }: ExitSample,
  moment: Moment,
  rule: VerdictRule,
): readonly BacktestRow[] {
  return EXIT_HORIZONS.flatMap((horizon_hours) =>
    [EVERY_SIZE, ...EXIT_SIZES].map((size) => {
      const own = forecasts.filter(
        (one) => one.horizon_hours === horizon_hours && (size === EVERY_SIZE || one.size === size),
      );
      return {
        id,
        ...moment,
        horizon_hours,
        size,
        hours_known,
        ...scored(own, rule),
        stranded: strandedOf(id, own),
      };
    }),
  );
}

/** Leaves out exits that are possible at once: they need no forecast and would make any score look good. */
function scored(forecasts: readonly ExitForecast[], rule: VerdictRule): BacktestRow {
  const waiting = forecasts.filter(({ isImmediate }) => !isImmediate);
  const known = waiting.flatMap(({ at, probability, isExited }) =>
    isExited === null ? [] : [{ at, probability, isTrue: isExited }],
  );
  const test = calibrationTest(known);
  return {
    forecasts: forecasts.length,
    immediate: forecasts.length - waiting.length,
    open: waiting.length - known.length,
    scored: known.length,
    exited: known.filter(({ isTrue }) => isTrue).length,
    brier: roundedOrNull(brierScore(known)),
    climatology: roundedOrNull(climatologyScore(known)),
    blocks: test.blocks,
    p_value: test.p_value === null ? null : roundTo(test.p_value, 4),
    bins: JSON.stringify(reliabilityBins(known).map(binOf)),
    verdict: verdictOf(known, test, rule),
  };
}

const roundedOrNull = (value: number | null) => (value === null ? null : roundTo(value, 6));

const binOf = ({ interval, mean_probability, observed_share, ...bin }: ReliabilityBin) => ({
  ...bin,
  mean_probability: roundTo(mean_probability, 6),
  observed_share: roundTo(observed_share, 6),
  observed_from: roundTo(interval.from, 6),
  observed_to: roundTo(interval.to, 6),
});

function strandedOf(id: string, forecasts: readonly ExitForecast[]): string {
  if (id === ALL) return '[]';
  const stranded = forecasts.filter(({ isImmediate, isExited }) => !isImmediate && isExited === false);
  return JSON.stringify(
    stranded.map(({ at, size, probability }) => ({ at, size, probability: roundTo(probability, 6) })),
  );
}

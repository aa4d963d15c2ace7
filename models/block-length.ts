// Block length of a bootstrap: the automatic choice of Politis and White (2004) with the correction of Patton, Politis and White (2009),
// from the autocovariances of the series.
import { exp, ln, square } from './elementary.ts';

export interface BlockLength {
  /** Mean length of the random blocks of the stationary bootstrap. */
  readonly stationary: number;
  /** Length of the fixed blocks of the circular bootstrap. */
  readonly circular: number;
}

/** Null for fewer than ten values or a constant series, for which there is no estimate. */
export function optimalBlockLength(values: readonly number[]): BlockLength | null {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const centred = values.map((value) => value - mean);
  if (n < 10 || centred.every((value) => value === 0)) return null;
  const log10 = ln(n) / ln(10);
  const run = Math.max(5, Math.floor(log10));
  const maxLag = Math.ceil(Math.sqrt(n)) + run;
  const covariance = Array.from({ length: maxLag + 1 }, (_, lag) => crossProduct(centred, lag) / n);
  const bandwidth = Math.min(maxLag, bandwidthOf(centred, { run, maxLag, limit: 2 * Math.sqrt(log10 / n) }));
  const { slope, variance } = longRun(covariance, bandwidth);
  const longest = Math.ceil(Math.min(3 * Math.sqrt(n), n / 3));
  const length = (factor: number) =>
    Math.min(longest, cubeRoot(((2 * slope * slope) / (factor * variance * variance)) * n));
  return { stationary: length(2), circular: length(4 / 3) };
}

const crossProduct = (values: readonly number[], lag: number): number => {
  let sum = 0;
  for (let i = lag; i < values.length; i++) sum += (values[i] ?? 0) * (values[i - lag] ?? 0);
  return sum;
};

interface Search {
  /** Number of consecutive small autocorrelations that end the search. */
  readonly run: number;
  readonly maxLag: number;
  /** An autocorrelation below this counts as zero. */
  readonly limit: number;
}

/** Twice the first lag after which `run` autocorrelations are negligible; all lags if there is none. */
function bandwidthOf(centred: readonly number[], { run, maxLag, limit }: Search): number {
  const isSmall: boolean[] = [];
  for (let lag = 0; lag <= maxLag; lag++) {
    if (lag >= run && isSmall.slice(lag - run, lag).every((small) => small))
      return 2 * Math.max(lag - run, 1);
    isSmall.push(Math.abs(autocorrelation(centred, lag)) < limit);
  }
  return maxLag;
}

/** Scaled by the squares of the two parts of the series that the lag pairs. */
function autocorrelation(centred: readonly number[], lag: number): number {
  const squares = (from: number, to: number) => {
    let sum = 0;
    for (let i = from; i < to; i++) sum += square(centred[i] ?? 0);
    return sum;
  };
  const n = centred.length;
  return crossProduct(centred, lag) / Math.sqrt(squares(lag + 1, n) * squares(0, n - lag - 1));
}

/** Spectral sums with the flat-top window: full weight up to half of the bandwidth, then falling to zero. */
function longRun(
  covariance: readonly number[],
  bandwidth: number,
): { readonly slope: number; readonly variance: number } {
  let slope = 0;
  let variance = covariance[0] ?? 0;
  for (let lag = 1; lag <= bandwidth; lag++) {
    const weight = lag / bandwidth <= 0.5 ? 1 : 2 * (1 - lag / bandwidth);
    const term = 2 * weight * (covariance[lag] ?? 0);
    slope += term * lag;
    variance += term;
  }
  return { slope, variance };
}

const cubeRoot = (value: number): number => (value === 0 ? 0 : exp(ln(value) / 3));

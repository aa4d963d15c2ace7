// Backtests of value at risk: does a model's loss quantile hold as often as claimed (Kupiec 1995), and are its breaches independent
// (Christoffersen 1998)? p-values are exact for χ² with one or two degrees of freedom.
import { chiSquareTail1, chiSquareTail2, exp, ln } from './elementary.ts';

export interface TestResult {
  /** Likelihood ratio. */
  readonly statistic: number;
  readonly p_value: number;
}

/** Kupiec's proportion of failures: `exceedances` of `trials` against the probability `rate`. */
export function kupiec(trials: number, exceedances: number, rate: number): TestResult {
  const observed = exceedances / trials;
  const statistic =
    2 *
    (logLikelihood(trials - exceedances, exceedances, observed) -
      logLikelihood(trials - exceedances, exceedances, rate));
  return result(Math.max(0, statistic));
}

/** Christoffersen's test of independence over a series of hits: does one exceedance make the next likelier? */
export function christoffersen(hits: readonly boolean[]): TestResult {
  let [calmCalm, calmHit, hitCalm, hitHit] = [0, 0, 0, 0];
  for (let i = 1; i < hits.length; i++) {
    if (hits[i - 1] === true) hits[i] === true ? hitHit++ : hitCalm++;
    else hits[i] === true ? calmHit++ : calmCalm++;
  }
  const total = calmCalm + calmHit + hitCalm + hitHit;
  const pooled = (calmHit + hitHit) / total;
  const afterCalm = calmHit / (calmCalm + calmHit);
  const afterHit = hitCalm + hitHit === 0 ? 0 : hitHit / (hitCalm + hitHit);
  const statistic =
    2 *
    (logLikelihood(calmCalm, calmHit, afterCalm) +
      logLikelihood(hitCalm, hitHit, afterHit) -
      logLikelihood(calmCalm + hitCalm, calmHit + hitHit, pooled));
  return result(Math.max(0, statistic));
}

/** Joint test of frequency and independence, two degrees of freedom. */
export function conditionalCoverage(hits: readonly boolean[], rate: number): TestResult {
  const exceedances = hits.filter((hit) => hit).length;
  const statistic = kupiec(hits.length, exceedances, rate).statistic + christoffersen(hits).statistic;
  return { statistic, p_value: chiSquareTail2(statistic) };
}

/** Probability of at most `count` exceedances in `trials` at `rate`: the cumulative binomial distribution. */
export function binomialCdf(count: number, trials: number, rate: number): number {
  // In logarithms, because with many trials the first term is too small for a double.
  const odds = rate / (1 - rate);
  let term = trials * ln(1 - rate);
  let sum = exp(term);
  for (let k = 1; k <= Math.min(count, trials); k++) {
    term += ln(((trials - k + 1) / k) * odds);
    sum += exp(term);
  }
  return Math.min(1, sum);
}

export type BaselZone = 'green' | 'yellow' | 'red';

/** The Basel Committee's traffic light: yellow from 95 %, red from 99.99 % of the cumulative distribution. */
export function baselZone(trials: number, exceedances: number, rate: number): BaselZone {
  const share = binomialCdf(exceedances, trials, rate);
  if (share < 0.95) return 'green';
  return share < 0.9999 ? 'yellow' : 'red';
}

const result = (statistic: number): TestResult => ({ statistic, p_value: chiSquareTail1(statistic) });

/** 0 · ln 0 counts as 0. */
const logLikelihood = (misses: number, hits: number, rate: number): number =>
  (misses === 0 ? 0 : misses * ln(1 - rate)) + (hits === 0 ? 0 : hits * ln(rate));

// Interest rates of lending markets: kinked curves, and Morpho's adaptive curve.
import { exp } from './elementary.ts';

export const SECONDS_PER_YEAR = 31_536_000;

/** A borrow curve with one kink; all values are fractions per year. */
export interface KinkedCurve {
  readonly base: number;
  readonly slope1: number;
  readonly slope2: number;
  readonly optimal: number;
}

/** Annual borrow rate at a utilisation of 0 or more. A curve with an optimal utilisation of 1 has no second slope. */
export function kinkedRate({ base, slope1, slope2, optimal }: KinkedCurve, utilization: number): number {
  if (utilization <= optimal) return optimal === 0 ? base : base + (slope1 * utilization) / optimal;
  if (optimal >= 1) return base + slope1;
  return base + slope1 + (slope2 * (utilization - optimal)) / (1 - optimal);
}

/** Annual supply rate: what borrowers pay, minus the reserve factor, spread over the whole supply. */
export const supplyRate = (borrowRate: number, utilization: number, reserveFactor: number): number =>
  borrowRate * utilization * (1 - reserveFactor);

// Morpho's AdaptiveCurveIrm, with the constants of the deployed contract.
const TARGET_UTILIZATION = 0.9;
const STEEPNESS = 4;
const ADJUSTMENT_SPEED = 50;
const MIN_RATE_AT_TARGET = 0.001;
const MAX_RATE_AT_TARGET = 2;

/** Annual rate at target after `seconds` at one utilisation: it grows by e^(50 · error) a year, within its bounds. */
export function adaptedRateAtTarget(rateAtTarget: number, utilization: number, seconds: number): number {
  const growth = exp((ADJUSTMENT_SPEED * adaptiveError(utilization) * seconds) / SECONDS_PER_YEAR);
  return Math.min(MAX_RATE_AT_TARGET, Math.max(MIN_RATE_AT_TARGET, rateAtTarget * growth));
}

/** Annual borrow rate, before compounding: a quarter of the rate at target when empty, four times it when full. */
export function adaptiveRate(rateAtTarget: number, utilization: number): number {
  const error = adaptiveError(utilization);
  const steepness = error < 0 ? 1 - 1 / STEEPNESS : STEEPNESS - 1;
  return rateAtTarget * (1 + steepness * error);
}

/** Distance from the target, −1 when empty and 1 when full. */
const adaptiveError = (utilization: number): number =>
  utilization > TARGET_UTILIZATION
    ? (utilization - TARGET_UTILIZATION) / (1 - TARGET_UTILIZATION)
    : (utilization - TARGET_UTILIZATION) / TARGET_UTILIZATION;

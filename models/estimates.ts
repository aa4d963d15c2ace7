// Estimates from simulated or observed samples, each with its sampling error: quantiles, expected shortfall, probabilities.
import { square } from './elementary.ts';

/** Normal quantile of a two-sided 95 % interval. */
const Z_95 = 1.959963984540054;

export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The ⌈level · n⌉-th smallest of ascending values; level in (0, 1]. @throws RangeError for an empty sample or another level. */
export function quantile(ascending: ArrayLike<number>, level: number): number {
  return at(ascending, rank(ascending.length, level) - 1);
}

/** 95 % interval of a quantile from order statistics: ranks n·p ± 1.96 √(n·p·(1 − p)), clamped to the sample. */
export function quantileInterval(ascending: ArrayLike<number>, level: number): Interval {
  const n = ascending.length;
  const half = Z_95 * Math.sqrt(n * level * (1 - level));
  const clamp = (index: number) => Math.min(n, Math.max(1, index));
  return {
    from: at(ascending, clamp(Math.floor(n * level - half)) - 1),
    to: at(ascending, clamp(Math.ceil(n * level + half)) - 1),
  };
}

export interface Mean {
  readonly value: number;
  readonly standard_error: number;
}

/** Summed in the order of the values. @throws RangeError for an empty sample. */
export function meanOf(values: ArrayLike<number>): Mean {
  const n = values.length;
  if (n === 0) throw new RangeError('A mean needs at least one value.');
  let sum = 0;
  for (let i = 0; i < n; i++) sum += at(values, i);
  const value = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += square(at(values, i) - value);
  return { value, standard_error: n > 1 ? Math.sqrt(squares / (n - 1) / n) : 0 };
}

export interface TailMean {
  /** Mean of the losses beyond the quantile. */
  readonly value: number;
  /** Manistre and Hancock (2005): √((s² + (1 − k/n)(ES − VaR)²) / k). */
  readonly standard_error: number;
  /** Size of the tail, k = n − ⌈level · n⌉ + 1. */
  readonly count: number;
}

/** Expected shortfall: mean of the values from the quantile upward. */
export function expectedShortfall(ascending: ArrayLike<number>, level: number): TailMean {
  const n = ascending.length;
  const first = rank(n, level) - 1;
  const count = n - first;
  let sum = 0;
  for (let i = first; i < n; i++) sum += at(ascending, i);
  const value = sum / count;
  let squares = 0;
  for (let i = first; i < n; i++) squares += square(at(ascending, i) - value);
  const variance = count > 1 ? squares / (count - 1) : 0;
  const distance = value - at(ascending, first);
  const standard_error = Math.sqrt((variance + (1 - count / n) * distance * distance) / count);
  return { value, standard_error, count };
}

/** 95 % interval of a probability by Wilson's score. */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials === 0) return { from: 0, to: 1 };
  const share = successes / trials;
  const z2 = Z_95 * Z_95;
  const centre = (share + z2 / (2 * trials)) / (1 + z2 / trials);
  const half =
    (Z_95 / (1 + z2 / trials)) * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials));
  return { from: Math.max(0, centre - half), to: Math.min(1, centre + half) };
}

/** A copy in ascending order; no value may be NaN. */
export const ascendingOf = (values: ArrayLike<number>): Float64Array =>
  sortAscending(new Float64Array(values));

/**
 * Sorts in place; the values must be all of their buffer. The bits of doubles are sorted as integers, which takes half the time: positive
 * numbers have the order of their bits; negative ones come first, in the opposite order.
 */
export function sortAscending(values: Float64Array): Float64Array {
  const bits = new BigInt64Array(values.buffer).sort();
  let [from, to] = [0, bits.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((bits[middle] as bigint) < 0n) from = middle + 1;
    else to = middle;
  }
  values.subarray(0, from).reverse();
  return values;
}

function rank(n: number, level: number): number {
  if (n === 0) throw new RangeError('A quantile needs at least one value.');
  if (!(level > 0 && level <= 1)) throw new RangeError(`A level must be in (0, 1]: ${level}.`);
  // .95 · 20 is 19.000000000000004 in floating point: ranks within 1e-9 of an integer are that integer.
  return Math.min(n, Math.max(1, Math.ceil(level * n - 1e-9)));
}

function at(values: ArrayLike<number>, index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`No value at ${index} of ${values.length}.`);
  return value;
}

// How far the errors of probability forecasts spread if the probabilities are right: from independent outcomes to outcomes that all follow
// one common chance of their block.

/** Sums over a block of forecasts, with error = outcome − probability p: Σ error and Σ error · (p − ½). */
export interface Sums {
  readonly level: number;
  readonly slope: number;
}

/** Second moments of the sums: of the level, of level and slope, of the slope. */
export interface Spread {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export interface Spreads {
  readonly apart: Spread;
  readonly together: Spread;
}

/** Probabilities of each block, ascending. */
export type Blocks = readonly Float64Array[];

/** Relative determinant below which level and slope cannot be distinguished. */
const ALIKE = 1e-12;

export const sumsOf = (blocks: readonly Sums[]): Sums => {
  let [level, slope] = [0, 0];
  for (const own of blocks) {
    level += own.level;
    slope += own.slope;
  }
  return { level, slope };
};

/** Spreads of the sums over all blocks. For p ≤ q that follow one chance the covariance of the outcomes is p (1 − q). */
export function spreadsOf(blocks: Blocks): Spreads {
  const apart = { a: 0, b: 0, c: 0 };
  const pairs = { a: 0, b: 0, c: 0 };
  for (const probabilities of blocks) {
    let [below, tiltBelow] = [0, 0];
    for (const probability of probabilities) {
      const tilt = probability - 0.5;
      const variance = probability * (1 - probability);
      apart.a += variance;
      apart.b += variance * tilt;
      apart.c += variance * tilt * tilt;
      pairs.a += 2 * (1 - probability) * below;
      pairs.b += (1 - probability) * (below * tilt + tiltBelow);
      pairs.c += 2 * (1 - probability) * tiltBelow * tilt;
      below += probability;
      tiltBelow += probability * tilt;
    }
  }
  return { apart, together: mixed({ apart, together: pairs }, (one, other) => one + other) };
}

const mixed = ({ apart, together }: Spreads, mix: (apart: number, together: number) => number): Spread => ({
  a: mix(apart.a, together.a),
  b: mix(apart.b, together.b),
  c: mix(apart.c, together.c),
});

/**
 * Squared distance from 0 of the sums over all blocks, in units of the spread that right probabilities have if two outcomes of a block
 * follow one chance as often as the observed outcomes do.
 */
export function distanceOf(blocks: Blocks, sums: readonly Sums[], spreads: Spreads): number {
  const share = dependence(blocks, sums);
  const { a, b, c } = mixed(spreads, (apart, together) => apart + share * (together - apart));
  const { level, slope } = sumsOf(sums);
  const determinant = a * c - b * b;
  if (determinant > ALIKE * a * c)
    return (c * level * level - 2 * b * level * slope + a * slope * slope) / determinant;
  return level === 0 ? 0 : (level * level) / a;
}

/**
 * How often two outcomes of a block follow one chance: where the variance of the blocks lies between that of independent outcomes and that
 * of outcomes that all follow one chance. Errors are taken around the line that fits all outcomes best, so that wrong probabilities do not
 * look like dependence. If that line leaves no errors, as when all outcomes are alike, nothing contradicts one chance.
 */
export function dependence(blocks: Blocks, sums: readonly Sums[]): number {
  const { base, rise } = bestLine(blocks, sums);
  let [apart, pairs, squares] = [0, 0, 0];
  for (const [index, probabilities] of blocks.entries()) {
    let error = sums[index]?.level ?? 0;
    let below = 0;
    for (const probability of probabilities) {
      const fitted = Math.min(1, Math.max(0, base + rise * probability));
      apart += fitted * (1 - fitted);
      pairs += 2 * (1 - fitted) * below;
      below += fitted;
      error += probability - fitted;
    }
    squares += error * error;
  }
  if (!(pairs > ALIKE * apart)) return 1;
  const seen = (squares * blocks.length) / (blocks.length - 1);
  return Math.min(1, Math.max(0, (seen - apart) / pairs));
}

/** Least-squares line of the outcomes on their probabilities. */
function bestLine(blocks: Blocks, sums: readonly Sums[]): { readonly base: number; readonly rise: number } {
  let [count, tilts, squares] = [0, 0, 0];
  for (const probabilities of blocks) {
    count += probabilities.length;
    for (const probability of probabilities) {
      const tilt = probability - 0.5;
      tilts += tilt;
      squares += tilt * tilt;
    }
  }
  const { level, slope } = sumsOf(sums);
  const determinant = count * squares - tilts * tilts;
  const more = determinant > ALIKE * count * squares ? (count * slope - tilts * level) / determinant : 0;
  // A falling line would reverse the order of the probabilities, on which their covariance depends.
  const rise = more < -1 ? 0 : 1 + more;
  return { base: (level + tilts - rise * tilts) / count + 0.5 - rise * 0.5, rise };
}

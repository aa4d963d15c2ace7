// A generalised Pareto distribution fitted to what exceeds a threshold, by maximum likelihood in one variable (Grimshaw 1993), and the
// quantile and expected shortfall that follow (McNeil 1997).

export interface TailFit {
  readonly shape: number;
  readonly scale: number;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** With θ = shape / scale the best shape is the mean of ln(1 + θy), and only θ is left to search. */
export function fitTail(excesses: readonly number[]): TailFit {
  const shapeAt = (theta: number) => mean(excesses.map((excess) => Math.log1p(theta * excess)));
  const likelihood = (theta: number) => -Math.log(shapeAt(theta) / theta) - shapeAt(theta) - 1;
  const theta = maximumOf(likelihood, 1e-6 / mean(excesses), 20 / mean(excesses));
  return { shape: shapeAt(theta), scale: shapeAt(theta) / theta };
}

/** Golden-section search for the one maximum between two positive numbers, on a logarithmic scale. */
function maximumOf(value: (x: number) => number, from: number, to: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(from), Math.log(to)];
  while (high - low > 1e-10) {
    const [left, right] = [high - golden * (high - low), low + golden * (high - low)];
    if (value(Math.exp(left)) < value(Math.exp(right))) low = left;
    else high = right;
  }
  return Math.exp((low + high) / 2);
}

export interface Tail extends TailFit {
  readonly threshold: number;
  /** Share of all observations that exceed the threshold. */
  readonly share: number;
}

export const tailQuantile = ({ shape, scale, threshold, share }: Tail, level: number): number =>
  threshold + (scale / shape) * (((1 - level) / share) ** -shape - 1);

export const tailShortfall = (tail: Tail, level: number): number =>
  (tailQuantile(tail, level) + tail.scale - tail.shape * tail.threshold) / (1 - tail.shape);

// Measurements at several sizes, and the slope of each: 0 is flat, 1 is linear. Goals leave a tenth for noise.
import type { BenchRatio } from './report.ts';

export interface Sized {
  readonly size: number;
  readonly figures: { readonly [name: string]: number };
}

export interface Dimension {
  /** What grows, for example `feeds`. */
  readonly name: string;
  /** Measures that must not grow with it. */
  readonly flat: readonly string[];
  readonly rows: readonly Sized[];
}

/** Slope of the least-squares line in log-log; values of 0 count as 1. */
export function slope(points: readonly (readonly [size: number, value: number])[]): number {
  const logs = points.map(([size, value]) => [Math.log(size), Math.log(value === 0 ? 1 : value)] as const);
  const mean = (of: (point: readonly [number, number]) => number) =>
    logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  const covariance = mean(([at, value]) => (at - x) * (value - y));
  return covariance / mean(([at]) => (at - x) ** 2);
}

export function slopesOf({ name: dimension, flat, rows }: Dimension): readonly BenchRatio[] {
  return Object.keys(rows[0]?.figures ?? {}).map((name) => ({
    label: `slope of ${name} over ${dimension}`,
    value: slope(rows.map(({ size, figures }) => [size, figures[name] ?? Number.NaN] as const)),
    goal: flat.includes(name) ? '≤ 0.1' : '≤ 1.1',
  }));
}

export const figuresOf = ({ name: dimension, rows }: Dimension): readonly (readonly [string, number])[] =>
  rows.flatMap(({ size, figures }) =>
    Object.entries(figures).map(([name, value]) => [`${dimension} ${size} ${name}`, value] as const),
  );

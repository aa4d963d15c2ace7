// Which ratios have become worse than the expected ones by more than a machine's noise.
import type { BenchRatio } from './report.ts';

/** Share by which a ratio may be worse than expected. */
const TOLERANCE = 0.15;

/** Expected values by label. */
export type Expected = Readonly<Record<string, number>>;

/** Whether larger values are better. */
const isMoreBetter = ({ goal }: Pick<BenchRatio, 'goal'>): boolean => /^(≥|>=)/.test(goal.trim());

/** The ratio with the limit of what is expected as its goal. A ratio that nothing is expected of has no goal. */
export function againstExpected(ratio: BenchRatio, expected: Expected): BenchRatio {
  const value = expected[ratio.label];
  if (value === undefined) return { ...ratio, goal: 'nothing is expected yet' };
  const limit = isMoreBetter(ratio) ? value * (1 - TOLERANCE) : value * (1 + TOLERANCE);
  return { ...ratio, goal: `${isMoreBetter(ratio) ? '≥' : '≤'} ${limit.toFixed(3)} (expected ${value})` };
}

/** A ratio that cannot be measured has fallen too. `ratio`: with a limit as its goal, from `againstExpected`. */
export function hasFallen({ value, goal }: BenchRatio): boolean {
  const [, sign, limit] = /^(≥|≤) ([0-9.]+)/.exec(goal) ?? [];
  if (limit === undefined) return false;
  if (!Number.isFinite(value)) return true;
  return sign === '≥' ? value < Number(limit) : value > Number(limit);
}

/** One line for each ratio that fell in both repetitions. */
export function slowerLines(first: readonly BenchRatio[], again: readonly BenchRatio[]): readonly string[] {
  const second = new Map(again.map((ratio) => [ratio.label, ratio]));
  return first.filter(hasFallen).flatMap((ratio) => {
    const other = second.get(ratio.label);
    if (other === undefined || !hasFallen(other)) return [];
    const values = [ratio, other].map(({ value }) => value.toPrecision(3)).join(' and ');
    return [`SLOWER: ${ratio.label}: ${values}, should be ${ratio.goal}`];
  });
}

// What a chart shows besides its lines, and the ranges of its axes.
import { DAY_S, isKnown } from './format.ts';

/** Lowest and highest value of a stretch that one point summarizes. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
  readonly label: string;
}

export interface Decoration {
  readonly ranges?: readonly Range[];
  /** Horizontal lines. */
  readonly thresholds?: readonly { readonly value: number; readonly label: string }[];
  readonly events?: readonly {
    readonly t: number;
    readonly label: string;
    readonly severity: string | undefined;
  }[];
}

/** Values that must be visible besides those of the lines. */
export const limits = ({ thresholds = [], ranges = [] }: Decoration): number[] => [
  ...thresholds.map(({ value }) => value),
  ...ranges.flatMap(({ low, high }) => [low, high]),
];

/** A single point is placed in the middle of its day. */
export const spanOf = (from: number, to: number, t: readonly number[]): [number, number] =>
  t.length < 2 || from === to ? [(t[0] ?? from) - DAY_S / 2, (t[0] ?? from) + DAY_S / 2] : [from, to];

/** The values that shares of a whole can have, by their unit. */
const WHOLES: Readonly<Record<string, readonly [number, number]>> = {
  percent: [0, 100],
  fraction: [0, 1],
  share: [0, 1],
};

export const boundsOf = (unit: string): readonly [number, number] =>
  WHOLES[unit] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** Thresholds and ranges are visible even if no value is near them. Values within the bounds get no axis beyond them. */
export function rangeOf(
  low: number,
  high: number,
  decoration: Decoration = {},
  [least, most]: readonly [number, number] = boundsOf(''),
): [number, number] {
  const extremes = limits(decoration);
  const known = [low, high, ...extremes].filter((value) => isKnown(value) && Number.isFinite(value));
  if (known.length === 0) return [0, 1];
  const [min, max] = [Math.min(...known), Math.max(...known)];
  const room = (max - min || Math.abs(max) || 1) * 0.08;
  return [
    min < least ? min - room : Math.max(least, min - room),
    max > most ? max + room : Math.min(most, max + room),
  ];
}

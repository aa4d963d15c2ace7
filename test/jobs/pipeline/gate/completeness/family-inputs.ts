// Small, complete inputs of every family, one file per day, from which mutations take something away. Ten days, up to ten past three.

import type { Domain } from '../../../../../jobs/define/domain.ts';
import type { FileRow } from '../../../../support/file-world.ts';

export const DAY = 86_400;
export const HOUR = 3_600;
const DAYS = 10;
/** 00:00 UTC of the current day. */
const TODAY = Date.UTC(2026, 2, 11) / 1000;
export const FIRST = TODAY - DAYS * DAY;
export const NOW = TODAY + 3 * HOUR + 600;

export interface FamilyInputs {
  readonly id: string;
  readonly domains: readonly Domain[];
  /** Raw table -> its rows and the field with their time. */
  readonly tables: { readonly [table: string]: readonly FileRow[] };
}

/** Instants from the first day to now, `step` apart. */
export const every = (step: number, from = FIRST): readonly number[] =>
  Array.from({ length: Math.floor((NOW - from) / step) + 1 }, (_, index) => from + index * step);

/** One row for each of the names at each instant. */
export const each = <T>(
  names: readonly string[],
  instants: readonly number[],
  row: (name: string, at: number, index: number) => T,
): readonly T[] => instants.flatMap((at, index) => names.map((name) => row(name, at, index)));

/** A number from 0 to 1 that looks random and is the same on every run. */
export const noise = (...parts: readonly (string | number)[]): number => {
  let state = 7;
  for (const char of parts.join('|')) state = (Math.imul(state ^ char.charCodeAt(0), 16_777_619) >>> 0) + 1;
  return (state % 10_007) / 10_007;
};

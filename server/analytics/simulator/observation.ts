// What the input rows of all detectors have in common.
import type { WhatIfQuestion } from '../../../schemas/what-if.ts';

export type Rows = WhatIfQuestion['rows'][string];

export interface Begin {
  /** Time of hour 0. */
  readonly first: number;
  /** The midnight from which models are computed: the last one at or before hour 0. */
  readonly start: number;
}

/** Unchanged hours that confirm what came before. No detector needs more of them. */
export const CONFIRMING_HOURS = 24;

/** Whether two published figures differ by more than rounding. */
export const isOther = (now: number, before: number | null | undefined): boolean =>
  before == null || Math.abs(now - before) > 1e-6 * Math.max(1, Math.abs(before));

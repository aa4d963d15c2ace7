// What the rows that detectors are given have in common.
import type { WhatIfQuestion } from '../../../schemas/what-if.ts';

export const HOUR_S = 3_600;
export const DAY_S = 86_400;

export type Rows = WhatIfQuestion['rows'][string];

export interface Begin {
  /** Time of hour 0. */
  readonly first: number;
  /** The midnight from which models are computed: the one before hour 0, or hour 0. */
  readonly start: number;
}

/** Hours that stay the same confirm what came before; no detector waits longer for that. */
export const CONFIRMING_HOURS = 24;

/** Published figures are rounded. */
export const isOther = (now: number, before: number | null | undefined): boolean =>
  before == null || Math.abs(now - before) > 1e-6 * Math.max(1, Math.abs(before));

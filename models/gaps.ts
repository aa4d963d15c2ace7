// The list of gaps in a response, and its entries.
import type { AnalyticsGap, AnalyticsGapEntry } from '../schemas/analytics.ts';

const NOTHING = { subject: null, have_hours: null, need_hours: null, share: null } as const;

export const gapOf = (
  gap: AnalyticsGap,
  more: Partial<Omit<AnalyticsGapEntry, 'gap'>> = {},
): AnalyticsGapEntry => ({
  gap,
  ...NOTHING,
  ...more,
});

/** The gaps of one result, each listed once, in the order in which they were found. */
export class GapList {
  readonly #entries = new Map<string, AnalyticsGapEntry>();

  add(gap: AnalyticsGap, subject: string | null, more: Partial<AnalyticsGapEntry> = {}): void {
    this.#entries.set(`${gap}|${subject ?? ''}`, gapOf(gap, { subject, ...more }));
  }

  get list(): readonly AnalyticsGapEntry[] {
    return [...this.#entries.values()];
  }
}

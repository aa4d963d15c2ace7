// Entries of the list of gaps in a response.
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

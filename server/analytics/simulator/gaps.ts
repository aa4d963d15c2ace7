// The gaps of a simulation, each listed once, in the order in which they were found.
import type { AnalyticsGap, AnalyticsGapEntry } from '../../../schemas/analytics.ts';

export class Gaps {
  readonly #entries = new Map<string, AnalyticsGapEntry>();

  add(gap: AnalyticsGap, subject: string | null, more: Partial<AnalyticsGapEntry> = {}): void {
    const entry = { gap, subject, have_hours: null, need_hours: null, share: null, ...more };
    this.#entries.set(`${gap}|${subject ?? ''}`, entry);
  }

  get list(): readonly AnalyticsGapEntry[] {
    return [...this.#entries.values()];
  }
}

// What a demo world is a function of, and the day on which it begins.

export interface DemoSettings {
  readonly seed: number;
  readonly feeds: number;
  /** Days of history before the day of the first start. */
  readonly days: number;
  readonly incidents: boolean;
  /** First start, Unix seconds; the caller keeps it, so that a restart continues the same world. */
  readonly startedAt: number;
  /** Every start, Unix seconds: minutes after each, something happens. The first one alone when left out. */
  readonly liveFrom?: readonly number[];
}

/** 00:00 UTC of the first day, Unix seconds: so many whole days before the day of the first start. */
export function firstDay(startedAt: number, days: number): number {
  return startedAt - (startedAt % 86_400) - days * 86_400;
}

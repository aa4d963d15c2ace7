// The parameters of a demo world, and the day on which it begins.

export interface DemoSettings {
  readonly seed: number;
  readonly feeds: number;
  /** Days of history before the day of the first start. */
  readonly days: number;
  readonly incidents: boolean;
  /** First start, Unix seconds; stored by the caller so that a restart continues the same world. */
  readonly startedAt: number;
  /** All starts, Unix seconds; incidents are staged minutes after each. By default only the first start. */
  readonly liveFrom?: readonly number[];
}

/** 00:00 UTC of the first day, Unix seconds: the given number of whole days before the day of the first start. */
export function firstDay(startedAt: number, days: number): number {
  return startedAt - (startedAt % 86_400) - days * 86_400;
}

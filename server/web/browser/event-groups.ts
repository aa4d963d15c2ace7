// Repeated events of one type about one subject as one line: the newest event, and how many there were.
import type { RiskEvent } from './api-shapes.ts';

export interface EventGroup {
  readonly event: RiskEvent;
  readonly count: number;
}

/** By event time: an event that was found late appears where it happened. */
export const newestFirst = (events: readonly RiskEvent[]): readonly RiskEvent[] =>
  events.toSorted((a, b) => Date.parse(b.ts) - Date.parse(a.ts));

/** In order of first appearance, so newest first stays newest first. */
export function groupEvents(events: readonly RiskEvent[]): readonly EventGroup[] {
  const groups = Map.groupBy(events, ({ type, subject_id }) => `${type} ${subject_id}`);
  return [...groups.values()].flatMap((all) => {
    const [event] = all;
    return event === undefined ? [] : [{ event, count: all.length }];
  });
}

/** Groups only consecutive repeats, so that a list stays in order of time. */
export function groupRuns(events: readonly RiskEvent[]): readonly EventGroup[] {
  const runs: { event: RiskEvent; count: number }[] = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last?.event.type === event.type && last.event.subject_id === event.subject_id) last.count += 1;
    else runs.push({ event, count: 1 });
  }
  return runs;
}

// Repeated events of one type about one subject as one line: the newest event, and how many there were. Events that were retracted, and their
// retractions, are lines of their own kind: neither is something that happened.
import type { RiskEvent } from './api-shapes.ts';
import { caption } from './format.ts';

/** What the event reports; a retraction reports that something did not happen. */
export const titleOf = ({ type, retracts_event_id }: RiskEvent): string =>
  retracts_event_id === undefined ? caption(type) : `retraction of ${caption(type)}`;

export interface EventGroup {
  readonly event: RiskEvent;
  readonly count: number;
  /** A later event of the list says that these did not happen. */
  readonly isRetracted: boolean;
}

/** Ids of the events that others of the list retract. */
export const retractedIn = (events: readonly RiskEvent[]): ReadonlySet<string | undefined> =>
  new Set(events.map(({ retracts_event_id }) => retracts_event_id));

/** Of events that are one line if repeated. */
const kindOf = ({ type, subject_id, retracts_event_id }: RiskEvent, isRetracted: boolean): string =>
  `${type} ${subject_id} ${isRetracted} ${retracts_event_id !== undefined}`;

/** By event time: an event that was found late appears where it happened. */
export const newestFirst = (events: readonly RiskEvent[]): readonly RiskEvent[] =>
  events.toSorted((a, b) => Date.parse(b.ts) - Date.parse(a.ts));

/** In order of first appearance, so newest first stays newest first. */
export function groupEvents(events: readonly RiskEvent[]): readonly EventGroup[] {
  const retracted = retractedIn(events);
  const groups = Map.groupBy(events, (one) => kindOf(one, retracted.has(one.event_id)));
  return [...groups.values()].flatMap((all) => {
    const [event] = all;
    return event === undefined
      ? []
      : [{ event, count: all.length, isRetracted: retracted.has(event.event_id) }];
  });
}

/** Groups only consecutive repeats, so that a list stays in order of time. */
export function groupRuns(events: readonly RiskEvent[]): readonly EventGroup[] {
  const retracted = retractedIn(events);
  const runs: { event: RiskEvent; count: number; isRetracted: boolean }[] = [];
  for (const event of events) {
    const last = runs.at(-1);
    const isRetracted = retracted.has(event.event_id);
    if (last !== undefined && kindOf(last.event, last.isRetracted) === kindOf(event, isRetracted))
      last.count += 1;
    else runs.push({ event, count: 1, isRetracted });
  }
  return runs;
}

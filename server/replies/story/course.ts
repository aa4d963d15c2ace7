// Which events belong together: the start, the escalations, the end and the recovery of one depeg, of one silence of a feed, of one anomaly.
import { type RiskEvent, SEVERITIES } from '../../../schemas/event.ts';
import type { Course } from './story-facts.ts';
import { numberIn, secondsOf } from './story-text.ts';

const DEPEG = ['peg.depeg.start', 'peg.depeg.end', 'peg.depeg.recovered'];

/** Types of events that can belong together with one of this type. */
export const courseTypes = (type: string): readonly string[] => (DEPEG.includes(type) ? DEPEG : [type]);

const rank = ({ severity }: RiskEvent): number =>
  severity === undefined ? -1 : SEVERITIES.indexOf(severity);

/** What two events have in common if they are about the same fact; undefined for types whose events stand alone. */
const FACT_OF: Readonly<Record<string, (event: RiskEvent) => unknown>> = {
  // The time at which the feed became late does not change until it answers.
  'oracle.stale': ({ ts, data }) => {
    const late = numberIn(data, 'stale_age_s');
    return late === undefined ? undefined : secondsOf(ts) - late;
  },
  'risk.anomaly': ({ subject_id }) => subject_id,
  'mev.spike': ({ subject_id }) => subject_id,
  // One breach of each severity a day.
  'risk.factor.breach': ({ ts }) => ts.slice(0, 10),
};

/** `related`: events of the same subject, in any order, with or without the event itself, its retractions and those of others. */
export function courseOf(event: RiskEvent, related: readonly RiskEvent[]): Course {
  const retracted = new Set(related.map(({ retracts_event_id }) => retracts_event_id));
  const others = related.filter(
    (one) =>
      one.event_id !== event.event_id && one.retracts_event_id === undefined && !retracted.has(one.event_id),
  );
  const all = [...others, event]
    .filter(
      ({ type, subject_id }) => courseTypes(event.type).includes(type) && subject_id === event.subject_id,
    )
    .sort((a, b) => secondsOf(a.ts) - secondsOf(b.ts) || (a.event_id < b.event_id ? -1 : 1));
  if (DEPEG.includes(event.type)) return depegOf(event, all);
  const fact = FACT_OF[event.type]?.(event);
  const same = fact === undefined ? [event] : all.filter((one) => FACT_OF[one.type]?.(one) === fact);
  return { start: same[0] ?? event, escalations: risesOf(same), end: null, recovery: null };
}

/** Each that is more severe than all before. */
function risesOf(all: readonly RiskEvent[]): readonly RiskEvent[] {
  let highest = all[0] === undefined ? -1 : rank(all[0]);
  return all.slice(1).filter((one) => {
    const isHigher = rank(one) > highest;
    highest = Math.max(highest, rank(one));
    return isHigher;
  });
}

interface Depeg {
  readonly starts: RiskEvent[];
  end: RiskEvent | null;
  recovery: RiskEvent | null;
}

/** A depeg lasts from its start to its end; it recovers unless another one begins before. */
function depegOf(event: RiskEvent, all: readonly RiskEvent[]): Course {
  const depegs: Depeg[] = [];
  const of = new Map<RiskEvent, Depeg>();
  for (const one of all) {
    const last = depegs.at(-1);
    const isNew =
      last === undefined ||
      (one.type === 'peg.depeg.start' && last.end !== null) ||
      (one.type === 'peg.depeg.end' && last.end !== null);
    const depeg: Depeg = isNew ? { starts: [], end: null, recovery: null } : last;
    if (isNew) depegs.push(depeg);
    if (one.type === 'peg.depeg.start') depeg.starts.push(one);
    else if (one.type === 'peg.depeg.end') depeg.end = one;
    else depeg.recovery = one;
    of.set(one, depeg);
  }
  const { starts, end, recovery } = of.get(event) ?? { starts: [], end: null, recovery: null };
  return { start: starts[0] ?? null, escalations: risesOf(starts), end, recovery };
}

// Which events belong together: the start, the escalations, the end and the recovery of one depeg, of one silence of a feed, of one anomaly.
import { ownMember } from '../../../platform/base/own-member.ts';
import { type RiskEvent, SEVERITIES } from '../../../schemas/event.ts';
import type { Course } from './story-facts.ts';
import { numberIn, secondsOf } from './story-text.ts';

/** A fact that one type of event begins and another ends. */
interface LastingFact {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  /** What follows an end, if anything does. */
  readonly recovery?: string;
}

const LASTING: readonly LastingFact[] = [
  {
    name: 'peg.depeg',
    start: 'peg.depeg.start',
    end: 'peg.depeg.end',
    recovery: 'peg.depeg.recovered',
  },
  {
    name: 'oracle.assumption',
    start: 'oracle.assumption.broken',
    end: 'oracle.assumption.restored',
  },
];

const typesOf = ({ start, end, recovery }: LastingFact): readonly string[] =>
  recovery === undefined ? [start, end] : [start, end, recovery];

const LASTING_OF = new Map(LASTING.flatMap((lasting) => typesOf(lasting).map((type) => [type, lasting])));

/** Types of events that can belong together with one of this type. */
export function courseTypes(type: string): readonly string[] {
  const lasting = LASTING_OF.get(type);
  return lasting === undefined ? [type] : typesOf(lasting);
}

/** What events that belong together have in common: `peg.depeg`; the type itself for types that stand alone. */
export const courseName = (type: string): string => LASTING_OF.get(type)?.name ?? type;

/** Whether a type begins or ends something that lasts. */
export const hasEnd = (type: string): boolean => LASTING_OF.has(type);

/** Whether a type ends what another type began. */
export const isEnd = (type: string): boolean => hasEnd(type) && LASTING_OF.get(type)?.start !== type;

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
  const lasting = LASTING_OF.get(event.type);
  if (lasting !== undefined) return lastingOf(event, all, lasting);
  const fact = ownMember(FACT_OF, event.type)?.(event);
  const same =
    fact === undefined ? [event] : all.filter((one) => ownMember(FACT_OF, one.type)?.(one) === fact);
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

interface Period {
  readonly starts: RiskEvent[];
  end: RiskEvent | null;
  recovery: RiskEvent | null;
}

/** A depeg lasts from its start to its end; it recovers unless another one begins before. */
function lastingOf(event: RiskEvent, all: readonly RiskEvent[], types: LastingFact): Course {
  const periods: Period[] = [];
  const of = new Map<RiskEvent, Period>();
  for (const one of all) {
    const last = periods.at(-1);
    const isNew = last === undefined || (one.type !== types.recovery && last.end !== null);
    const period: Period = isNew ? { starts: [], end: null, recovery: null } : last;
    if (isNew) periods.push(period);
    if (one.type === types.start) period.starts.push(one);
    else if (one.type === types.end) period.end = one;
    else period.recovery = one;
    of.set(one, period);
  }
  const { starts, end, recovery } = of.get(event) ?? { starts: [], end: null, recovery: null };
  return { start: starts[0] ?? null, escalations: risesOf(starts), end, recovery };
}

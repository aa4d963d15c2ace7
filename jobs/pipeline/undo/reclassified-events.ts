// Events of which at most one can be true: what one log of a vault reports. If a newer version finds another type for a fact than the log
// has, the event of the earlier version is retracted, once, when the other one is appended or stands.
import type { EventLog } from '../../../snapshots/events.ts';
import type { Detector } from '../../define/detector.ts';
import type { PipelineContext } from '../context.ts';
import type { Candidate } from '../events/emit.ts';
import { isoOf } from '../../../platform/base/time.ts';
import { type Envelope, type LoggedEvent, readLoggedEvents } from './logged-events.ts';

interface Reclassification {
  readonly log: Pick<EventLog, 'segments'>;
  readonly found: readonly Candidate[];
  /** Natural keys of the log in the time of the candidates. */
  readonly logged: ReadonlySet<string>;
  /** Logical time, Unix seconds. */
  readonly now: number;
}

/** Retractions of logged events that state another type for a fact than was found now. Reads the log only if there are any. */
export async function reclassifiedEvents(
  { domains, snapshots }: Pick<PipelineContext, 'domains' | 'snapshots'>,
  { log, found, logged, now }: Reclassification,
): Promise<readonly Candidate[]> {
  const contradicted = contradictedKeys(
    domains.flatMap(({ detectors }) => detectors),
    found,
  ).filter(({ key }) => logged.has(key));
  if (contradicted.length === 0) return [];
  const types = new Set(contradicted.flatMap(({ key, by }) => [typeOf(key), by.type]));
  const { standing } = await readLoggedEvents(snapshots, log.segments(), types);
  return contradicted.flatMap(({ key, by }) => {
    const event = standing.get(key);
    // An event that was retracted itself is not appended again, so the other one stays.
    const isTrue = standing.has(by.key) || !logged.has(by.key);
    return event === undefined || !isTrue ? [] : [retractionOf(key, event, { by, now })];
  });
}

interface Contradiction {
  /** Natural key of the event that cannot be true as well. */
  readonly key: string;
  readonly by: Candidate;
}

function contradictedKeys(
  detectors: readonly Detector[],
  found: readonly Candidate[],
): readonly Contradiction[] {
  const groups = new Map(detectors.map(({ type, oneOf }) => [type, oneOf]));
  const others = (type: string) => {
    const group = groups.get(type);
    if (group === undefined) return [];
    return detectors.flatMap((one) => (one.oneOf === group && one.type !== type ? [one.type] : []));
  };
  return found.flatMap((by) => {
    if (by.retracts !== undefined) return [];
    const fact = by.key.slice(by.type.length);
    return others(by.type).map((type) => ({ key: `${type}${fact}`, by }));
  });
}

const typeOf = (key: string) => key.slice(0, key.indexOf('|'));

function retractionOf(
  found: string,
  { key, second, envelope }: LoggedEvent,
  { by, now }: { readonly by: Candidate; readonly now: number },
): Candidate {
  const retraction = { reason: 'reclassified', type: by.type };
  return {
    key: `${found}|reclassified`,
    event_at: now,
    type: typeOf(found),
    envelope: { ...envelope, ts: isoOf(now), data: { ...(envelope['data'] as Envelope), retraction } },
    retracts: { key, second },
  };
}

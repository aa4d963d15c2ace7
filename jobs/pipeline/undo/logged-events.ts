// The state of events in the log: which stand, and which a supersession has retracted. An event that is retracted and then found again is
// appended again under another natural key, because no key is ever appended twice.
import type { Json } from '../../../platform/base/json.ts';
import type { SegmentEntry } from '../../../snapshots/layout.ts';
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import { eventsAfter } from '../../../snapshots/segment.ts';

/** Digits of a supersession's name in the keys of the events that it appends. */
const DIGITS = 16;

export const retractionKey = (key: string, supersession: string): string =>
  `${key}|retracted|${supersession.slice(0, DIGITS)}`;

export const againKey = (key: string, supersession: string): string =>
  `${key}|again|${supersession.slice(0, DIGITS)}`;

const AGAIN = /\|again\|[0-9a-f]{16}$/;
const RETRACTED = /\|retracted\|[0-9a-f]{16}$/;

export type Envelope = { readonly [member: string]: Json };

export interface LoggedEvent {
  /** Natural key in the log. */
  readonly key: string;
  /** Its `ts`, Unix seconds. */
  readonly second: number;
  /** Without `event_id`. */
  readonly envelope: Envelope;
}

export interface LoggedEvents {
  /** By the key with which the event is found: the event of the log that stands. Retractions are not among them. */
  readonly standing: ReadonlyMap<string, LoggedEvent>;
  /** Keys of events that a supersession has retracted and that were not appended again. */
  readonly retracted: ReadonlySet<string>;
}

/** Retractions of early versions have the id in `data` only. */
const retractedId = ({ retracts_event_id: id, data }: Envelope): string =>
  String(id ?? (data as Envelope)['retracts_event_id']);

const RETRACTS = Buffer.from('"retracts_event_id":"');

/** Reads the log once. `types`: only events of these types. */
export async function readLoggedEvents(
  store: ObjectStore,
  segments: readonly SegmentEntry[],
  types: ReadonlySet<string>,
): Promise<LoggedEvents> {
  const standing = new Map<string, LoggedEvent>();
  const keys = new Map<string, string>();
  const retracted = new Set<string>();
  for await (const { id, key, envelope } of eventsAfter(store, segments, null)) {
    if (!types.has(key.slice(0, key.indexOf('|')))) continue;
    const { event_id: _, ...event } = JSON.parse(envelope.toString()) as Envelope;
    if (envelope.includes(RETRACTS)) {
      const found = keys.get(retractedId(event));
      if (found === undefined) continue;
      standing.delete(found);
      if (RETRACTED.test(key)) retracted.add(found);
      continue;
    }
    const found = key.replace(AGAIN, '');
    keys.set(id, found);
    standing.set(found, { key, second: Date.parse(String(event['ts'])) / 1000, envelope: event });
    retracted.delete(found);
  }
  return { standing, retracted };
}

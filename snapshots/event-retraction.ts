// Events that retract another one: finds the id of the retracted event and writes it into the envelope.
import type { Json } from '../platform/base/json.ts';
import type { SegmentEntry } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { readSegment } from './segment.ts';

/** Natural key of an event in the log, and its `ts` in Unix seconds. */
export interface Retraction {
  readonly key: string;
  readonly second: number;
}

/** Ids of the logged events that the candidates retract, by key. */
export const idsOf = (
  store: ObjectStore,
  segments: readonly SegmentEntry[],
  candidates: readonly { readonly retracts?: Retraction }[],
): Promise<ReadonlyMap<string, string>> =>
  loggedIds(
    store,
    segments,
    candidates.flatMap(({ retracts }) => retracts ?? []),
  );

/** Ids of the logged events with these keys and times, by key. Reads only segments that may contain one. */
export async function loggedIds(
  store: ObjectStore,
  segments: readonly SegmentEntry[],
  wanted: readonly Retraction[],
): Promise<ReadonlyMap<string, string>> {
  const keys = new Set(wanted.map(({ key }) => key));
  const ids = new Map<string, string>();
  const isIn = ({ from_ts, to_ts }: SegmentEntry) =>
    wanted.some(({ second }) => second >= Date.parse(from_ts) / 1000 && second <= Date.parse(to_ts) / 1000);
  for (const entry of segments.filter(isIn)) {
    const segment = await readSegment(store, entry);
    for (const { id, key } of segment.events()) if (keys.has(key)) ids.set(key, id);
  }
  return ids;
}

/** The envelope with the id at its top level, where consumers cannot overlook it, and in its `data` (decision 62). */
export function withRetraction(
  envelope: { readonly [member: string]: Json },
  retracts_event_id: string,
): { readonly [member: string]: Json } {
  const data = envelope['data'];
  const members = typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {};
  return { ...envelope, retracts_event_id, data: { ...members, retracts_event_id } };
}

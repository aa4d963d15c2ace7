// The writer's side of the event log: gives each new event its id and appends it. Ids only increase, whatever the clock does
// and however often the writer is restarted; an event whose natural key is in the log is never appended again.

import type { Json } from '../platform/base/json.ts';
import { nextUlid } from '../platform/base/ulid.ts';
import { canonicalJson, sha256HexOf } from '../platform/storage/canonical.ts';
import { RefusedInputError } from '../platform/storage/errors.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { type Claim, StaleWriterError } from './claim.ts';
import { idsOf, type Retraction, withRetraction } from './event-retraction.ts';
import { IntactFiles } from './intact.ts';
import { openKeyIndex } from './key-index.ts';
import { type SegmentEntry, segmentName, segmentPath } from './layout.ts';
import { recoverSegments, timeSpan } from './recover.ts';
import { checkSegmentChain, eventLine, readSegment } from './segment.ts';
import { addIndex, MIN_INDEXED_BYTES, mendIndexes } from './segment-index/index-files.ts';

export interface EventCandidate {
  /** Natural key: two candidates with one key are the same event. */
  readonly key: string;
  /** The envelope without `event_id`; `ts` holds the event's time, ISO 8601 UTC. */
  readonly envelope: { readonly [member: string]: Json };
  /**
   * An event of the log, or of the same append, that this one retracts: its id becomes `retracts_event_id`, at the top level and in `data`.
   * A candidate that would retract an event that was never appended is left out.
   */
  readonly retracts?: Retraction;
}

export interface AppendedEvent {
  readonly id: string;
  readonly key: string;
  /** Canonical JSON, but with `event_id` as its first member. */
  readonly envelope: string;
}

export interface EventLog {
  lastEventId(): string | null;
  count(): number;
  /** The segments for the next manifest. */
  segments(): readonly SegmentEntry[];
  /** Natural keys of the events whose `ts` is in the period, both ends included. */
  keysBetween(fromSeconds: number, toSeconds: number): Promise<Set<string>>;
  /**
   * Appends, in the given order, the candidates whose keys are not in the log, and returns those. All or none are appended; after a
   * failure, open the log again to find out which.
   */
  append(candidates: readonly EventCandidate[], nowMs: number): Promise<readonly AppendedEvent[]>;
}

export interface EventLogOptions {
  /** A segment is not merged beyond this size. */
  readonly maxSegmentBytes?: number;
  /** A smaller segment has no index file. */
  readonly minIndexedBytes?: number;
  /** Files that this process has already verified. */
  readonly intact?: IntactFiles;
  /** Required if several machines could append. */
  readonly claim?: Claim | undefined;
}

const DEFAULT_MAX_SEGMENT_BYTES = 64 * 1024 * 1024;

/** `known` are the segments of the newest manifest. Only one writer may have the log open. Throws DamagedFileError. */
export async function openEventLog(
  store: ObjectStore,
  known: readonly SegmentEntry[],
  {
    maxSegmentBytes = DEFAULT_MAX_SEGMENT_BYTES,
    minIndexedBytes = MIN_INDEXED_BYTES,
    intact = new IntactFiles(),
    claim,
  }: EventLogOptions = {},
): Promise<EventLog> {
  checkSegmentChain(known);
  await store.tidy();
  const recovered = await recoverSegments(store, known, { intact, claim });
  const segments = await mendIndexes(store, recovered, { intact, minBytes: minIndexedBytes });
  return new SegmentedLog(store, segments, { maxSegmentBytes, minIndexedBytes, claim, known });
}

class SegmentedLog implements EventLog {
  #segments: readonly SegmentEntry[];
  #isBusy = false;
  #failure: unknown;
  readonly #store: ObjectStore;
  readonly #options: LogOptions;
  readonly #index;

  constructor(store: ObjectStore, segments: readonly SegmentEntry[], options: LogOptions) {
    this.#store = store;
    this.#segments = segments;
    this.#options = options;
    this.#index = openKeyIndex((entry) => readSegment(store, entry));
  }

  lastEventId(): string | null {
    return this.#segments.at(-1)?.last ?? null;
  }

  count(): number {
    return this.#segments.reduce((sum, { count }) => sum + count, 0);
  }

  segments(): readonly SegmentEntry[] {
    return this.#segments;
  }

  keysBetween(fromSeconds: number, toSeconds: number): Promise<Set<string>> {
    return this.#index.keysBetween(this.#segments, fromSeconds, toSeconds);
  }

  async append(candidates: readonly EventCandidate[], nowMs: number): Promise<readonly AppendedEvent[]> {
    if (this.#isBusy) throw new Error('The event log is already appending: one writer at a time.');
    if (this.#failure !== undefined)
      throw new Error('An append failed: open the event log again to find out whether it was done.', {
        cause: this.#failure,
      });
    this.#isBusy = true;
    try {
      const fresh = await this.#unseen(candidates.map(checked));
      return fresh.length === 0 ? [] : await this.#commit(fresh, nowMs);
    } finally {
      this.#isBusy = false;
    }
  }

  async #unseen(candidates: readonly TimedCandidate[]): Promise<readonly TimedCandidate[]> {
    if (candidates.length === 0) return [];
    const { from_ts, to_ts } = timeSpan(candidates.map(({ ts }) => ts));
    const seen = await this.keysBetween(Date.parse(from_ts) / 1000, Date.parse(to_ts) / 1000);
    return candidates.filter(({ key }) => !seen.has(key) && seen.add(key));
  }

  async #commit(fresh: readonly TimedCandidate[], nowMs: number): Promise<readonly AppendedEvent[]> {
    const known = await idsOf(this.#store, this.#segments, fresh);
    const appended = withIds(fresh, { known, lastId: this.lastEventId(), nowMs });
    if (appended.length === 0) return [];
    const lines = Buffer.from(appended.map(({ key, envelope }) => eventLine(key, envelope)).join(''));
    const merged = tailToMerge(this.#segments, lines.length, this.#options.maxSegmentBytes);
    const chunks: Buffer[] = [];
    for (const entry of merged) chunks.push((await readSegment(this.#store, entry)).bytes);
    chunks.push(lines);
    const before = this.#segments.slice(0, this.#segments.length - merged.length);
    const entry = await this.#put(segmentOf(merged, appended, chunks), { chunks, before });
    this.#segments = [...before, entry];
    const added = appended.map(({ key, ts }) => ({ key, second: Date.parse(ts) / 1000 }));
    this.#index.replace(merged, entry, added);
    return appended.map(({ id, key, envelope }) => ({ id, key, envelope }));
  }

  /** Writes the index first, because the segment is the commit. */
  async #put(
    entry: SegmentEntry,
    { chunks, before }: { readonly chunks: readonly Buffer[]; readonly before: readonly SegmentEntry[] },
  ): Promise<SegmentEntry> {
    try {
      const isIndexed = entry.bytes >= this.#options.minIndexedBytes;
      const named = isIndexed ? await addIndex(this.#store, entry, Buffer.concat(chunks)) : entry;
      await this.#write(named, chunks, [...before, named]);
      return named;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** In a folder the file is the commit; with a claim, its tail is. */
  async #write(
    entry: SegmentEntry,
    chunks: readonly Buffer[],
    segments: readonly SegmentEntry[],
  ): Promise<void> {
    const { claim, known } = this.#options;
    const path = segmentPath(entry.name);
    if (claim === undefined) return await this.#store.put(path, chunks);
    if ((await this.#store.putOnce(path, chunks)) === 'there') await this.#refuseOther(entry);
    const published = new Set(known.map(({ name }) => name));
    await claim.noteTail(segments.map(({ name }) => name).filter((name) => !published.has(name)));
  }

  /** Accepts a file that an earlier attempt at the same append has written. */
  async #refuseOther(entry: SegmentEntry): Promise<void> {
    const bytes = await this.#store.get(segmentPath(entry.name));
    if (bytes !== null && sha256HexOf([bytes]) === entry.sha256) return;
    throw new StaleWriterError(
      `${this.#store.nameOf(segmentPath(entry.name))} was written by another writer: nothing was appended.`,
    );
  }
}

interface LogOptions {
  readonly maxSegmentBytes: number;
  readonly minIndexedBytes: number;
  readonly claim: Claim | undefined;
  /** Segments of the newest version. */
  readonly known: readonly SegmentEntry[];
}

interface TimedCandidate extends EventCandidate {
  readonly ts: string;
}

function checked(candidate: EventCandidate): TimedCandidate {
  const { key, envelope, retracts } = candidate;
  const ts = envelope['ts'];
  if (key === '') throw new RefusedInputError('An event has an empty natural key.');
  if ('event_id' in envelope)
    throw new RefusedInputError(`Event ${key} already has an event_id, which only the log may assign.`);
  if (typeof ts !== 'string' || !/Z$/.test(ts) || Number.isNaN(Date.parse(ts)))
    throw new RefusedInputError(
      `Event ${key} has the time ${JSON.stringify(ts)}, not an instant such as 2026-01-31T09:00:00Z.`,
    );
  return { key, envelope, ts, ...(retracts === undefined ? {} : { retracts }) };
}

type TimedEvent = AppendedEvent & Pick<TimedCandidate, 'ts'>;

function withIds(
  fresh: readonly TimedCandidate[],
  {
    known,
    lastId,
    nowMs,
  }: {
    /** Ids of retracted logged events, by key. */
    readonly known: ReadonlyMap<string, string>;
    readonly lastId: string | null;
    readonly nowMs: number;
  },
): TimedEvent[] {
  const ids = new Map(known);
  const appended: TimedEvent[] = [];
  for (const { key, envelope, ts, retracts } of fresh) {
    const retracted = retracts === undefined ? null : ids.get(retracts.key);
    if (retracted === undefined) continue;
    const id = nextUlid(appended.at(-1)?.id ?? lastId, nowMs, key);
    ids.set(key, id);
    const whole = retracted === null ? envelope : withRetraction(envelope, retracted);
    appended.push({ id, key, ts, envelope: `{"event_id":"${id}",${canonicalJson(whole).slice(1)}` });
  }
  return appended;
}

/**
 * The segments at the end that are merged into the new one, so that each is at least twice as large as all after it together: a log of
 * n appends has about log2(n) segments, and each event is copied about as often.
 */
export function tailToMerge(
  segments: readonly SegmentEntry[],
  newBytes: number,
  maxSegmentBytes: number,
): readonly SegmentEntry[] {
  let total = newBytes;
  let start = segments.length;
  for (const { bytes } of segments.toReversed()) {
    if (bytes >= 2 * total || bytes + total > maxSegmentBytes) break;
    total += bytes;
    start--;
  }
  return segments.slice(start);
}

function segmentOf(
  merged: readonly SegmentEntry[],
  appended: readonly TimedEvent[],
  chunks: readonly Buffer[],
): SegmentEntry {
  const first = merged[0]?.first ?? appended[0]?.id ?? '';
  const last = appended.at(-1)?.id ?? '';
  const times = [
    ...merged.flatMap(({ from_ts, to_ts }) => [from_ts, to_ts]),
    ...appended.map(({ ts }) => ts),
  ];
  const count = merged.reduce((sum, segment) => sum + segment.count, appended.length);
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const sha256 = sha256HexOf(chunks);
  return { name: segmentName(first, last), first, last, count, bytes, sha256, ...timeSpan(times) };
}

// The event log for replay: follows the segments of the manifests and reads pages for any filter from them, byte for byte.
import { DamagedFileError } from '../../platform/storage/errors.ts';
import { type Manifest, type SegmentEntry, segmentPath } from '../../snapshots/layout.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { type CutPage, everyOrdinal, type Ordinals } from './cut-page.ts';
import { lowerBound } from '../../platform/base/lower-bound.ts';
import { EventIndex } from './event-index.ts';
import { type Passing, passingOrdinals } from './passing-ordinals.ts';
import { readPage } from './read-page.ts';
import { scanLine } from './scan-line.ts';
import { EVENTS_PER_TURN, type EventSearch, searchEvents } from './search-events.ts';
import { SegmentFiles } from './segment-files.ts';
import { firstPartsOfMs, textOfParts, partsOf } from './ulid-parts.ts';

const LINES_PER_TURN = 2_048;
const NEWLINE = 0x0a;

export interface ReplayQuery {
  /** Events after this id; if undefined, from the first event of the window on. */
  readonly after?: string | undefined;
  /** Start of the window, Unix milliseconds. Compared with the time of an event, not with the time at which it was appended. */
  readonly fromMs: number;
  readonly type?: string | undefined;
  readonly subject?: string | undefined;
  readonly limit: number;
}

export interface ReplayPage {
  /** A JSON array of envelopes. */
  readonly events: Buffer;
  /** Id of the last event if more follow, otherwise empty. */
  readonly nextCursor: string;
}

export interface LoggedEnvelope {
  readonly id: string;
  /** UTF-8 JSON, byte for byte as published. */
  readonly bytes: Buffer;
}

export interface StretchQuery extends Passing {
  /** Events after this id; empty for the first one. */
  readonly after: string;
  /** Up to and including this id. */
  readonly upTo: string;
}

export interface Stretch {
  /** At most `limit`, in log order. */
  readonly events: readonly LoggedEnvelope[];
  /** Everything up to this id was checked; the next range starts after it. */
  readonly end: string;
}

/** The searched part of the log. */
export interface SearchSpan {
  /** Start after this id, exclusive, in the direction of the search. */
  readonly after?: string | undefined;
  /** The last event to consider, because the log of an earlier version ends there. */
  readonly upTo?: string | undefined;
}

export interface EventPage {
  /** In search order. */
  readonly events: readonly LoggedEnvelope[];
  readonly hasMore: boolean;
}

/** What readers see: the first `count` events of an index, in the files of one manifest. */
interface View {
  readonly index: EventIndex;
  readonly files: SegmentFiles;
  readonly count: number;
  readonly asOfMs: number;
}

/** A segment that was readable when it was indexed can no longer be read. */
export class UnreadableLogError extends Error {
  override readonly name = 'UnreadableLogError';
}

export class ReplayLog {
  readonly #snapshots: ObjectStore;
  #view: View | undefined;
  #index = new EventIndex();

  constructor(snapshots: ObjectStore) {
    this.#snapshots = snapshots;
  }

  /** Logical time of the newest served events; undefined until the log is read for the first time. */
  get asOfMs(): number | undefined {
    return this.#view?.asOfMs;
  }

  get count(): number {
    return this.#view?.count ?? 0;
  }

  /** Id of the newest event; undefined if there is none. */
  get lastId(): string | undefined {
    const view = this.#view;
    return view === undefined || view.count === 0 ? undefined : textOfParts(view.index.id(view.count - 1));
  }

  /** At most `limit` events after an id, or from the first event on. Empty before the log is read. */
  async envelopes(after: string | undefined, limit: number): Promise<readonly LoggedEnvelope[]> {
    const view = this.#view;
    if (view === undefined) return [];
    const { count, index } = view;
    const start = after === undefined ? 0 : index.rank(partsOf(after), count, true);
    const length = Math.max(0, Math.min(limit, count - start));
    return readEnvelopes(
      view,
      Array.from({ length }, (_, index) => start + index),
    );
  }

  /** The matching events in a range of the log, with bounded work, and the end of that range. Empty before the log is read. */
  async stretch(query: StretchQuery): Promise<Stretch> {
    const view = this.#view;
    if (view === undefined) return { events: [], end: query.after };
    const { index, count } = view;
    const from = index.rank(partsOf(query.after), count, true);
    const to = index.rank(partsOf(query.upTo), count, true);
    const { ordinals, next } = passingOrdinals(index, query, { from, to });
    const end = next >= to ? query.upTo : textOfParts(index.id(next - 1));
    return { events: await readEnvelopes(view, ordinals), end };
  }

  /** One event by id; undefined if it is not in the log. */
  async envelope(id: string): Promise<Buffer | undefined> {
    const view = this.#view;
    if (view === undefined) return undefined;
    const { index, count, files } = view;
    const ordinal = index.rank(partsOf(id), count, false);
    if (ordinal >= count || textOfParts(index.id(ordinal)) !== id) return undefined;
    const array = await files.use(() => readPage(index, files, [ordinal])).catch(unreadable);
    return array.subarray(1, -1);
  }

  /** Id of the last event before this one; undefined if there is none. */
  idBefore(id: string): string | undefined {
    const view = this.#view;
    const rank = view === undefined ? 0 : view.index.rank(partsOf(id), view.count, false);
    return view === undefined || rank === 0 ? undefined : textOfParts(view.index.id(rank - 1));
  }

  /** The events that a search finds on one side of an id, and whether more follow. Empty before the log is read. */
  async search(search: EventSearch, { after, upTo }: SearchSpan): Promise<EventPage> {
    const view = this.#view;
    if (view === undefined) return { events: [], hasMore: false };
    const { index, count } = view;
    const end = upTo === undefined ? count : index.rank(partsOf(upTo), count, true);
    const at = after === undefined ? undefined : index.rank(partsOf(after), end, !search.isNewestFirst);
    const span = search.isNewestFirst ? { from: 0, to: at ?? end } : { from: at ?? 0, to: end };
    const found = await searchEvents(index, search, span);
    const ordinals = found.slice(0, search.limit);
    const events = await readEnvelopes(
      view,
      ordinals.toSorted((a, b) => a - b),
    );
    return {
      events: search.isNewestFirst ? events.toReversed() : events,
      hasMore: found.length > ordinals.length,
    };
  }

  async page(query: ReplayQuery): Promise<ReplayPage> {
    const view = this.#view;
    if (view === undefined) throw new Error('The event log has not been read yet.');
    const { index, count } = view;
    const start =
      query.after === undefined
        ? index.rank(firstPartsOfMs(query.fromMs), count, false)
        : index.rank(partsOf(query.after), count, true);
    const { ordinals, hasMore } = await choose(view, query, start);
    const events = await view.files.use(() => readPage(index, view.files, ordinals)).catch(unreadable);
    const last = ordinals.at(-1);
    return { events, nextCursor: hasMore && last !== undefined ? textOfParts(index.id(last)) : '' };
  }

  /**
   * Reads what a newer manifest adds to the log. Readers see all of it or, if this throws, none of it.
   * @throws DamagedFileError for a segment that does not match the manifest.
   */
  async follow(manifest: Manifest): Promise<void> {
    const { segments } = manifest.events;
    if (!this.#isContinuedBy(segments)) this.#index = new EventIndex();
    let base = 0;
    for (const segment of segments) {
      if (base + segment.bytes > this.#index.bytes) await this.#append(segment, base);
      base += segment.bytes;
    }
    const previous = this.#view;
    this.#view = {
      index: this.#index,
      files: new SegmentFiles(this.#snapshots, segments),
      count: this.#index.count,
      asOfMs: Date.parse(manifest.as_of),
    };
    previous?.files.retire();
  }

  close(): void {
    this.#view?.files.retire();
    this.#view = undefined;
  }

  /** Whether the indexed events are the first ones of these segments: their ids and bytes agree up to the middle or end of a segment. */
  #isContinuedBy(segments: readonly SegmentEntry[]): boolean {
    const { count, bytes } = this.#index;
    if (count === 0) return true;
    const total = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    const last = segments.at(-1)?.last ?? '';
    if (bytes > total || textOfParts(this.#index.id(count - 1)) > last) return false;
    let [base, before] = [0, 0];
    for (const segment of segments) {
      if (before < count && this.#index.position(before).position < base) return false;
      if (before < count && textOfParts(this.#index.id(before)) !== segment.first) return false;
      base += segment.bytes;
      before += segment.count;
    }
    return true;
  }

  async #append(segment: SegmentEntry, base: number): Promise<void> {
    const file = this.#snapshots.nameOf(segmentPath(segment.name));
    const bytes = await readVerified(this.#snapshots, segment);
    let start = Math.max(0, this.#index.bytes - base);
    for (let line = 1; start < bytes.length; line++) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      const scanned = scanLine(bytes, start, end);
      if (scanned === undefined) throw damaged(file, 'one event per line', `something else at byte ${start}`);
      this.#index.add(bytes, scanned, { base, nextLine: end + 1 });
      start = end + 1;
      if (line % LINES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

async function readEnvelopes(
  { index, files }: View,
  ordinals: readonly number[],
): Promise<readonly LoggedEnvelope[]> {
  const array = await files.use(() => readPage(index, files, ordinals)).catch(unreadable);
  let at = 1;
  return ordinals.map((ordinal) => {
    const bytes = array.subarray(at, at + index.position(ordinal).length);
    at += bytes.length + 1;
    return { id: textOfParts(index.id(ordinal)), bytes };
  });
}

function unreadable(cause: unknown): never {
  throw new UnreadableLogError('This page of the event log cannot be read.', { cause });
}

/** The ordinals of one page, from the first event at or after `start` that passes. Yields to other work where the window hides many events. */
async function choose(view: View, query: ReplayQuery, start: number): Promise<CutPage> {
  const { index, count } = view;
  const list: Ordinals = index.chosen(query.type, query.subject) ?? everyOrdinal(count);
  const positionOf = (ordinal: number) =>
    lowerBound(list.length, (index) => (list.at(index) ?? 0) >= ordinal);
  const [first, end] = [positionOf(start), positionOf(count)];
  const from = query.fromMs / 1000;
  const ordinals: number[] = [];
  for (let position = first; position < end; position++) {
    const ordinal = list.at(position) ?? 0;
    if (index.facts.second(ordinal) >= from) {
      if (ordinals.length === query.limit) return { ordinals, hasMore: true };
      ordinals.push(ordinal);
    }
    if ((position - first) % EVENTS_PER_TURN === EVENTS_PER_TURN - 1)
      await new Promise((resolve) => setImmediate(resolve));
  }
  return { ordinals, hasMore: false };
}

async function readVerified(snapshots: ObjectStore, segment: SegmentEntry): Promise<Buffer> {
  const path = segmentPath(segment.name);
  const file = snapshots.nameOf(path);
  const bytes = await snapshots.get(path, segment.sha256).catch((cause: unknown) => {
    throw damaged(file, 'a readable file', cause instanceof Error ? cause.message : String(cause), cause);
  });
  if (bytes === null) throw damaged(file, 'a file', 'nothing');
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  const actual = Buffer.from(digest).toString('hex');
  if (actual !== segment.sha256) throw damaged(file, `sha256 ${segment.sha256}`, `sha256 ${actual}`);
  return bytes;
}

const damaged = (file: string, expected: string, actual: string, cause?: unknown) =>
  new DamagedFileError(
    {
      file,
      expected,
      actual,
      advice: 'Restore it from a copy; until then, replay ends at the last good event.',
    },
    { cause },
  );

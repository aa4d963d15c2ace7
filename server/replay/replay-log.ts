// The event log for replay: follows the segments of the manifests and reads pages for any filter from them, byte for byte.
import { firstPartsOfMs, partsOf, textOfParts } from '../../platform/base/ulid.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { Log } from '../log.ts';
import { EventIndex } from './event-index.ts';
import { type EventFilter, type EventSearch, findEvents, findInTurn } from './event-scan.ts';
import { LogSegments, type OnDamagedIndex } from './log-segments.ts';
import { RangeReader } from './range-reader.ts';
import { readPage } from './read-page.ts';
import { SegmentFiles } from './segment-files.ts';

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

export interface StretchQuery extends Pick<EventFilter, 'types' | 'subject'> {
  readonly limit: number;
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

/** What readers see: the log of one manifest. */
interface View {
  readonly index: EventIndex;
  readonly files: SegmentFiles;
  readonly asOfMs: number;
}

export interface ReplayEffects {
  readonly onDamagedIndex?: OnDamagedIndex;
  /** Without it, no page makes way for other work while it is read. */
  readonly steadyMs?: (() => number) | undefined;
}

/** A segment that was readable when it was indexed can no longer be read. */
export class UnreadableLogError extends Error {
  override readonly name = 'UnreadableLogError';
}

export class ReplayLog {
  readonly #snapshots: ObjectStore;
  readonly #segments: LogSegments;
  readonly #reader: RangeReader;
  #view: View | undefined;

  constructor(snapshots: ObjectStore, { onDamagedIndex, steadyMs }: ReplayEffects = {}) {
    this.#snapshots = snapshots;
    this.#segments = new LogSegments(snapshots, onDamagedIndex ?? (() => undefined));
    this.#reader = new RangeReader(steadyMs ?? (() => 0));
  }

  /** Logical time of the newest served events; undefined until the log is read for the first time. */
  get asOfMs(): number | undefined {
    return this.#view?.asOfMs;
  }

  get count(): number {
    return this.#view?.index.count ?? 0;
  }

  /** Id of the newest event; undefined if there is none. */
  get lastId(): string | undefined {
    const index = this.#view?.index;
    return index === undefined || index.count === 0 ? undefined : textOfParts(index.id(index.count - 1));
  }

  /** At most `limit` events after an id, or from the first event on. Empty before the log is read. */
  async envelopes(after: string | undefined, limit: number): Promise<readonly LoggedEnvelope[]> {
    const view = this.#view;
    if (view === undefined) return [];
    const { index } = view;
    const start = after === undefined ? 0 : index.rank(partsOf(after), true);
    const length = Math.max(0, Math.min(limit, index.count - start));
    return readEnvelopes(
      view,
      Array.from({ length }, (_, index) => start + index),
    );
  }

  /** The matching events in a range of the log, with bounded work, and the end of that range. Empty before the log is read. */
  async stretch(query: StretchQuery): Promise<Stretch> {
    const view = this.#view;
    if (view === undefined) return { events: [], end: query.after };
    const { index } = view;
    const from = index.rank(partsOf(query.after), true);
    const to = index.rank(partsOf(query.upTo), true);
    const { types, subject, limit } = query;
    const { ordinals, next } = findInTurn(index, { types, subject, limit }, { from, to });
    const end = next >= to ? query.upTo : textOfParts(index.id(next - 1));
    return { events: await readEnvelopes(view, ordinals), end };
  }

  /** One event by id; undefined if it is not in the log. */
  async envelope(id: string): Promise<Buffer | undefined> {
    const view = this.#view;
    if (view === undefined) return undefined;
    const { index, files } = view;
    const ordinal = index.rank(partsOf(id), false);
    if (ordinal >= index.count || textOfParts(index.id(ordinal)) !== id) return undefined;
    const array = await files.use(() => readPage(index, files, [ordinal])).catch(unreadable);
    return array.subarray(1, -1);
  }

  /** Id of the last event before this one; undefined if there is none. */
  idBefore(id: string): string | undefined {
    const view = this.#view;
    const rank = view === undefined ? 0 : view.index.rank(partsOf(id), false);
    return view === undefined || rank === 0 ? undefined : textOfParts(view.index.id(rank - 1));
  }

  /** The events that a search finds on one side of an id, and whether more follow. Empty before the log is read. */
  async search(search: EventSearch, { after, upTo }: SearchSpan): Promise<EventPage> {
    const view = this.#view;
    if (view === undefined) return { events: [], hasMore: false };
    const { index } = view;
    const end = endOf(index, upTo);
    const at =
      after === undefined ? undefined : Math.min(end, index.rank(partsOf(after), !search.isNewestFirst));
    const span = search.isNewestFirst ? { from: 0, to: at ?? end } : { from: at ?? 0, to: end };
    const found = await findEvents(index, search, span);
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

  /** Whether any event passes. Reads no event, so it works while one cannot be read. False before the log is read. */
  async has(filter: EventFilter, { upTo }: Pick<SearchSpan, 'upTo'> = {}): Promise<boolean> {
    const index = this.#view?.index;
    if (index === undefined) return false;
    const search = { ...filter, isNewestFirst: true, limit: 0 };
    return (await findEvents(index, search, { from: 0, to: endOf(index, upTo) })).length > 0;
  }

  async page({ after, fromMs, type, subject, limit }: ReplayQuery): Promise<ReplayPage> {
    const view = this.#view;
    if (view === undefined) throw new Error('The event log has not been read yet.');
    const { index, files } = view;
    const from =
      after === undefined ? index.rank(firstPartsOfMs(fromMs), false) : index.rank(partsOf(after), true);
    const types = type === undefined ? undefined : new Set([type]);
    const search = { types, subject, from: fromMs / 1000, isNewestFirst: false, limit };
    const found = await findEvents(index, search, { from, to: index.count });
    const ordinals = found.slice(0, limit);
    const events = await files.use(() => readPage(index, files, ordinals)).catch(unreadable);
    const last = ordinals.at(-1);
    const hasMore = found.length > ordinals.length;
    return { events, nextCursor: hasMore && last !== undefined ? textOfParts(index.id(last)) : '' };
  }

  /**
   * Reads what a newer manifest adds to the log. Readers see all of it or, if this throws, none of it.
   * @throws DamagedFileError for a segment that does not match the manifest. Bytes of a segment that has an index are checked later: by
   * `check`, or before they are served.
   */
  async follow(manifest: Manifest): Promise<void> {
    const segments = await this.#segments.load(manifest.events.segments);
    const previous = this.#view;
    this.#view = {
      index: new EventIndex(segments.map(({ index, entry }) => ({ index, bytes: entry.bytes }))),
      files: new SegmentFiles(this.#snapshots, segments, this.#reader),
      asOfMs: Date.parse(manifest.as_of),
    };
    previous?.files.retire();
  }

  /** Checks the bytes that were not read yet, until a newer manifest is followed. @throws DamagedFileError; reading those bytes fails too */
  async check(): Promise<void> {
    const files = this.#view?.files;
    await files?.use(() => files.checkAll());
  }

  close(): void {
    this.#view?.files.retire();
    this.#view = undefined;
    this.#reader.close();
  }
}

/** The first ordinal behind an event; that behind the newest one without it. */
const endOf = (index: EventIndex, upTo: string | undefined): number =>
  upTo === undefined ? index.count : index.rank(partsOf(upTo), true);

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

/** A log that reports damaged indexes: they cost time and lose nothing. */
export const openReplay = ({
  snapshots,
  log,
  steadyMs,
}: Pick<ReplayEffects, 'steadyMs'> & { readonly snapshots: ObjectStore; readonly log: Log }): ReplayLog =>
  new ReplayLog(snapshots, {
    onDamagedIndex: (err) => log.warn({ err }, 'an index of the event log is damaged'),
    steadyMs,
  });

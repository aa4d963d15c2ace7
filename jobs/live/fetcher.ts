// Fetches all sources on their schedules, each at its own pace: a source that hangs delays no other. What is due is derived from the
// recordings alone, so a restart continues where the last process stopped.

import type { NetClient } from '../net/client.ts';
import type { Clock } from '../net/clock.ts';
import type { Values } from '../net/template.ts';
import type { LiveSource, Partition } from './live-source.ts';
import { nextDue, planWindows, rangeWindows, type Span, type Window } from './plan-windows.ts';
import { recordWindow } from './read-window.ts';
import type { GitTools, Reader } from './reader.ts';
import type { Recording } from './recording.ts';
import { type RecordingPlace, readRecordings, removeLeftovers } from './recording-store.ts';

export interface FetchNotices {
  step(message: string, facts: { readonly [name: string]: string | number }): void;
  warn(message: string): void;
}

/** Which sources this process may read now, if several processes share them. */
export interface SourceLeases {
  /** Null while another process reads the source, or while that is unknown. */
  take(source: string): Promise<SourceLease | null>;
}

export interface SourceLease {
  /** Whether this process was the last one that read the source. */
  readonly isContinued: boolean;
  isHeld(): boolean;
  release(): Promise<void>;
}

export interface FetcherTools {
  readonly clock: Clock;
  readonly client: NetClient;
  readonly place: RecordingPlace;
  readonly readerOf: (source: LiveSource) => Reader;
  readonly secretsOf: (source: LiveSource) => Values;
  readonly notices: FetchNotices;
  readonly git: GitTools;
  /** Without leases, all sources belong to this process. */
  readonly leases?: SourceLeases | undefined;
}

export interface Fetched {
  readonly source: string;
  readonly recordings: readonly Recording[];
}

/** Maximum sleep of a watcher, so that it notices a source that becomes due when the clock is corrected. */
const MAX_SLEEP_MS = 60_000;
const MIN_SLEEP_MS = 250;
/** Pause before another attempt to lease a source that another process reads. */
const SHARED_SLEEP_MS = 2_000;

/** `sources` have a request of their own, are turned on, and have the keys that they need. */
export class Fetcher {
  readonly #sources: readonly LiveSource[];
  readonly #tools: FetcherTools;
  readonly #recordings = new Map<string, Recording[]>();
  /** Recordings of each source by file, so that no file is read twice. */
  readonly #files = new Map<string, Map<string, Recording>>();
  /** Recordings whose requests are counted against the budgets of their hosts. */
  readonly #counted = new Set<string>();
  #places = 0;

  constructor(sources: readonly LiveSource[], tools: FetcherTools) {
    this.#sources = sources;
    this.#tools = tools;
  }

  /** Reads everything that is due, once. With a range, reads that range instead, oldest first. */
  async once(range?: Span, signal?: AbortSignal): Promise<readonly Fetched[]> {
    return Promise.all(
      this.#sources.map(async (source) => ({
        source: source.id,
        recordings:
          (await this.#whileOwn(source, (isOwn) =>
            range === undefined
              ? this.#catchUp(source, { isOwn, signal })
              : this.#fill(source, range, { isOwn, signal }),
          )) ?? [],
      })),
    );
  }

  /** Reads until the signal is aborted. */
  async watch(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources.map((source) => this.#follow(source, signal)));
  }

  async #follow(source: LiveSource, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const made = await this.#whileOwn(source, (isOwn) => this.#catchUp(source, { isOwn, signal }));
      const pause = made === undefined ? SHARED_SLEEP_MS : await this.#pause(source);
      await this.#tools.clock.sleep(pause, signal);
    }
  }

  /** Undefined while another process reads the source. */
  async #whileOwn<T>(source: LiveSource, work: (isOwn: () => boolean) => Promise<T>): Promise<T | undefined> {
    const { leases, place } = this.#tools;
    if (leases === undefined) return work(() => true);
    const lease = await leases.take(source.id);
    if (lease === null) return undefined;
    try {
      if (!lease.isContinued) {
        await removeLeftovers(place, source.id);
        this.#recordings.delete(source.id);
      }
      return await work(() => lease.isHeld());
    } finally {
      await lease.release();
    }
  }

  async #pause(source: LiveSource): Promise<number> {
    const now = this.#now();
    const all = await this.#known(source);
    const due = source.partitions.map((partition) =>
      nextDue({ source, recordings: ofPartition(all, partition), now }),
    );
    return Math.min(MAX_SLEEP_MS, Math.max(MIN_SLEEP_MS, (Math.min(...due) - now) * 1000));
  }

  /** Plans again after each window: while history is filled in, the present becomes due again and goes first. */
  async #catchUp(source: LiveSource, { isOwn, signal }: Going): Promise<readonly Recording[]> {
    const made: Recording[] = [];
    const tried = new Set<string>();
    while (signal?.aborted !== true && isOwn()) {
      const window = await this.#next(source, tried);
      if (window === undefined) break;
      tried.add(nameOf(window));
      made.push(await this.#read(source, window));
    }
    return made;
  }

  /** Skips windows already tried: one whose end cannot be read yet, such as one after the finalized block, is read in the next round. */
  async #next(source: LiveSource, tried: ReadonlySet<string>): Promise<Window | undefined> {
    const all = await this.#known(source);
    const now = this.#now();
    const windows = source.partitions
      .flatMap((partition) =>
        planWindows({ source, partition, recordings: ofPartition(all, partition), now }),
      )
      .filter((window) => !tried.has(nameOf(window)));
    return windows.find(({ urgency }) => urgency === 'tip') ?? windows.sort((a, b) => b.to - a.to)[0];
  }

  /** Stops at the first failure of a partition, because reading on would leave a gap. */
  async #fill(source: LiveSource, range: Span, { isOwn, signal }: Going): Promise<readonly Recording[]> {
    if (source.window === null) return [];
    const all = await this.#known(source);
    const made: Recording[] = [];
    for (const partition of source.partitions) {
      const windows = rangeWindows(source.window, range, {
        partition,
        recordings: ofPartition(all, partition),
      });
      for (const [index, window] of windows.entries()) {
        if (signal?.aborted === true || !isOwn()) return made;
        const recording = await this.#read(source, window);
        made.push(recording);
        this.#tools.notices.step('history', {
          source: source.id,
          partition: partition.key,
          window: index + 1,
          of: windows.length,
        });
        if (recording.outcome === 'failed') break;
      }
    }
    return made;
  }

  async #read(source: LiveSource, window: Window): Promise<Recording> {
    const { client, place, readerOf, secretsOf, notices, git } = this.#tools;
    const known = await this.#known(source);
    const earlier = ofPartition(known, window.partition);
    const recording = await recordWindow(
      { source, window, earlier },
      {
        client,
        place,
        git,
        reader: readerOf(source),
        secrets: secretsOf(source),
        now: () => this.#now(),
        nextPlace: () => this.#nextPlace(),
      },
    );
    known.push(recording);
    this.#counted.add(`${source.id} ${recording.id}`);
    const { outcome, records, bytes, reasons, partition } = recording;
    const name = partition === '' ? source.id : `${source.id} (${partition})`;
    // Trouble is reported when it begins, not on each of many attempts.
    const isTrouble = outcome === 'failed' || outcome === 'suspect';
    if (!isTrouble) notices.step('fetched', { source: name, outcome, records, bytes });
    else if (!isRepeated(recording, earlier.at(-1)))
      notices.warn(`source ${name} ${outcome}: ${reasons.join('; ')}`);
    return recording;
  }

  async #known(source: LiveSource): Promise<Recording[]> {
    const known = this.#recordings.get(source.id);
    if (known !== undefined) return known;
    const { place, client, notices } = this.#tools;
    const files = this.#files.get(source.id) ?? new Map<string, Recording>();
    this.#files.set(source.id, files);
    const read = [...(await readRecordings(place, source.id, files, (text) => notices.warn(text)))];
    this.#recordings.set(source.id, read);
    const fresh = read.filter(({ id }) => !this.#counted.has(`${source.id} ${id}`));
    for (const { id } of fresh) this.#counted.add(`${source.id} ${id}`);
    for (const { fetched_at, pages } of fresh)
      for (const { request, bytes } of pages)
        client.gate(new URL(request.url).host).noteEarlier(fetched_at * 1000, bytes);
    return read;
  }

  #nextPlace(): number {
    this.#places = (this.#places + 1) % 10_000;
    return this.#places;
  }

  #now(): number {
    return this.#tools.clock.nowMs() / 1000;
  }
}

interface Going {
  /** Whether this process may still read the source. */
  readonly isOwn: () => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Whether the trouble is the same as before. It is not reported again, because the state of the source shows how long it has lasted. */
const isRepeated = ({ outcome, reasons }: Recording, before: Recording | undefined): boolean =>
  before?.outcome === outcome && before.reasons.join('\n') === reasons.join('\n');

const ofPartition = (all: readonly Recording[], { key }: Partition) =>
  all.filter(({ partition }) => partition === key);

const nameOf = ({ partition, from, to }: Window): string => `${partition.key} ${from} ${to}`;

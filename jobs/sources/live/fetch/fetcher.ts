// Fetches all sources on their schedules, each at its own pace: a source that hangs delays no other. What is due is derived from the
// recordings alone, so a restart continues where the last process stopped.

import { NO_SECRETS } from '../../../../platform/base/secrets.ts';
import type { NetClient } from '../http/client.ts';
import type { Clock } from '../http/clock.ts';
import type { Values } from '../http/template.ts';
import type { LiveSource, Partition, Span, Window } from './live-source.ts';
import { nextDue, planWindows, rangeWindows } from './plan-windows.ts';
import { failureOf, recordFailure, recordWindow } from './read-window.ts';
import type { GitTools, Reader } from './reader.ts';
import { ReadingMemory } from './reading-size.ts';
import type { Recording } from './recording.ts';
import { type RecordingFolder, readRecordings, removeLeftovers, StorageFault } from './recording-store.ts';

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
  readonly folder: RecordingFolder;
  readonly readerOf: (source: LiveSource) => Reader;
  readonly secretsOf: (source: LiveSource) => Values;
  readonly notices: FetchNotices;
  readonly git: GitTools;
  /** Without leases, all sources belong to this process. */
  readonly leases?: SourceLeases | undefined;
}

export interface FetchResult {
  readonly source: string;
  readonly recordings: readonly Recording[];
  /** Why reading ended without a recording of it; null if it did not. */
  readonly problem: string | null;
}

/** Nothing can be recorded any more, so that nothing can be read: only an operator can help. */
export class FetchingEndedError extends Error {
  override readonly name = 'FetchingEndedError';
}

/** Maximum sleep of a watcher, so that it notices a source that becomes due when the clock is corrected. */
const MAX_SLEEP_MS = 60_000;
const MIN_SLEEP_MS = 250;
/** Pause before another attempt to lease a source that another process reads. */
const SHARED_SLEEP_MS = 2_000;
/** Pauses after an error that no reading recorded, doubled each time. */
const FIRST_REPAIR_MS = 15_000;
const MAX_REPAIR_MS = 60_000;
/** How long a disk may refuse all recordings before the process ends. */
const UNWRITABLE_MS = 600_000;

/** `sources` have a request of their own, are turned on, and have the keys that they need. */
export class Fetcher {
  readonly #sources: readonly LiveSource[];
  readonly #tools: FetcherTools;
  readonly #recordings = new Map<string, Recording[]>();
  /** Recordings of each source by file, so that no file is read twice. */
  readonly #files = new Map<string, Map<string, Recording>>();
  /** Recordings whose requests are counted against the budgets of their hosts. */
  readonly #counted = new Set<string>();
  /** The last trouble of each source that was reported. */
  readonly #warned = new Map<string, string>();
  /** Since when the disk has refused every recording; null if it accepts them. */
  #unwritableSinceMs: number | null = null;
  readonly #memory = new ReadingMemory();
  #slots = 0;

  constructor(sources: readonly LiveSource[], tools: FetcherTools) {
    this.#sources = sources;
    this.#tools = tools;
  }

  /** Reads everything that is due, once. With a range, reads that range instead, oldest first. */
  async once(range?: Span, signal?: AbortSignal): Promise<readonly FetchResult[]> {
    return Promise.all(this.#sources.map((source) => this.#onceEach(source, range, signal)));
  }

  async #onceEach(
    source: LiveSource,
    range: Span | undefined,
    signal: AbortSignal | undefined,
  ): Promise<FetchResult> {
    const made: Recording[] = [];
    const work = (isOwn: () => boolean) => {
      const going = { isOwn, signal, made };
      return range === undefined ? this.#catchUp(source, going) : this.#fill(source, range, going);
    };
    try {
      await this.#whileOwn(source, work);
      return { source: source.id, recordings: made, problem: null };
    } catch (error) {
      if (signal?.aborted === true) return { source: source.id, recordings: made, problem: null };
      return { source: source.id, recordings: made, problem: this.#describe(error) };
    }
  }

  /** Reads until the signal is aborted. @throws FetchingEndedError when no recording has been written for ten minutes of attempts */
  async watch(signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    try {
      await Promise.all(this.#sources.map((source) => this.#follow(source, either)));
    } finally {
      ending.abort();
    }
  }

  async #follow(source: LiveSource, signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const made = await this.#whileOwn(source, (isOwn) =>
          this.#catchUp(source, { isOwn, signal, made: [] }),
        );
        const pause = made === undefined ? SHARED_SLEEP_MS : await this.#pause(source);
        failures = 0;
        await this.#tools.clock.sleep(pause, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        await this.#recordTrouble(source, error, signal);
        await this.#tools.clock.sleep(repairPause(failures), signal);
      }
    }
  }

  /**
   * Records what no reading recorded: the disk refuses, or planning failed. While nothing can be recorded, nothing is read either, because
   * it would be read in vain; reading goes on when the disk accepts the record of this failure.
   */
  async #recordTrouble(source: LiveSource, error: unknown, signal: AbortSignal): Promise<void> {
    const { folder, clock, leases } = this.#tools;
    this.#warn(source, this.#describe(error));
    // Without its lease, this process must not write recordings of the source.
    if (leases !== undefined) return;
    const [partition] = source.partitions;
    if (partition === undefined) return;
    const failure = failureOf(error, folder);
    for (let attempt = 1; !signal.aborted; attempt++) {
      const now = this.#now();
      const window: Window = { partition, from: now, to: now, urgency: 'tip' };
      try {
        const recording = await recordFailure({ source, window, earlier: [] }, failure, this.#writing());
        this.#recordings.get(source.id)?.push(recording);
        this.#unwritableSinceMs = null;
        return;
      } catch (again) {
        if (!(again instanceof StorageFault)) throw again;
        this.#noteUnwritable(again);
        await clock.sleep(repairPause(attempt), signal);
      }
    }
  }

  /** @throws FetchingEndedError */
  #noteUnwritable(fault: StorageFault): void {
    const nowMs = this.#tools.clock.nowMs();
    this.#unwritableSinceMs ??= nowMs;
    if (nowMs - this.#unwritableSinceMs < UNWRITABLE_MS) return;
    throw new FetchingEndedError(
      `Nothing could be recorded for ${UNWRITABLE_MS / 60_000} minutes. ${fault.message}`,
      { cause: fault },
    );
  }

  /** Once for each trouble of a source, because attempts are many. */
  #warn(source: LiveSource, message: string): void {
    if (this.#warned.get(source.id) === message) return;
    this.#warned.set(source.id, message);
    this.#tools.notices.warn(message);
  }

  #describe(error: unknown): string {
    const { folder } = this.#tools;
    const message = error instanceof StorageFault ? error.message : failureOf(error, folder).reason;
    return (folder.scrubber ?? NO_SECRETS).text(message);
  }

  /** Undefined while another process reads the source. */
  async #whileOwn<T>(source: LiveSource, work: (isOwn: () => boolean) => Promise<T>): Promise<T | undefined> {
    const { leases, folder } = this.#tools;
    if (leases === undefined) return work(() => true);
    const lease = await leases.take(source.id);
    if (lease === null) return undefined;
    try {
      if (!lease.isContinued) {
        await removeLeftovers(folder, source.id);
        this.#recordings.delete(source.id);
      }
      return await work(() => lease.isHeld());
    } finally {
      await lease.release();
    }
  }

  async #pause(source: LiveSource): Promise<number> {
    const now = this.#now();
    const all = await this.#cached(source);
    const due = source.partitions.map((partition) =>
      nextDue({ source, recordings: ofPartition(all, partition), now }),
    );
    return Math.min(MAX_SLEEP_MS, Math.max(MIN_SLEEP_MS, (Math.min(...due) - now) * 1000));
  }

  /** Plans again after each window: while history is filled in, the present becomes due again and goes first. */
  async #catchUp(source: LiveSource, { isOwn, signal, made }: FetchRun): Promise<readonly Recording[]> {
    const tried = new Set<string>();
    while (signal?.aborted !== true && isOwn()) {
      const window = await this.#next(source, tried);
      if (window === undefined) break;
      tried.add(nameOf(window));
      made.push(await this.#read(source, window, signal));
    }
    return made;
  }

  /** Skips windows already tried: one whose end cannot be read yet, such as one after the finalized block, is read in the next round. */
  async #next(source: LiveSource, tried: ReadonlySet<string>): Promise<Window | undefined> {
    const all = await this.#cached(source);
    const now = this.#now();
    const windows = source.partitions
      .flatMap((partition) =>
        planWindows({ source, partition, recordings: ofPartition(all, partition), now }),
      )
      .filter((window) => !tried.has(nameOf(window)));
    return windows.find(({ urgency }) => urgency === 'tip') ?? windows.sort((a, b) => b.to - a.to)[0];
  }

  /** Stops at the first failure of a partition, because reading on would leave a gap. */
  async #fill(
    source: LiveSource,
    range: Span,
    { isOwn, signal, made }: FetchRun,
  ): Promise<readonly Recording[]> {
    if (source.window === null) return [];
    const all = await this.#cached(source);
    for (const partition of source.partitions) {
      const windows = rangeWindows(source.window, range, {
        partition,
        recordings: ofPartition(all, partition),
      });
      for (const [index, window] of windows.entries()) {
        if (signal?.aborted === true || !isOwn()) return made;
        const recording = await this.#read(source, window, signal);
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

  async #read(source: LiveSource, window: Window, signal: AbortSignal | undefined): Promise<Recording> {
    const { client, readerOf, secretsOf, notices, git } = this.#tools;
    const known = await this.#cached(source);
    const earlier = ofPartition(known, window.partition);
    const size = this.#memory.open(source.guards);
    const recording = await recordWindow(
      { source, window, earlier },
      {
        size,
        client,
        git,
        reader: readerOf(source),
        secrets: secretsOf(source),
        signal,
        warn: (message) => this.#warn(source, message),
        ...this.#writing(),
      },
    ).finally(() => size.close());
    this.#unwritableSinceMs = null;
    if (recording.fault === null) this.#warned.delete(source.id);
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

  async #cached(source: LiveSource): Promise<Recording[]> {
    const known = this.#recordings.get(source.id);
    if (known !== undefined) return known;
    const { folder, client, notices } = this.#tools;
    const files = this.#files.get(source.id) ?? new Map<string, Recording>();
    this.#files.set(source.id, files);
    const read = [...(await readRecordings(folder, source.id, files, (text) => notices.warn(text)))];
    this.#recordings.set(source.id, read);
    const fresh = read.filter(({ id }) => !this.#counted.has(`${source.id} ${id}`));
    for (const { id } of fresh) this.#counted.add(`${source.id} ${id}`);
    // A recording has no host that only the environment names.
    for (const { fetched_at, pages } of fresh)
      for (const { request, bytes } of pages)
        if (URL.canParse(request.url))
          client.gate(new URL(request.url).host).noteEarlier(fetched_at * 1000, bytes);
    return read;
  }

  #writing() {
    return {
      folder: this.#tools.folder,
      now: () => this.#now(),
      nextNumber: () => this.#nextPlace(),
    };
  }

  #nextPlace(): number {
    this.#slots = (this.#slots + 1) % 10_000;
    return this.#slots;
  }

  #now(): number {
    return this.#tools.clock.nowMs() / 1000;
  }
}

interface FetchRun {
  /** Whether this process may still read the source. */
  readonly isOwn: () => boolean;
  readonly signal: AbortSignal | undefined;
  /** Takes each recording as it is made, so that an error loses none of them. */
  readonly made: Recording[];
}

const repairPause = (failures: number): number =>
  Math.min(MAX_REPAIR_MS, FIRST_REPAIR_MS * 2 ** (failures - 1));

/** Whether the trouble is the same as before. It is not reported again, because the state of the source shows how long it has lasted. */
const isRepeated = ({ outcome, reasons }: Recording, before: Recording | undefined): boolean =>
  before?.outcome === outcome && before.reasons.join('\n') === reasons.join('\n');

const ofPartition = (all: readonly Recording[], { key }: Partition) =>
  all.filter(({ partition }) => partition === key);

const nameOf = ({ partition, from, to }: Window): string => `${partition.key} ${from} ${to}`;

// Holds the served version: follows the snapshot folder, replaces the version, and keeps notices about unreadable files.
import { resolve } from 'node:path';
import { withoutPaths } from '../../platform/base/printable.ts';
import { serialQueue } from '../../platform/base/tasks.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { readForm } from '../../snapshots/dataset-file.ts';
import { type Follower, followSnapshots } from '../../snapshots/follow.ts';
import { type SeriesPart, seriesPath } from '../../snapshots/layout.ts';
import { holdVersions, releaseVersions } from '../../snapshots/leases.ts';
import type { DatasetAccess } from '../access/authorize.ts';
import { IdleCache } from './idle-cache.ts';
import type { ListShape } from '../define/list-shape.ts';
import { refuseUnreadable } from '../define/missing-data.ts';
import type { Log } from '../log.ts';
import type { EventTail } from '../replay/event-tail.ts';
import { freshnessAt } from '../replies/freshness.ts';
import { contentHash } from '../replies/negotiate.ts';
import type { LiveServices, LoadedVersion, Notice, Operations, SeriesFiles, Services } from '../services.ts';
import { Documents } from './documents.ts';
import { DatasetForms } from './published-datasets.ts';
import { loadVersion, VersionCache } from './versions.ts';

export interface HostDeps {
  readonly snapshots: ObjectStore;
  /** Follows the event log of the same folder; the host starts and stops it. */
  readonly tail: EventTail;
  readonly live: LiveServices;
  readonly datasetAccess: DatasetAccess;
  /** The lists that its endpoints serve. */
  readonly lists: readonly ListShape[];
  /** Called in the turn of the event loop from which `services` serve another version. */
  readonly onVersion: (services: Services) => void;
  readonly serviceVersion: string;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly every: (ms: number, work: () => void) => () => void;
  /** Name under which the host leases the version it serves, so that the version is not collected; without a name it takes no lease. */
  readonly readerId?: string | undefined;
}

const RETRY_EVENTS_MS = 30_000;
const HEARTBEAT_MS = 20_000;

export class SnapshotHost {
  readonly services: Services;
  readonly #deps: HostDeps;
  readonly #versions: VersionCache;
  #follower: Promise<Follower<LoadedVersion>> | undefined;
  /** The follower, once its first check is done. */
  #following: Follower<LoadedVersion> | undefined;
  #versionNotice: Notice | undefined;
  #eventNotice: Notice | undefined;
  #isStopping = false;
  readonly #cancels: (() => void)[] = [];
  readonly #leasing = serialQueue();
  #leaseFault: string | undefined;

  constructor(deps: HostDeps) {
    const { snapshots, tail, nowMs } = deps;
    this.#deps = deps;
    this.#versions = new VersionCache(snapshots, deps.lists, nowMs);
    tail.subscribe({ onFault: (error) => this.#onEventFault(error) });
    this.services = {
      ...deps.live,
      versions: this.#versions,
      datasets: new DatasetForms(snapshots, () => this.#versions.current?.version, nowMs),
      series: new PublishedSeries(snapshots, nowMs),
      replay: tail.replay,
      datasetAccess: deps.datasetAccess,
      operations: this.#operations(),
      nowMs,
      freshness: (entry) => freshnessAt(entry, nowMs()),
      identify: contentHash,
    };
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  markStopping(): void {
    this.#isStopping = true;
  }

  start(pollMs: number): void {
    const { snapshots, tail, every, lists } = this.#deps;
    this.#cancels.push(every(RETRY_EVENTS_MS, () => tail.retry()));
    this.#cancels.push(every(HEARTBEAT_MS, () => this.#lease()));
    this.#follower = followSnapshots(snapshots, {
      load: (reader, previous) => loadVersion(reader, previous, lists),
      onSwap: ({ value }) => this.#swap(value),
      onFault: (error, kept) => this.#onVersionFault(error, kept),
      repeat: (poll) => every(pollMs, poll),
    });
    void this.#follower.then((follower) => {
      this.#following = follower;
    });
  }

  async refresh(): Promise<void> {
    await (await this.#follower)?.poll();
    const manifest = this.#versions.current?.manifest;
    if (manifest !== undefined) await this.#deps.tail.follow(manifest);
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    await (await this.#follower)?.stop();
    await this.#deps.tail.stop();
    await this.#release();
  }

  #swap(version: LoadedVersion): void {
    const { tail, log, onVersion } = this.#deps;
    this.#versions.replace(version);
    onVersion(this.services);
    void tail.follow(version.manifest);
    this.#lease();
    log.info({ version: version.version, as_of: version.manifest.as_of }, 'serving a new version');
  }

  #onVersionFault(error: Error, kept: string | null): void {
    this.#versionNotice = this.#noticeOf(error.message);
    this.#deps.log.warn({ err: error, kept }, 'a published version cannot be used');
  }

  #onEventFault(error: Error): void {
    this.#eventNotice = this.#noticeOf(error.message);
    this.#deps.log.warn({ err: error }, 'the event log cannot be read to its end');
  }

  /** A folder without write access is served too; retention of its old versions then depends on age alone. */
  #lease(): void {
    const { snapshots, readerId, nowMs, log } = this.#deps;
    const version = this.#versions.current?.version;
    if (readerId === undefined || version === undefined) return;
    this.#leasing(() =>
      holdVersions(snapshots, { id: readerId, versions: [version], heartbeat_ms: nowMs() }),
    ).catch((error: Error) => {
      if (this.#leaseFault === undefined) log.warn({ err: error }, 'the served version cannot be leased');
      this.#leaseFault = error.message;
    });
  }

  async #release(): Promise<void> {
    const { snapshots, readerId, log } = this.#deps;
    await this.#leasing(async () => undefined);
    if (readerId === undefined || this.#leaseFault !== undefined) return;
    await releaseVersions(snapshots, readerId).catch((error: Error) => {
      log.warn(
        { err: error },
        'the lease on the served version could not be released and remains until it expires',
      );
    });
  }

  #noticeOf(message: string): Notice {
    const { nowMs, snapshots } = this.#deps;
    const location = snapshots.nameOf('');
    const folders = [location, resolve(location)];
    return {
      of: 'published_files',
      at: new Date(nowMs()).toISOString(),
      message: withoutPaths(message, folders),
    };
  }

  #operations(): Operations {
    const host = this;
    const startedMs = this.#deps.nowMs();
    return {
      serviceVersion: this.#deps.serviceVersion,
      startedMs,
      get isStopping() {
        return host.#isStopping;
      },
      get notices() {
        const version = host.#following?.fault() === null ? undefined : host.#versionNotice;
        const events = host.#deps.tail.fault === undefined ? undefined : host.#eventNotice;
        const published = [version, events].filter((notice) => notice !== undefined);
        return [...published, ...host.#deps.live.storeNotices()];
      },
    };
  }
}

// Series files of every kept version, read and checked on demand, and cached by content.

const MAX_BYTES = 64 * 1_024 * 1_024;

class PublishedSeries implements SeriesFiles {
  readonly #snapshots: ObjectStore;
  readonly #nowMs: () => number;
  readonly #documents = new IdleCache<Promise<Documents>>(MAX_BYTES);

  constructor(snapshots: ObjectStore, nowMs: () => number) {
    this.#snapshots = snapshots;
    this.#nowMs = nowMs;
  }

  async document(dataset: string, part: SeriesPart, key: string): Promise<Buffer | undefined> {
    const name = `${dataset} ${part.sha256}`;
    const nowMs = this.#nowMs();
    const known = this.#documents.get(name, nowMs);
    if (known !== undefined) return (await known).get(key);
    const documents = this.#read(dataset, part);
    this.#documents.set(name, documents, { bytes: part.bytes, nowMs });
    documents.catch(() => this.#documents.delete(name));
    return (await documents).get(key);
  }

  async #read(dataset: string, part: SeriesPart): Promise<Documents> {
    try {
      const bytes = await readForm(this.#snapshots, seriesPath(dataset, part.sha256), part);
      return new Documents(dataset, part.documents, bytes);
    } catch (cause) {
      return refuseUnreadable(cause);
    }
  }
}

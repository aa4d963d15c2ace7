// Holds what the server answers from: follows the snapshot folder, swaps version and read path in one turn, keeps notices.
import { resolve } from 'node:path';
import type { Disk } from '../../snapshots/disk.ts';
import { type Follower, followSnapshots } from '../../snapshots/follow.ts';
import { holdVersions, releaseVersions } from '../../snapshots/leases.ts';
import { type DatasetAccess, datasetAccess } from '../define/dataset-access.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { LiveServices, LoadedVersion, Notice, Operations, Services } from '../define/services.ts';
import { prepareReadPath, type ReadPath } from '../http/read-path.ts';
import { ReplayLog } from '../replay/replay-log.ts';
import { contentHash } from './documents.ts';
import { EventTail } from './event-tail.ts';
import { freshnessAt } from './freshness.ts';
import { withoutPaths } from './public-words.ts';
import { DatasetForms } from './published-datasets.ts';
import { loadVersion, VersionCache } from './versions.ts';

export interface Log {
  /** Absent where that level is not written: whoever logs much asks first. */
  debug?(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface HostDeps {
  readonly disk: Disk;
  readonly snapshotDir: string;
  readonly endpoints: readonly Endpoint[];
  readonly live: LiveServices;
  /** Without it, what `endpoints` say. */
  readonly datasetAccess?: DatasetAccess;
  /** The log was read up to a newer manifest. */
  readonly onEvents?: () => void;
  readonly serviceVersion: string;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly every: (ms: number, work: () => void) => () => void;
  /** Name under which the server holds the version it serves, so that it is not collected; without one it holds none. */
  readonly readerId?: string | undefined;
}

const RETRY_EVENTS_MS = 30_000;
const HEARTBEAT_MS = 20_000;

export class SnapshotHost {
  readonly services: Services;
  readonly #deps: HostDeps;
  readonly #versions: VersionCache;
  readonly #tail: EventTail;
  #readPath: ReadPath = new Map();
  #follower: Promise<Follower<LoadedVersion>> | undefined;
  /** The same, once it has looked for the first time. */
  #following: Follower<LoadedVersion> | undefined;
  #versionNotice: Notice | undefined;
  #eventNotice: Notice | undefined;
  #isStopping = false;
  readonly #cancels: (() => void)[] = [];
  #holding: Promise<void> = Promise.resolve();
  #cannotHold: string | undefined;

  constructor(deps: HostDeps) {
    this.#deps = deps;
    this.#versions = new VersionCache(deps.disk, deps.snapshotDir);
    const replay = new ReplayLog(deps.disk, deps.snapshotDir);
    this.#tail = new EventTail(replay, {
      onFault: (error) => this.#onEventFault(error),
      onRead: () => deps.onEvents?.(),
    });
    this.services = {
      versions: this.#versions,
      datasets: new DatasetForms(deps.disk, deps.snapshotDir, () => this.#versions.current?.version),
      replay,
      get store() {
        return deps.live.store;
      },
      get usage() {
        return deps.live.usage;
      },
      get webhooks() {
        return deps.live.webhooks;
      },
      rateOf: (caller) => deps.live.rateOf(caller),
      upgradeUrl: () => deps.live.upgradeUrl(),
      datasetAccess: deps.datasetAccess ?? datasetAccess(deps.endpoints),
      storeNotices: () => deps.live.storeNotices(),
      operations: this.#operations(),
      nowMs: deps.nowMs,
      freshness: (entry) => freshnessAt(entry, deps.nowMs()),
      identify: contentHash,
    };
  }

  get readPath(): ReadPath {
    return this.#readPath;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  markStopping(): void {
    this.#isStopping = true;
  }

  start(pollMs: number): void {
    const { disk, snapshotDir, every } = this.#deps;
    this.#cancels.push(every(RETRY_EVENTS_MS, () => this.#tail.retry()));
    this.#cancels.push(every(HEARTBEAT_MS, () => this.#hold()));
    this.#follower = followSnapshots(disk, snapshotDir, {
      load: loadVersion,
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
    if (manifest !== undefined) await this.#tail.follow(manifest);
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    await (await this.#follower)?.stop();
    await this.#tail.stop();
    await this.#release();
  }

  #swap(version: LoadedVersion): void {
    this.#versions.replace(version);
    this.#readPath = prepareReadPath(this.#deps.endpoints, this.services);
    void this.#tail.follow(version.manifest);
    this.#hold();
    this.#deps.log.info({ version: version.version, as_of: version.manifest.as_of }, 'serving a new version');
  }

  #onVersionFault(error: Error, kept: string | null): void {
    this.#versionNotice = this.#noticeOf(error.message);
    this.#deps.log.warn({ err: error, kept }, 'a published version cannot be used');
  }

  #onEventFault(error: Error): void {
    this.#eventNotice = this.#noticeOf(error.message);
    this.#deps.log.warn({ err: error }, 'the event log cannot be read to its end');
  }

  /** A folder that may not be written is served all the same: old versions are then kept by time alone. */
  #hold(): void {
    const { disk, snapshotDir, readerId, nowMs, log } = this.#deps;
    const version = this.#versions.current?.version;
    if (readerId === undefined || version === undefined) return;
    this.#holding = this.#holding
      .then(() =>
        holdVersions(disk, snapshotDir, { id: readerId, versions: [version], heartbeat_ms: nowMs() }),
      )
      .catch((error: Error) => {
        if (this.#cannotHold === undefined) log.warn({ err: error }, 'the served version cannot be held');
        this.#cannotHold = error.message;
      });
  }

  async #release(): Promise<void> {
    const { disk, snapshotDir, readerId, log } = this.#deps;
    await this.#holding;
    if (readerId === undefined || this.#cannotHold !== undefined) return;
    await releaseVersions(disk, snapshotDir, readerId).catch((error: Error) => {
      log.warn({ err: error }, 'the lease on the served version stays until it expires');
    });
  }

  #noticeOf(message: string): Notice {
    const { nowMs, snapshotDir } = this.#deps;
    const folders = [snapshotDir, resolve(snapshotDir)];
    return { at: new Date(nowMs()).toISOString(), message: withoutPaths(message, folders) };
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
        const events = host.#tail.fault === undefined ? undefined : host.#eventNotice;
        const published = [version, events].filter((notice) => notice !== undefined);
        return [...published, ...host.#deps.live.storeNotices()];
      },
    };
  }
}

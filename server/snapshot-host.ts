// Holds what the server answers from: follows the snapshot folder, swaps version and read path in one turn, keeps notices.
import type { Disk } from '../snapshots/disk.ts';
import { type Follower, followSnapshots } from '../snapshots/follow.ts';
import type { Caller, Endpoint } from './define.ts';
import { contentHash } from './documents.ts';
import { EventTail } from './event-tail.ts';
import { freshnessAt } from './freshness.ts';
import { prepareReadPath, type ReadPath } from './read-path.ts';
import { ReplayLog } from './replay/replay-log.ts';
import type { LoadedVersion, Notice, Operations, Services } from './services.ts';
import { loadVersion, Shelf } from './versions.ts';

export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface HostDeps {
  readonly disk: Disk;
  readonly snapshotDir: string;
  readonly endpoints: readonly Endpoint[];
  readonly caller: Caller;
  readonly serviceVersion: string;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly every: (ms: number, work: () => void) => () => void;
}

const RETRY_EVENTS_MS = 30_000;

export class SnapshotHost {
  readonly services: Services;
  readonly #deps: HostDeps;
  readonly #shelf: Shelf;
  readonly #tail: EventTail;
  #readPath: ReadPath = new Map();
  #follower: Promise<Follower<LoadedVersion>> | undefined;
  /** The same, once it has looked for the first time. */
  #following: Follower<LoadedVersion> | undefined;
  #versionNotice: Notice | undefined;
  #eventNotice: Notice | undefined;
  #isStopping = false;
  #cancelRetry: () => void = () => undefined;

  constructor(deps: HostDeps) {
    this.#deps = deps;
    this.#shelf = new Shelf(deps.disk, deps.snapshotDir);
    const replay = new ReplayLog(deps.disk, deps.snapshotDir);
    this.#tail = new EventTail(replay, (error) => this.#onEventFault(error));
    this.services = {
      versions: this.#shelf,
      replay,
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
    this.#cancelRetry = every(RETRY_EVENTS_MS, () => this.#tail.retry());
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
    const manifest = this.#shelf.current?.manifest;
    if (manifest !== undefined) await this.#tail.follow(manifest);
  }

  async stop(): Promise<void> {
    this.#cancelRetry();
    await (await this.#follower)?.stop();
    await this.#tail.stop();
  }

  #swap(version: LoadedVersion): void {
    this.#shelf.replace(version);
    this.#readPath = prepareReadPath(this.#deps.endpoints, this.services, this.#deps.caller);
    void this.#tail.follow(version.manifest);
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

  #noticeOf(message: string): Notice {
    return { at: new Date(this.#deps.nowMs()).toISOString(), message };
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
        return [version, events].filter((notice) => notice !== undefined);
      },
    };
  }
}

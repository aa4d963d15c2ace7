// Keeps the replay log at the newest manifest, one read at a time, and reports new events and faults to its subscribers. Retries reads of
// unreadable segments, and checks in the background what opening the log did not read.
import { LastFault, SingleFlight } from '../../platform/base/tasks.ts';
import type { Manifest } from '../../snapshots/layout.ts';
import type { ReplayLog } from './replay-log.ts';

export interface EventSubscriber {
  /** The log was read up to a newer manifest. */
  onEvents?(): void;
  /** The log cannot be read up to the newest manifest. Called once per problem. */
  onFault?(error: Error): void;
}

export class EventTail {
  readonly replay: ReplayLog;
  readonly #subscribers: EventSubscriber[] = [];
  #position: Manifest | undefined;
  readonly #reading = new SingleFlight(() => this.#read());
  readonly #checking = new SingleFlight(() => this.#check());
  readonly #fault = new LastFault();

  constructor(replay: ReplayLog) {
    this.replay = replay;
  }

  subscribe(subscriber: EventSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  /** Why replay lacks the newest events; undefined if it does not. */
  get fault(): Error | undefined {
    return this.#fault.error;
  }

  /** Reads up to this manifest, after the current read. Resolves when replay has reached it or failed. */
  follow(manifest: Manifest): Promise<void> {
    const isNew = manifest !== this.#position;
    this.#position = manifest;
    return isNew ? this.#reading.wake() : this.#reading.join();
  }

  /** Retries a failed read. */
  retry(): void {
    if (this.fault !== undefined && this.#position !== undefined) void this.follow(this.#position);
  }

  async stop(): Promise<void> {
    await this.#reading.running;
    this.replay.close();
    await this.#checking.running;
  }

  async #read(): Promise<void> {
    if (this.#position === undefined) return;
    try {
      await this.replay.follow(this.#position);
      this.#fault.clear();
      for (const subscriber of this.#subscribers) subscriber.onEvents?.();
      void this.#checking.wake();
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  async #check(): Promise<void> {
    await this.replay.check().catch((thrown: unknown) => this.#report(thrown));
  }

  #report(thrown: unknown): void {
    const news = this.#fault.note(thrown);
    if (news !== undefined) for (const subscriber of this.#subscribers) subscriber.onFault?.(news);
  }
}

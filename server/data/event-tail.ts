// Keeps the replay log at the newest manifest, one read at a time, and reports new events and faults to its subscribers. Retries reads of
// unreadable segments.
import type { Manifest } from '../../snapshots/layout.ts';
import type { ReplayLog } from '../replay/replay-log.ts';

export interface EventSubscriber {
  /** The log was read up to a newer manifest. */
  onEvents?(): void;
  /** The log cannot be read up to the newest manifest. Called once per problem. */
  onFault?(error: Error): void;
}

export class EventTail {
  readonly replay: ReplayLog;
  readonly #subscribers: EventSubscriber[] = [];
  #wanted: Manifest | undefined;
  #running: Promise<void> | undefined;
  #fault: Error | undefined;

  constructor(replay: ReplayLog) {
    this.replay = replay;
  }

  subscribe(subscriber: EventSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  /** Why replay lacks the newest events; undefined if it does not. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Reads up to this manifest, after the current read. Resolves when replay has reached it or failed. */
  follow(manifest: Manifest): Promise<void> {
    this.#wanted = manifest;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Retries a failed read. */
  retry(): void {
    if (this.#fault !== undefined && this.#wanted !== undefined) void this.follow(this.#wanted);
  }

  async stop(): Promise<void> {
    await this.#running;
    this.replay.close();
  }

  async #run(): Promise<void> {
    let reached: Manifest | undefined;
    while (this.#wanted !== undefined && reached !== this.#wanted) {
      reached = this.#wanted;
      try {
        await this.replay.follow(reached);
        this.#fault = undefined;
        for (const subscriber of this.#subscribers) subscriber.onEvents?.();
      } catch (thrown) {
        this.#failed(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    }
  }

  #failed(error: Error): void {
    const isNew = error.message !== this.#fault?.message;
    this.#fault = error;
    if (isNew) for (const subscriber of this.#subscribers) subscriber.onFault?.(error);
  }
}

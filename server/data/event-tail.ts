// Keeps the replay log on the newest manifest: one reading at a time, the newest wish wins, a damaged segment is told and tried again.
import type { Manifest } from '../../snapshots/layout.ts';
import type { ReplayLog } from '../replay/replay-log.ts';

export class EventTail {
  readonly #replay: ReplayLog;
  readonly #onFault: (error: Error) => void;
  readonly #onRead: () => void;
  #wanted: Manifest | undefined;
  #running: Promise<void> | undefined;
  #fault: Error | undefined;

  constructor(replay: ReplayLog, told: { onFault: (error: Error) => void; onRead: () => void }) {
    this.#replay = replay;
    this.#onFault = told.onFault;
    this.#onRead = told.onRead;
  }

  /** What keeps replay from the newest events; undefined when nothing does. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Reads up to this manifest, after what is being read now. Resolves when replay is there or has failed to get there. */
  follow(manifest: Manifest): Promise<void> {
    this.#wanted = manifest;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Tries once more what failed. */
  retry(): void {
    if (this.#fault !== undefined && this.#wanted !== undefined) void this.follow(this.#wanted);
  }

  async stop(): Promise<void> {
    await this.#running;
    this.#replay.close();
  }

  async #run(): Promise<void> {
    let reached: Manifest | undefined;
    while (this.#wanted !== undefined && reached !== this.#wanted) {
      reached = this.#wanted;
      try {
        await this.#replay.follow(reached);
        this.#fault = undefined;
        this.#onRead();
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        if (error.message !== this.#fault?.message) this.#onFault(error);
        this.#fault = error;
      }
    }
  }
}

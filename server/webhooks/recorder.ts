// Writes results of attempts in batches. While the store cannot be written, results wait here and no new attempt starts.
import type { AttemptRecord, DeliveryStore, DisabledReason, Postponement } from '../store/webhook-store.ts';
import type { DispatchLog } from './log.ts';
import type { DeliveryQueue } from './queue.ts';

const GROUP_MS = 20;
const GROUP_SIZE = 100;
const RETRY_MS = 1_000;
const MAX_WAITING = 2_000;

export interface Result {
  readonly queue: DeliveryQueue;
  readonly record: AttemptRecord | Postponement;
  /** Why the subscription must be disabled once this result is written. */
  readonly disables?: DisabledReason | undefined;
}

export interface RecorderDeps {
  readonly deliveries: Pick<DeliveryStore, 'settle'>;
  readonly after: (ms: number, work: () => void) => () => void;
  readonly log: DispatchLog;
  /** Called once the results are in the store. */
  readonly onWritten: (results: readonly Result[]) => void;
}

export class Recorder {
  readonly #deps: RecorderDeps;
  #waiting: Result[] = [];
  #writing: Promise<void> | undefined;
  #writingCount = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  get isFull(): boolean {
    return this.#waiting.length + this.#writingCount >= MAX_WAITING;
  }

  add(result: Result): void {
    this.#waiting.push(result);
    if (this.#waiting.length >= GROUP_SIZE) void this.#write();
    else this.#writeIn(GROUP_MS);
  }

  /** Writes all results now. @throws the error of the store */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.length > 0) await this.#settle();
    this.#cancel();
  }

  #writeIn(ms: number): void {
    this.#cancelTimer ??= this.#deps.after(ms, () => {
      this.#cancelTimer = undefined;
      void this.#write();
    });
  }

  #cancel(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #write(): Promise<void> {
    this.#cancel();
    this.#writing ??= this.#settle()
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, 'deliveries cannot be recorded now; they are kept in memory');
        this.#writeIn(RETRY_MS);
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#waiting.length > 0) this.#writeIn(GROUP_MS);
      });
    return this.#writing;
  }

  async #settle(): Promise<void> {
    const results = this.#waiting;
    this.#waiting = [];
    this.#writingCount = results.length;
    try {
      const queues = new Set(results.map(({ queue }) => queue));
      await this.#deps.deliveries.settle(
        results.map(({ record }) => record),
        [...queues].map(({ health }) => health),
      );
    } catch (error) {
      this.#waiting = [...results, ...this.#waiting];
      throw error;
    } finally {
      this.#writingCount = 0;
    }
    for (const { queue, record } of results) queue.settled(record.id, record.next_ms);
    this.#deps.onWritten(results);
  }
}

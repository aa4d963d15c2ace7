// Reads many small ranges of open files in a thread of its own. A thousand reads, one after the other, take the thread half a millisecond if
// the files are in memory; the event loop, which hands each to a pool of threads, needs several, and must not wait for a disk itself.
import { Worker } from 'node:worker_threads';

export interface FileRange {
  readonly descriptor: number;
  readonly position: number;
  readonly length: number;
}

/** The ranges, as columns: a list of objects would be copied one by one. */
export interface ReadTask {
  readonly number: number;
  readonly bytes: ArrayBuffer;
  /** Where in `bytes` the first range goes; the others follow. */
  readonly start: number;
  readonly descriptors: Float64Array;
  readonly positions: Float64Array;
  readonly lengths: Float64Array;
}

export interface ReadAnswer {
  readonly number: number;
  readonly bytes: ArrayBuffer;
  /** Undefined if every range was read. */
  readonly problem?: string;
}

interface Waiting {
  resolve(bytes: Buffer): void;
  reject(error: Error): void;
}

const SCRIPT = new URL('./range-reader-thread.ts', import.meta.url);
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export class RangeReader {
  #thread: Worker | undefined;
  #last = 0;
  #isClosing = false;
  readonly #waiting = new Map<number, Waiting>();

  /** A buffer of `size` bytes in which the ranges follow one another from `start` on. @throws if one cannot be read completely */
  read(ranges: readonly FileRange[], { size, start }: { size: number; start: number }): Promise<Buffer> {
    const columns = {
      descriptors: Float64Array.from(ranges, ({ descriptor }) => descriptor),
      positions: Float64Array.from(ranges, ({ position }) => position),
      lengths: Float64Array.from(ranges, ({ length }) => length),
    };
    const bytes = new ArrayBuffer(size);
    const task: ReadTask = { number: ++this.#last, bytes, start, ...columns };
    this.#thread ??= this.#begin();
    const answer = new Promise<Buffer>((resolve, reject) => {
      this.#waiting.set(task.number, { resolve, reject });
    });
    this.#thread.postMessage(task, [bytes]);
    return answer;
  }

  /** Ends the thread when everything is read. */
  close(): void {
    this.#isClosing = true;
    if (this.#waiting.size === 0) void this.#thread?.terminate();
  }

  #begin(): Worker {
    const thread = new Worker(SCRIPT, { resourceLimits: LIMITS });
    thread.unref();
    let fault: unknown;
    thread.on('error', (error) => {
      fault = error;
    });
    thread.on('exit', () => this.#end(thread, fault));
    thread.on('message', ({ number, bytes, problem }: ReadAnswer) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (problem === undefined) waiting?.resolve(Buffer.from(bytes));
      else waiting?.reject(new Error(problem));
      if (this.#isClosing) this.close();
    });
    return thread;
  }

  /** The next read begins another thread. */
  #end(thread: Worker, cause: unknown): void {
    if (this.#thread === thread) this.#thread = undefined;
    for (const { reject } of this.#waiting.values())
      reject(new Error('The thread that reads the event log has ended.', { cause }));
    this.#waiting.clear();
  }
}

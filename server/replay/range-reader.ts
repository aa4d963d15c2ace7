// Reads many small ranges of open files. A thousand reads, one after the other, take half a millisecond if the files are in memory, and the
// event loop several, if it hands each to a pool of threads. So they are read at once; what takes longer, because a disk is asked, is
// left to a thread.
import { Worker } from 'node:worker_threads';
import { fillRanges, type RangeTask } from './fill-ranges.ts';

export interface FileRange {
  readonly descriptor: number;
  readonly position: number;
  readonly length: number;
}

export interface ReadTask extends RangeTask {
  readonly number: number;
}

export interface ReadAnswer {
  readonly number: number;
  readonly bytes: ArrayBuffer;
  /** Undefined if every range was read. */
  readonly problem?: string;
}

/** How long the event loop reads before it leaves the rest to the thread. */
const MAX_MS_AT_ONCE = 2;

interface PendingRead {
  resolve(bytes: Buffer): void;
  reject(error: Error): void;
}

const SCRIPT = new URL('./range-reader-thread.ts', import.meta.url);
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export class RangeReader {
  #thread: Worker | undefined;
  #last = 0;
  #isClosing = false;
  readonly #waiting = new Map<number, PendingRead>();

  readonly #steadyMs: () => number;

  constructor(steadyMs: () => number) {
    this.#steadyMs = steadyMs;
  }

  /** A buffer of `size` bytes in which the ranges follow one another from `start` on. @throws if one cannot be read completely */
  async read(
    ranges: readonly FileRange[],
    { size, start }: { size: number; start: number },
  ): Promise<Buffer> {
    const task = {
      bytes: new ArrayBuffer(size),
      start,
      descriptors: Float64Array.from(ranges, ({ descriptor }) => descriptor),
      positions: Float64Array.from(ranges, ({ position }) => position),
      lengths: Float64Array.from(ranges, ({ length }) => length),
    };
    const endMs = this.#steadyMs() + MAX_MS_AT_ONCE;
    const done = fillRanges(task, () => this.#steadyMs() > endMs);
    return done === ranges.length ? Buffer.from(task.bytes) : await this.#readInThread(without(task, done));
  }

  #readInThread(task: RangeTask): Promise<Buffer> {
    const number = ++this.#last;
    this.#thread ??= this.#begin();
    const answer = new Promise<Buffer>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    this.#thread.postMessage({ ...task, number } satisfies ReadTask, [task.bytes]);
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

/** What is left after the first `done` ranges. */
function without({ bytes, start, descriptors, positions, lengths }: RangeTask, done: number): RangeTask {
  return {
    bytes,
    start: start + lengths.subarray(0, done).reduce((sum, length) => sum + length, 0),
    descriptors: descriptors.slice(done),
    positions: positions.slice(done),
    lengths: lengths.slice(done),
  };
}

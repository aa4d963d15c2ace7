// A pool of worker threads for calculations that would block the server. The queue is bounded: when it is full, a calculation is refused at
// once. A worker that dies or exceeds the deadline is replaced, and only its own task fails.
import { Failure } from '../define/failure.ts';
import type { Log } from '../log.ts';
import { deadline } from './deadline.ts';
import { PoolWorker, type WorkerEnd } from './pool-worker.ts';
import { type QueuedTask, type Slot, TaskQueue } from './task-queue.ts';
import type { InputDocument, PayloadOf, ResultOf, TaskTable } from './task.ts';

export interface PoolOptions {
  /** Module that serves the tasks. */
  readonly script: URL;
  readonly workers: number;
  /** Jobs that may wait for a worker. */
  readonly maxWaiting?: number;
  /** How long a task may run. */
  readonly deadlineMs?: number;
  /** Calls back after that many milliseconds, unless the returned function is called first. */
  readonly after: (ms: number, work: () => void) => () => void;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
  readonly log: Pick<Log, 'warn'>;
}

/** One or more tasks that take one place in the queue. Its later tasks run before those of later jobs. */
export interface Job<T extends TaskTable> {
  /** @throws Failure `unavailable` if the worker died or the task exceeded its deadline */
  run<K extends keyof T & string>(
    kind: K,
    payload: PayloadOf<T, K>,
    documents?: Readonly<Record<string, InputDocument>>,
  ): Promise<ResultOf<T, K>>;
}

export interface PoolCounts {
  readonly workers: number;
  readonly running: number;
  /** Tasks waiting for a worker. */
  readonly waiting: number;
  /** Since startup: jobs refused because the queue was full, and workers that died. */
  readonly refused: number;
  readonly died: number;
}

/** Finished tasks of one kind since startup. */
export interface TaskTotals {
  readonly count: number;
  readonly seconds: number;
}

interface RunningTask {
  readonly task: QueuedTask;
  readonly startedMs: number;
  readonly cancelDeadline: () => void;
  hasBegun: boolean;
  hasExpired: boolean;
}

export const MAX_WAITING = 32;
const DEADLINE_MS = 10_000;
/** Workers that may die in a row before they are ready; after that, waiting tasks are refused. */
const MAX_FALSE_STARTS = 3;

const refusal = (message: string, retrySeconds: number, cause?: unknown) =>
  new Failure('unavailable', message, {
    headers: ['Retry-After', String(retrySeconds)],
    ...(cause === undefined ? {} : { cause }),
  });

export class WorkerPool<T extends TaskTable> {
  readonly #options: PoolOptions;
  readonly #workers = new Map<PoolWorker, RunningTask | undefined>();
  readonly #waiting = new TaskQueue();
  readonly #totals = new Map<string, { count: number; seconds: number }>();
  #falseStarts = 0;
  #refused = 0;
  #died = 0;
  #isStopped = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get workers(): number {
    return this.#options.workers;
  }

  get counts(): PoolCounts {
    const running = [...this.#workers.values()].filter((task) => task !== undefined).length;
    const waiting = this.#waiting.length;
    return { workers: this.#workers.size, running, waiting, refused: this.#refused, died: this.#died };
  }

  get #deadlineMs(): number {
    return this.#options.deadlineMs ?? DEADLINE_MS;
  }

  get totals(): ReadonlyMap<string, TaskTotals> {
    return this.#totals;
  }

  /**
   * Takes a place in the queue immediately, for as long as `work` lasts.
   * @throws Failure `unavailable` if the queue is full
   */
  async inJob<R>(work: (job: Job<T>) => Promise<R>): Promise<R> {
    this.#checkRoom();
    return this.#waiting.inSlot((slot) =>
      work({ run: (kind, payload, documents = {}) => this.#add(slot, kind, payload, documents) }),
    );
  }

  /** Runs a job of one task. */
  run<K extends keyof T & string>(
    kind: K,
    payload: PayloadOf<T, K>,
    documents?: Readonly<Record<string, InputDocument>>,
  ): Promise<ResultOf<T, K>> {
    return this.inJob((job) => job.run(kind, payload, documents));
  }

  /** Starts all workers, so that the first task does not wait for one. */
  warm(): void {
    while (!this.#isStopped && this.#workers.size < this.#options.workers) this.#start();
  }

  /** Fails every task that has not finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting.refuse(refusal('The server is stopping.', 1));
    await Promise.all([...this.#workers.keys()].map((worker) => worker.end()));
  }

  #add<R>(
    slot: Slot,
    kind: string,
    payload: unknown,
    documents: Readonly<Record<string, InputDocument>>,
  ): Promise<R> {
    if (this.#isStopped) return Promise.reject(refusal('The server is stopping.', 1));
    return new Promise<R>((resolve, reject) => {
      const ends = { resolve: resolve as QueuedTask['resolve'], reject };
      this.#waiting.add({ slot, kind, payload, documents, ...ends, wasLost: false });
      this.#dispatch();
    });
  }

  /** A job that has started a task no longer needs a place, and every free worker counts as a place. */
  #checkRoom(): void {
    if (this.#isStopped) throw refusal('The server is stopping.', 1);
    const free = this.#options.workers - this.counts.running;
    if (this.#waiting.jobs < (this.#options.maxWaiting ?? MAX_WAITING) + Math.max(0, free)) return;
    this.#refused++;
    throw refusal('Too many calculations are waiting.', 2);
  }

  #idle(): PoolWorker | undefined {
    for (const [worker, task] of this.#workers) if (worker.isReady && task === undefined) return worker;
    return undefined;
  }

  #dispatch(): void {
    for (let worker = this.#idle(); worker !== undefined; worker = this.#idle()) {
      const task = this.#waiting.next();
      if (task === undefined) return;
      this.#begin(worker, task);
    }
    if (this.#waiting.length > 0 && this.#workers.size < this.#options.workers) this.#start();
  }

  #begin(worker: PoolWorker, task: QueuedTask): void {
    try {
      worker.send(task.kind, task.payload, task.documents);
    } catch (error) {
      task.reject(error);
      return;
    }
    task.slot.hasStarted = true;
    const cancelDeadline = deadline(this.#options, this.#deadlineMs, () => {
      running.hasExpired = true;
      void worker.end();
    });
    const states = { hasBegun: false, hasExpired: false };
    const running: RunningTask = { task, startedMs: this.#options.steadyMs(), cancelDeadline, ...states };
    this.#workers.set(worker, running);
  }

  #start(): void {
    const worker: PoolWorker = new PoolWorker(this.#options.script, {
      onReady: () => {
        this.#falseStarts = 0;
        this.#dispatch();
      },
      onBegun: () => {
        const running = this.#workers.get(worker);
        if (running !== undefined) running.hasBegun = true;
      },
      onDone: (result) => this.#finish(worker)?.resolve(result as never),
      onFailed: (error) => this.#finish(worker)?.reject(error),
      onExit: (end) => this.#lose(worker, end),
    });
    this.#workers.set(worker, undefined);
  }

  #finish(worker: PoolWorker): QueuedTask | undefined {
    const running = this.#workers.get(worker);
    if (running === undefined) return undefined;
    running.cancelDeadline();
    this.#workers.set(worker, undefined);
    const { kind } = running.task;
    const totals = this.#totals.get(kind) ?? { count: 0, seconds: 0 };
    totals.count += 1;
    totals.seconds += (this.#options.steadyMs() - running.startedMs) / 1_000;
    this.#totals.set(kind, totals);
    this.#dispatch();
    return running.task;
  }

  #lose(worker: PoolWorker, end: WorkerEnd): void {
    const running = this.#workers.get(worker);
    this.#workers.delete(worker);
    if (running !== undefined) this.#fail(running, end.fault);
    if (this.#isStopped) return;
    this.#died++;
    this.#options.log.warn(this.#reportOf(running, end), 'an analytics worker ended');
    if (!worker.isReady) this.#falseStarts++;
    if (this.#falseStarts >= MAX_FALSE_STARTS) {
      this.#falseStarts = 0;
      this.#waiting.refuse(refusal('The calculation cannot be started now.', 10, end.fault));
      return;
    }
    this.#start();
    this.#dispatch();
  }

  /** The worker may have been ending already when a task was sent to it. That is not the task's fault, so another worker takes it, once. */
  #fail({ task, cancelDeadline, hasBegun, hasExpired }: RunningTask, error: unknown): void {
    cancelDeadline();
    if (this.#isStopped) task.reject(refusal('The server is stopping.', 1));
    else if (hasBegun || hasExpired || task.wasLost) {
      const text = hasExpired ? 'The calculation took too long.' : 'The calculation was interrupted.';
      task.reject(refusal(text, 2, error));
    } else this.#waiting.putBack(task);
  }

  #reportOf(running: RunningTask | undefined, { fault, code }: WorkerEnd): object {
    const end = fault === undefined ? { why: `exit code ${code}` } : { err: fault };
    if (running === undefined) return end;
    const { task, startedMs, hasExpired } = running;
    const seconds = (this.#options.steadyMs() - startedMs) / 1_000;
    return { kind: task.kind, seconds, ...(hasExpired ? { why: 'the calculation took too long' } : end) };
  }
}

// Small tools for asynchronous work: runs that are shared, faults that are reported once, queues, and limits of concurrency.

/** At most one run at a time of work that several callers want. A run that fails, fails for all who wait for it. */
export class SingleFlight {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(work: () => Promise<void>) {
    // `async`: work that throws before it returns a promise fails like any other.
    this.#work = async () => await work();
  }

  /** Undefined while nothing runs. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Shares the run in progress, or starts one. */
  join(): Promise<void> {
    return this.#running ?? this.wake();
  }

  /** Starts a run, now or after the one in progress, which may have begun before what this call is about. */
  wake(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        await this.#work();
      }
    } finally {
      // In the same turn as the last look at `#isWanted`, so that no call is lost in between.
      this.#running = undefined;
    }
  }
}

/** A fault that may last: it is worth a report when it begins and when its message changes, not at every attempt. */
export class LastFault {
  #error: Error | undefined;

  /** Undefined after a success. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Returns the fault as an error if it is news, and undefined if its message is that of the last one. */
  note(thrown: unknown): Error | undefined {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const isNews = error.message !== this.#error?.message;
    this.#error = error;
    return isNews ? error : undefined;
  }

  clear(): void {
    this.#error = undefined;
  }
}

export type RunSerially = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs work one call after the other, in the order of the calls, however each ends. Work must not wait for another turn during its own. */
export function serialQueue(): RunSerially {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(() => work());
    last = mine.then(ignore, ignore);
    return mine;
  };
}

/** A serial queue for each name. */
export class NamedQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Names with work in progress. */
  get size(): number {
    return this.#last.size;
  }

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(name) ?? Promise.resolve()).then(() => work());
    const ended = mine.then(ignore, ignore).then(() => {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    });
    this.#last.set(name, ended);
    return mine;
  }
}

const ignore = () => undefined;

/** Limits concurrency; work beyond the limit waits in order of arrival. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/**
 * Calls `work` for each item in order, at most `limit` at a time. After a failure no further item starts; when those that run have ended,
 * rejects with the first error.
 */
export async function forEachAtOnce<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (const item of queue) {
      if (failure !== undefined) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
}

/** Like `forEachAtOnce`; resolves to the results of `work` in the order of the items. */
export async function mapAtOnce<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  await forEachAtOnce(limit, [...items.entries()], async ([at, item]) => {
    results.set(at, await work(item));
  });
  return items.map((_, index) => results.get(index) as R);
}

/** A unit of work that comes after everything it reads. */
interface Step {
  readonly name: string;
  readonly reads: readonly string[];
}

/**
 * Like `forEachAtOnce`, but a step starts only when the steps it reads have finished. Steps must be given in an order in which they could
 * run one by one; with a limit of one, they run in exactly that order.
 */
export async function runInOrder<T extends Step>(
  limit: number,
  steps: readonly T[],
  work: (step: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...steps];
  const unfinished = new Set(steps.map(({ name }) => name));
  const isReady = ({ name, reads }: T) => !reads.some((read) => read !== name && unfinished.has(read));
  const takeReady = () => {
    const index = waiting.findIndex(isReady);
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  };
  let next = Promise.withResolvers<void>();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    while (waiting.length > 0 && failure === undefined) {
      const step = takeReady();
      if (step === undefined) {
        await next.promise;
        continue;
      }
      try {
        await work(step);
      } catch (error) {
        failure ??= { error };
      }
      unfinished.delete(step.name);
      next.resolve();
      next = Promise.withResolvers();
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, steps.length) }, worker));
  if (failure !== undefined) throw failure.error;
}

/** A value that is available now or soon. A single server counts in memory, and its requests should not pay for a promise each. */
export type MaybePromise<T> = T | Promise<T>;

export const whenResolved = <T, R>(
  value: MaybePromise<T>,
  next: (known: T) => MaybePromise<R>,
): MaybePromise<R> => (value instanceof Promise ? value.then(next) : next(value));

// Tasks that wait for a worker, in the order of their jobs.
import type { InputDocument } from './task.ts';

/** The place of a job in the queue. */
export interface Slot {
  readonly number: number;
  hasStarted: boolean;
}

export interface QueuedTask {
  readonly slot: Slot;
  readonly kind: string;
  readonly payload: unknown;
  readonly documents: Readonly<Record<string, InputDocument>>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  /** It was sent to a worker that ended before it arrived. */
  wasLost: boolean;
}

export class TaskQueue {
  readonly #tasks: QueuedTask[] = [];
  /** Of jobs in progress. */
  readonly #slots = new Set<Slot>();
  #jobs = 0;

  /** Tasks that wait. */
  get length(): number {
    return this.#tasks.length;
  }

  /** Jobs of which no task has started. */
  get jobs(): number {
    return [...this.#slots].filter(({ hasStarted }) => !hasStarted).length;
  }

  /** A place for as long as the work takes. */
  async inSlot<R>(work: (slot: Slot) => Promise<R>): Promise<R> {
    const slot: Slot = { number: this.#jobs++, hasStarted: false };
    this.#slots.add(slot);
    try {
      return await work(slot);
    } finally {
      this.#slots.delete(slot);
    }
  }

  /** Behind the tasks of the same job, and before those of later ones. */
  add(task: QueuedTask): void {
    const next = this.#tasks.findIndex((other) => other.slot.number > task.slot.number);
    this.#tasks.splice(next === -1 ? this.#tasks.length : next, 0, task);
  }

  /** Returns a task that was lost on its way to a worker. */
  putBack(task: QueuedTask): void {
    task.wasLost = true;
    this.#tasks.unshift(task);
  }

  next(): QueuedTask | undefined {
    return this.#tasks.shift();
  }

  refuse(failure: Error): void {
    for (const task of this.#tasks.splice(0)) task.reject(failure);
  }
}

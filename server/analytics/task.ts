// What a task of the worker pool is: a pure function of its payload and of published documents. The same arguments give the same
// result in any worker, which is why a task may be repeated and spread over workers.

/** Published documents by the name that the task uses for each, parsed. */
export type Documents = Readonly<Record<string, unknown>>;

/** Payload and result are structured-clonable. A thrown error fails the task and leaves the worker alive. */
export type Task = (payload: never, documents: Documents) => unknown;

export type TaskTable = Readonly<Record<string, Task>>;

export type PayloadOf<T extends TaskTable, K extends keyof T> = Parameters<T[K]>[0];
export type ResultOf<T extends TaskTable, K extends keyof T> = ReturnType<T[K]>;

/** A published document as it is sent to a worker, once: workers keep it under its hash. */
export interface InputDocument {
  /** Identity of the bytes. */
  readonly hash: string;
  /** JSON. */
  readonly bytes: Uint8Array;
}

/** From the pool to a worker. */
export interface TaskMessage {
  readonly kind: string;
  readonly payload: unknown;
  /** Hash of each document that the task uses, by its name. */
  readonly documents: Readonly<Record<string, string>>;
  /** Those of them that the worker does not have yet; it takes them out as it reads them. */
  readonly added: InputDocument[];
  /** Hashes of documents that the worker should forget. */
  readonly dropped: readonly string[];
}

/** From a worker to the pool: `ready` once, then one message for each task. */
export type WorkerMessage =
  | { readonly state: 'ready' }
  | { readonly state: 'done'; readonly result: unknown }
  | { readonly state: 'failed'; readonly error: unknown };

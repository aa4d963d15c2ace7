// A task of the worker pool: a pure function of its payload and of published documents. The same arguments give the same result in any
// worker, so a task can be repeated and spread over workers.

/** Published documents, parsed, by the name that the task uses for each. */
export type Documents = Readonly<Record<string, unknown>>;

/** Payload and result are structured-clonable. A thrown error fails the task and leaves the worker alive. */
export type Task = (payload: never, documents: Documents) => unknown;

export type TaskTable = Readonly<Record<string, Task>>;

export type PayloadOf<T extends TaskTable, K extends keyof T> = Parameters<T[K]>[0];
export type ResultOf<T extends TaskTable, K extends keyof T> = ReturnType<T[K]>;

/** A published document, sent to each worker once. Workers keep it under its hash. */
export interface InputDocument {
  /** Identity of the bytes. */
  readonly hash: string;
  /** JSON. */
  readonly bytes: Uint8Array;
}

export const parsed = <T>({ bytes }: InputDocument): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

/** From the pool to a worker. */
export interface TaskMessage {
  readonly kind: string;
  readonly payload: unknown;
  /** Hash of each document that the task uses, by name. */
  readonly documents: Readonly<Record<string, string>>;
  /** The documents that the worker does not have yet. The worker removes each as it reads it. */
  readonly added: InputDocument[];
  /** Hashes of documents that the worker should forget. */
  readonly dropped: readonly string[];
}

/** From a worker to the pool: `ready` once, then for each task `begun` and one of the others. */
export type WorkerMessage =
  | { readonly state: 'ready' }
  | { readonly state: 'begun' }
  | { readonly state: 'done'; readonly result: unknown }
  | { readonly state: 'failed'; readonly error: unknown };

// One worker thread of the pool: its current task, and the documents it holds.
import { Worker } from 'node:worker_threads';
import type { InputDocument, TaskMessage, WorkerMessage } from './task.ts';

/** Bytes of documents that a worker keeps. Parsed, they take about as much again. */
const DOCUMENT_BYTES = 8 * 1_024 * 1_024;
/** With the buffers of a large portfolio at most 64 MiB (benchmark `analytics`). A task that needs more heap fails alone. */
export const WORKER_LIMITS = { maxOldGenerationSizeMb: 40, maxYoungGenerationSizeMb: 6, stackSizeMb: 4 };

export interface WorkerEvents {
  onReady(): void;
  /** The task that was sent last has arrived. */
  onBegun(): void;
  onDone(result: unknown): void;
  onFailed(error: unknown): void;
  /** The worker died, or `end` ended it. */
  onExit(end: WorkerEnd): void;
}

export interface WorkerEnd {
  /** What it threw, or that it had too little memory; undefined if it only ended. */
  readonly fault: unknown;
  readonly code: number;
}

export class PoolWorker {
  isReady = false;
  readonly #thread: Worker;
  /** Sizes of the documents that the worker holds, by hash, least recently used first. */
  readonly #documents = new Map<string, number>();

  constructor(script: URL, events: WorkerEvents) {
    this.#thread = new Worker(script, { resourceLimits: WORKER_LIMITS });
    this.#thread.unref();
    let fault: unknown;
    this.#thread.on('error', (error) => {
      fault = error;
    });
    this.#thread.on('exit', (code) => events.onExit({ fault, code }));
    this.#thread.on('message', (message: WorkerMessage) => {
      if (message.state === 'done') events.onDone(message.result);
      else if (message.state === 'failed') events.onFailed(message.error);
      else if (message.state === 'begun') events.onBegun();
      else {
        this.isReady = true;
        events.onReady();
      }
    });
  }

  /** @throws DataCloneError for a payload that cannot be sent; the worker then stays idle. */
  send(kind: string, payload: unknown, documents: Readonly<Record<string, InputDocument>>): void {
    const added = Object.values(documents).filter(({ hash }) => !this.#documents.has(hash));
    const distinct = [...new Map(added.map((document) => [document.hash, document])).values()];
    const message: TaskMessage = {
      kind,
      payload,
      documents: Object.fromEntries(Object.entries(documents).map(([name, { hash }]) => [name, hash])),
      // Copied, because a view would be sent with the whole dataset behind it.
      added: distinct.map(({ hash, bytes }) => ({ hash, bytes: Uint8Array.from(bytes) })),
      dropped: this.#overflow(Object.values(documents)),
    };
    this.#thread.postMessage(message);
    this.#remember(documents, message.dropped);
  }

  async end(): Promise<void> {
    await this.#thread.terminate();
  }

  /** Hashes to drop so that `wanted` has room; never one of them. */
  #overflow(wanted: readonly InputDocument[]): readonly string[] {
    const sizes = new Map(this.#documents);
    for (const { hash, bytes } of wanted) {
      sizes.delete(hash);
      sizes.set(hash, bytes.length);
    }
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const dropped: string[] = [];
    for (const [hash, size] of sizes) {
      if (total <= DOCUMENT_BYTES || wanted.some((document) => document.hash === hash)) break;
      dropped.push(hash);
      total -= size;
    }
    return dropped;
  }

  #remember(documents: Readonly<Record<string, InputDocument>>, dropped: readonly string[]): void {
    for (const hash of dropped) this.#documents.delete(hash);
    for (const { hash, bytes } of Object.values(documents)) {
      this.#documents.delete(hash);
      this.#documents.set(hash, bytes.length);
    }
  }
}

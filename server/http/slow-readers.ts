// Closes connections whose client reads a response too slowly. Watches only responses that did not fit into the socket at once.
import type { ServerResponse } from 'node:http';

export class SlowReaders {
  /** Unfinished responses with the time each was sent, Unix milliseconds, oldest first. */
  readonly #waiting = new Map<ServerResponse, number>();
  readonly #deadlineMs: number;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** Call this after `end()`. Costs one comparison if the response was written at once. */
  watch(response: ServerResponse, nowMs: () => number): void {
    if ((response.socket?.writableLength ?? 0) === 0) return;
    this.#waiting.set(response, nowMs());
    response.once('close', () => this.#waiting.delete(response));
  }

  /** Call this about once a second. */
  sweep(nowMs: number): void {
    for (const [response, sentMs] of this.#waiting) {
      if (nowMs - sentMs < this.#deadlineMs) return;
      this.#waiting.delete(response);
      response.destroy();
    }
  }
}

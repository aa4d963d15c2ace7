// Closes connections that transfer no byte in either direction for too long. Checks all of them about once a second, which adds nothing to
// requests; Node's own timer on each socket costs more than all headers of a response.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Traffic {
  /** Bytes transferred at the last change, and the time of that change, Unix milliseconds. */
  readonly moved: number;
  readonly atMs: number;
}

export class QuietConnections {
  readonly #sockets = new Map<Socket, Traffic>();
  readonly #deadlineMs: number;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  add(socket: Socket, nowMs: number): void {
    this.#sockets.set(socket, { moved: 0, atMs: nowMs });
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Stops watching a connection that was upgraded to another protocol, which has its own rules. */
  release(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  sweep(nowMs: number): void {
    for (const [socket, seen] of this.#sockets) {
      const moved = socket.bytesRead + socket.bytesWritten;
      if (moved !== seen.moved) this.#sockets.set(socket, { moved, atMs: nowMs });
      else if (nowMs - seen.atMs >= this.#deadlineMs) socket.destroy();
    }
  }
}

// Closes connections whose client reads a response too slowly. Watches only responses that did not fit into the socket at once.

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

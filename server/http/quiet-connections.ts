// Closes connections that transfer no byte in either direction for too long. Checks all of them about once a second, which adds nothing to
// requests; Node's own timer on each socket costs more than all headers of a response.
import type { Socket } from 'node:net';

interface Seen {
  /** Bytes transferred at the last change, and the time of that change, Unix milliseconds. */
  readonly moved: number;
  readonly atMs: number;
}

export class QuietConnections {
  readonly #sockets = new Map<Socket, Seen>();
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

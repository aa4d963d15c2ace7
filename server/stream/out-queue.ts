// The send queue of one client: frames are written to the socket, and queued while its buffer is full. Frames are shared between clients,
// so a queued frame costs one reference per client.
import type { Duplex } from 'node:stream';
import { LIMITS } from '../../schemas/plans.ts';
import { type Batch, type Frame, lastIdOf } from './frame.ts';

const { queue_frames: MAX_FRAMES, queue_bytes: MAX_BYTES } = LIMITS.stream;
/** Small frames are written together up to this size. */
const WRITE_BYTES = 65_536;

export type OutSocket = Pick<Duplex, 'write' | 'cork' | 'uncork' | 'writableLength' | 'on'>;

export class OutQueue {
  readonly #socket: OutSocket;
  readonly #frames: Frame[] = [];
  #bytes = 0;
  /** The queued pong. Only the newest is kept, because older pings need no pong of their own (RFC 6455, 5.5.3). */
  #pong: Buffer | undefined;
  /** Whether the socket's buffer is full. Otherwise nothing is queued. */
  #isFull = false;
  #lastId: string;
  #onRoom: (() => void) | undefined;

  /** `after`: id of the event before the first one. */
  constructor(socket: OutSocket, after: string) {
    this.#socket = socket;
    this.#lastId = after;
    socket.on('drain', () => {
      this.#isFull = false;
      this.#flush();
    });
  }

  /** Id of the last event written to the socket. */
  get lastId(): string {
    return this.#lastId;
  }

  get length(): number {
    return this.#frames.length;
  }

  get isHalfFull(): boolean {
    return this.length > MAX_FRAMES / 2 || this.#bytes > MAX_BYTES / 2;
  }

  /** Sends the whole batch. If it would have to be queued and does not fit, sends nothing and returns false. */
  add(batch: Batch): boolean {
    // Runs for every client and event, so it checks as little as possible.
    if (this.#isFull) return this.#enqueue(batch);
    this.#isFull = !this.#socket.write(batch.bytes);
    if (batch.lastId !== undefined) this.#lastId = batch.lastId;
    return true;
  }

  /** Sends the frame before the queued ones; drops it if there is no room. */
  addFirst(bytes: Buffer): void {
    if (!this.#isFull) this.#isFull = !this.#socket.write(bytes);
    else if (this.#hasRoom(1, bytes.length)) {
      this.#frames.unshift({ id: undefined, bytes });
      this.#bytes += bytes.length;
    }
  }

  /** Replies to a ping. The pong is dropped if there is no room, because the client is not reading. */
  addPong(bytes: Buffer): void {
    if (!this.#isFull) this.#isFull = !this.#socket.write(bytes);
    else if (this.#hasRoom(0, bytes.length)) this.#pong = bytes;
  }

  #enqueue({ frames, bytes }: Batch): boolean {
    if (!this.#hasRoom(frames.length, bytes.length)) return false;
    this.#frames.push(...frames);
    this.#bytes += bytes.length;
    return true;
  }

  /** Counts everything unsent: the queue, the pong and the socket's buffer. */
  #hasRoom(frames: number, bytes: number): boolean {
    const waiting = this.#bytes + (this.#pong?.length ?? 0) + this.#socket.writableLength;
    return this.length + frames <= MAX_FRAMES && waiting + bytes <= MAX_BYTES;
  }

  /** For use after `clear`: writes after the socket's buffered data, even if its buffer is full. */
  writeLast(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Drops everything queued. */
  clear(): void {
    this.#frames.length = 0;
    this.#bytes = 0;
    this.#pong = undefined;
    this.#signalRoom();
  }

  /** Resolves when the queue is empty and the socket accepts more, or after `clear`. */
  async room(): Promise<void> {
    if (!this.#isFull) return;
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
  }

  #flush(): void {
    if (this.#pong !== undefined) {
      const pong = this.#pong;
      this.#pong = undefined;
      this.#isFull = !this.#socket.write(pong);
    }
    while (this.length > 0 && !this.#isFull) this.#writeSome();
    if (!this.#isFull) this.#signalRoom();
  }

  #writeSome(): void {
    let [count, bytes] = [0, 0];
    for (const frame of this.#frames) {
      if (count > 0 && bytes + frame.bytes.length > WRITE_BYTES) break;
      bytes += frame.bytes.length;
      count++;
    }
    const taken = this.#frames.splice(0, count);
    this.#bytes -= bytes;
    // One write, without a copy that only this client would hold.
    this.#socket.cork();
    for (const frame of taken) this.#isFull = !this.#socket.write(frame.bytes);
    this.#socket.uncork();
    this.#lastId = lastIdOf(taken) ?? this.#lastId;
  }

  #signalRoom(): void {
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }
}

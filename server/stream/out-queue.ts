// What waits for one client: frames go to the socket while it takes them and wait here while it does not. Frames are shared with all
// who get them, so that what waits costs a reference a client.
import type { Duplex } from 'node:stream';
import { LIMITS } from '../../schemas/plans.ts';
import { type Batch, type Frame, lastIdOf } from './frame.ts';

const { queue_frames: MAX_FRAMES, queue_bytes: MAX_BYTES } = LIMITS.stream;
/** Small frames go out together up to this size. */
const WRITE_BYTES = 65_536;

export type OutSocket = Pick<Duplex, 'write' | 'cork' | 'uncork' | 'writableLength' | 'on'>;

export class OutQueue {
  readonly #socket: OutSocket;
  readonly #frames: Frame[] = [];
  #bytes = 0;
  /** The pong that waits: the newest, since older pings need no answer of their own (RFC 6455, 5.5.3). */
  #pong: Buffer | undefined;
  /** The socket has said that it takes no more for now. Nothing waits here while it has not. */
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

  /** Id of the last event that the socket took. */
  get lastId(): string {
    return this.#lastId;
  }

  get length(): number {
    return this.#frames.length;
  }

  get isHalfFull(): boolean {
    return this.length > MAX_FRAMES / 2 || this.#bytes > MAX_BYTES / 2;
  }

  /** Sends all of these or, when they would wait and there is no room for them, none: false. */
  add(batch: Batch): boolean {
    // Done for every client at every event: it looks at no more than it must.
    if (this.#isFull) return this.#keep(batch);
    this.#isFull = !this.#socket.write(batch.bytes);
    if (batch.lastId !== undefined) this.#lastId = batch.lastId;
    return true;
  }

  /** Goes out before what waits; dropped when there is no room. */
  addFirst(bytes: Buffer): void {
    if (!this.#isFull) this.#isFull = !this.#socket.write(bytes);
    else if (this.#hasRoom(1, bytes.length)) {
      this.#frames.unshift({ id: undefined, bytes });
      this.#bytes += bytes.length;
    }
  }

  /** Answers a ping; in vain when there is no room, for who does not read needs no answers. */
  addPong(bytes: Buffer): void {
    if (!this.#isFull) this.#isFull = !this.#socket.write(bytes);
    else if (this.#hasRoom(0, bytes.length)) this.#pong = bytes;
  }

  #keep({ frames, bytes }: Batch): boolean {
    if (!this.#hasRoom(frames.length, bytes.length)) return false;
    this.#frames.push(...frames);
    this.#bytes += bytes.length;
    return true;
  }

  /** Everything that would wait counts: here, the pong included, and in the socket. */
  #hasRoom(frames: number, bytes: number): boolean {
    const waiting = this.#bytes + (this.#pong?.length ?? 0) + this.#socket.writableLength;
    return this.length + frames <= MAX_FRAMES && waiting + bytes <= MAX_BYTES;
  }

  /** After `clear`: goes out behind what the socket has, whether it takes more or not. */
  writeLast(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Drops what waits. */
  clear(): void {
    this.#frames.length = 0;
    this.#bytes = 0;
    this.#pong = undefined;
    this.#tellRoom();
  }

  /** Resolves when nothing waits and the socket takes more, or after `clear`. */
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
    if (!this.#isFull) this.#tellRoom();
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
    // Together, and without a copy that only this client would hold.
    this.#socket.cork();
    for (const frame of taken) this.#isFull = !this.#socket.write(frame.bytes);
    this.#socket.uncork();
    this.#lastId = lastIdOf(taken) ?? this.#lastId;
  }

  #tellRoom(): void {
    const tell = this.#onRoom;
    this.#onRoom = undefined;
    tell?.();
  }
}

// One stream connection: sends through its queue, counts and ignores incoming messages, and closes.
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { LIMITS } from '../../schemas/plans.ts';
import type { CloseCode, ControlFrame } from '../../schemas/stream.ts';
import type { Caller } from '../define/caller.ts';
import { type Batch, batchOf, pingFrame, pongFrame, textFrame } from './frame.ts';
import { OutQueue } from './out-queue.ts';

const LIMIT = LIMITS.stream;
const PING_MS = LIMIT.ping_seconds * 1_000;
const LIFE_MS = LIMIT.life_hours * 3_600_000;
const PING_BYTES = 8;
/** Maximum length of a close reason in the protocol. */
const REASON_BYTES = 123;

export interface ConnectionFacts {
  readonly id: string;
  readonly caller: Caller;
  /** The owner whose connections are counted together. */
  readonly owner: string;
  readonly isControl: boolean;
  /** Id of the event before the first one to send; empty for the start of the log. */
  readonly after: string;
}

export interface Sockets {
  readonly webSocket: WebSocket;
  /** The underlying socket, to which whole frames are written directly. */
  readonly socket: Duplex;
}

export interface Effects {
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
  /** Returns unpredictable bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
}

export class Connection {
  readonly facts: ConnectionFacts;
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #queue: OutQueue;
  readonly #steadyMs: () => number;
  readonly #openedMs: number;
  readonly #heartbeat: Heartbeat;
  #pingMs: number;
  #secondMs: number;
  #inSecond = 0;
  #closeCode: CloseCode | undefined;

  constructor(facts: ConnectionFacts, { webSocket, socket }: Sockets, { steadyMs, randomBytes }: Effects) {
    this.facts = facts;
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#queue = new OutQueue(socket, facts.after);
    this.#heartbeat = new Heartbeat(randomBytes);
    this.#steadyMs = steadyMs;
    this.#openedMs = steadyMs();
    this.#pingMs = this.#openedMs + PING_MS;
    this.#secondMs = this.#openedMs;
    webSocket.on('message', () => void this.#admitInbound());
    webSocket.on('ping', (data: Buffer) => this.#admitInbound() && this.#queue.addPong(pongFrame(data)));
    webSocket.on('pong', (data: Buffer) => this.#admitInbound() && this.#heartbeat.notePong(data));
    // On a protocol violation, the library sends the close code itself.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => this.#queue.clear());
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN;
  }

  /** The code with which this side closed the connection, if it did. */
  get closeCode(): CloseCode | undefined {
    return this.#closeCode;
  }

  /** Id of the last event written to the socket. */
  get lastId(): string {
    return this.#queue.lastId;
  }

  get isHalfFull(): boolean {
    return this.#queue.isHalfFull;
  }

  /** Closes the connection if its queue has no room. */
  send(batch: Batch): void {
    if (this.isOpen && !this.#queue.add(batch)) this.#overflow();
  }

  control(frame: ControlFrame): void {
    if (!this.facts.isControl) return;
    this.send(batchOf([{ id: undefined, bytes: controlBytes(frame) }]));
  }

  /** Resolves when everything queued has been written, or the connection has ended. */
  room(): Promise<void> {
    return this.isOpen ? this.#queue.room() : Promise.resolve();
  }

  /** Drops everything queued. `reason` starts with a machine-readable code. */
  close(code: CloseCode, reason: string): void {
    if (!this.isOpen) return;
    this.#closeCode = code;
    this.#queue.clear();
    if (this.facts.isControl) this.#queue.writeLast(controlBytes(this.#errorFrame(code, reason)));
    this.#webSocket.close(code, closeReason(reason));
  }

  terminate(): void {
    this.#webSocket.terminate();
  }

  /** Call this about once a second. Returns whether a ping, and with it a heartbeat, was due. */
  check(): boolean {
    const nowMs = this.#steadyMs();
    if (nowMs - this.#openedMs >= LIFE_MS) {
      this.close(1001, 'too_old: reconnect with the last id');
      return false;
    }
    if (nowMs < this.#pingMs) return false;
    if (this.#heartbeat.missed >= LIMIT.missed_pings) {
      this.terminate();
      return false;
    }
    this.#pingMs = nowMs + PING_MS;
    const ping = pingFrame(this.#heartbeat.next());
    if (this.isOpen) this.#queue.addFirst(ping);
    return this.isOpen;
  }

  #overflow(): void {
    this.close(4008, `slow_consumer: last_event_id=${this.#queue.lastId}`);
    // The end follows the close frame at once, so the client reads both however slow it is, even if it never replies.
    this.#socket.end();
  }

  #errorFrame(close_code: CloseCode, reason: string): ControlFrame {
    const [code = '', message = ''] = reason.split(': ', 2);
    return { op: 'error', close_code, code, message, last_event_id: this.#queue.lastId || null };
  }

  #admitInbound(): boolean {
    if (!this.isOpen) return false;
    const nowMs = this.#steadyMs();
    if (nowMs - this.#secondMs >= 1_000) {
      this.#secondMs = nowMs;
      this.#inSecond = 0;
    }
    if (++this.#inSecond <= LIMIT.inbound_frames_per_second) return true;
    this.close(1008, 'too_many_frames: clients need not send anything');
    // Whatever the client sends from now on stays in its own buffers.
    this.#webSocket.pause();
    return false;
  }
}

const controlBytes = (frame: ControlFrame): Buffer => textFrame(Buffer.from(JSON.stringify(frame)));

/** The text, cut to what fits into a close frame. */
export function closeReason(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= REASON_BYTES
    ? reason
    : bytes.subarray(0, REASON_BYTES).toString().replace(/�+$/, '');
}

/**
 * Detects whether a client still reads. Each ping carries unpredictable bytes, so only a client that has read it can reply, and unsolicited
 * pongs prove nothing.
 */
class Heartbeat {
  readonly #randomBytes: (count: number) => Uint8Array;
  readonly #unanswered: Buffer[] = [];

  constructor(randomBytes: (count: number) => Uint8Array) {
    this.#randomBytes = randomBytes;
  }

  /** Pings since the last one that was answered by a pong. */
  get missed(): number {
    return this.#unanswered.length;
  }

  /** The payload of the next ping. */
  next(): Buffer {
    const payload = Buffer.from(this.#randomBytes(PING_BYTES));
    this.#unanswered.push(payload);
    return payload;
  }

  /** A pong to an older ping counts too, and covers earlier pings. */
  notePong(payload: Uint8Array): void {
    const index = this.#unanswered.findIndex((sent) => sent.equals(payload));
    if (index >= 0) this.#unanswered.splice(0, index + 1);
  }
}

// Whether a client still reads. Each ping carries bytes that cannot be foreseen: only who has read it can answer it, and pongs that
// were not asked for prove nothing.

const PING_BYTES = 8;

export class Heartbeat {
  readonly #randomBytes: (count: number) => Uint8Array;
  readonly #unanswered: Buffer[] = [];

  constructor(randomBytes: (count: number) => Uint8Array) {
    this.#randomBytes = randomBytes;
  }

  /** Pings since the last one that was answered. */
  get missed(): number {
    return this.#unanswered.length;
  }

  /** What the next ping carries. */
  next(): Buffer {
    const payload = Buffer.from(this.#randomBytes(PING_BYTES));
    this.#unanswered.push(payload);
    return payload;
  }

  /** A pong came. One to a ping that is not the newest counts too, and settles those before it. */
  hear(payload: Uint8Array): void {
    const at = this.#unanswered.findIndex((sent) => sent.equals(payload));
    if (at >= 0) this.#unanswered.splice(0, at + 1);
  }
}

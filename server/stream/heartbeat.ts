// Detects whether a client still reads. Each ping carries unpredictable bytes, so only a client that has read it can reply, and unsolicited
// pongs prove nothing.

const PING_BYTES = 8;

export class Heartbeat {
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

  /** Handles a pong. A pong to an older ping counts too, and covers earlier pings. */
  hear(payload: Uint8Array): void {
    const index = this.#unanswered.findIndex((sent) => sent.equals(payload));
    if (index >= 0) this.#unanswered.splice(0, index + 1);
  }
}

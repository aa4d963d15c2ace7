// A client of the stream that comes back with its last id whenever it is cut off, and keeps the bytes of every event it was sent.
import { setTimeout as wait } from 'node:timers/promises';
import { openStream, type StreamClient } from '../server/stream/stream-client.ts';

const RETRY_MS = 10;
/** What a server that is gone, or not there yet, does to a handshake. */
const NOT_THERE = /ECONNREFUSED|ECONNRESET|EPIPE|hang up|server response: 50[234]/;

export interface Coming {
  /** Where the server is now; undefined while there is none. */
  readonly address: () => string | undefined;
  readonly key: string;
  /** Events after this id. */
  readonly since: string;
  /** Events of this type only. */
  readonly type?: string;
}

export class ReturningClient {
  readonly #coming: Coming;
  readonly #before: string[] = [];
  #current: StreamClient | undefined;
  #isOver = false;
  returns = 0;

  constructor(coming: Coming) {
    this.#coming = coming;
  }

  get type(): string | undefined {
    return this.#coming.type;
  }

  /** Envelopes of all connections, in the order in which they came. */
  get frames(): readonly string[] {
    return [...this.#before, ...(this.#current?.frames ?? [])];
  }

  get count(): number {
    return this.#before.length + (this.#current?.frames.length ?? 0);
  }

  /** Resolves after `stop`. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      this.#current = await this.#open();
      if (this.#current === undefined) await wait(RETRY_MS);
      else await this.#stay(this.#current);
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#current?.socket.terminate();
  }

  /** Cuts the connection; the client comes back. */
  leave(): void {
    this.#current?.socket.terminate();
  }

  async #stay(client: StreamClient): Promise<void> {
    this.returns++;
    await client.ended;
    this.#before.push(...client.frames);
    this.#current = undefined;
  }

  async #open(): Promise<StreamClient | undefined> {
    const { address, key, since, type } = this.#coming;
    const url = address();
    if (url === undefined) return undefined;
    const last = this.#before.at(-1);
    const after = last === undefined ? since : (JSON.parse(last) as { event_id: string }).event_id;
    const filter = type === undefined ? '' : `&types=${type}`;
    try {
      return await openStream(url, { key, query: `since_event_id=${after}${filter}` });
    } catch (error) {
      if (error instanceof Error && NOT_THERE.test(`${error.message} ${'code' in error ? error.code : ''}`))
        return undefined;
      throw error;
    }
  }
}

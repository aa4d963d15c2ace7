// One connection to the stream, as frames to iterate over. The iteration ends with the connection; stream.ts reconnects.
import type { Event } from './api-types.ts';
import { RefusedError } from './errors.ts';

/** With `control=1`, frames with `op` come between the events. */
export type Frame =
  | Event
  | { readonly op: 'hello'; readonly after_event_id: string | null }
  | { readonly op: 'heartbeat'; readonly last_event_id: string | null }
  | { readonly op: 'gap'; readonly from: string }
  | { readonly op: 'error'; readonly code: string };

export type OpenSocket = (address: string, key: string | undefined) => WebSocket;

export interface FrameSource {
  readonly address: string;
  readonly key: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly openSocket?: OpenSocket | undefined;
}

/** A heartbeat comes every 30 seconds; after two missed ones the connection is dead. */
const SILENCE_MS = 75_000;
/** Frames that wait for the reader. Beyond, the connection is closed, and the reader resumes from where it is. */
const MAX_WAITING = 10_000;

/** Browsers cannot set headers, so there the key is a query parameter; elsewhere it is in no address. */
function openUsual(address: string, key: string | undefined): WebSocket {
  if (key === undefined) return new WebSocket(address);
  if ('document' in globalThis) return new WebSocket(`${address}&token=${encodeURIComponent(key)}`);
  // With an origin, the service gives the reason of a refusal as a close code, which is all that a WebSocket lets its user see.
  const origin = new URL(address.replace(/^ws/, 'http')).origin;
  const options = { headers: { Authorization: `Bearer ${key}`, Origin: origin } };
  return new WebSocket(address, options as unknown as string[]);
}

/** @throws RefusedError; another Error if the connection breaks or falls silent */
export async function* framesOf(source: FrameSource): AsyncGenerator<Frame> {
  const { address, key, signal, openSocket = openUsual } = source;
  if (signal?.aborted) return;
  const socket = openSocket(address, key);
  const inbox = new Inbox(socket);
  const stop = () => socket.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const text = await inbox.next();
      if (text === undefined || signal?.aborted) return;
      yield JSON.parse(text) as Frame;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    inbox.end();
  }
}

/** Key, plan and filter: the same connection would be refused again. */
const LASTING_CODES = new Set([4001, 4003, 4004]);
const REGULAR_CODES = new Set([1000, 1001]);

function closingError(code: number, reason: string): Error | undefined {
  if (LASTING_CODES.has(code)) return new RefusedError(code, reason);
  return REGULAR_CODES.has(code) ? undefined : new Error(`the stream closed with ${code} ${reason}`.trim());
}

/** The messages of a socket, in order, until it ends. */
class Inbox {
  readonly #socket: WebSocket;
  readonly #waiting: string[] = [];
  #outcome: { readonly error?: Error } | undefined;
  #wake: () => void = () => undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#listen();
    socket.addEventListener('open', () => this.#listen());
    socket.addEventListener('message', ({ data }) => this.#take(String(data)));
    socket.addEventListener('error', () => this.#finish(new Error('the connection broke or was refused')));
    socket.addEventListener('close', ({ code, reason }) => this.#finish(closingError(code, reason)));
  }

  /** Undefined at the end. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const text = this.#waiting.shift();
      if (text !== undefined) return text;
      if (this.#outcome?.error !== undefined) throw this.#outcome.error;
      if (this.#outcome !== undefined) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(): void {
    this.#finish();
    this.#socket.close();
  }

  #take(text: string): void {
    if (this.#outcome !== undefined) return;
    this.#listen();
    this.#waiting.push(text);
    if (this.#waiting.length > MAX_WAITING) this.#close(new Error('the reader is too slow'));
    this.#wake();
  }

  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#close(new Error('the stream fell silent')), SILENCE_MS);
  }

  #close(error: Error): void {
    this.#finish(error);
    this.#socket.close();
  }

  #finish(error?: Error): void {
    clearTimeout(this.#silence);
    this.#outcome ??= error === undefined ? {} : { error };
    this.#wake();
  }
}

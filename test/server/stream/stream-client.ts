// Stream clients for tests: one that waits for frames and for its close, one that reads why it was refused; and a manual clock.
import { WebSocket } from 'ws';
import type { ServerDeps } from '../../../server/deps.ts';

export interface Ended {
  readonly code: number;
  readonly reason: string;
}

export interface StreamClient {
  readonly socket: WebSocket;
  /** The text of all frames so far. */
  readonly frames: readonly string[];
  readonly ended: Promise<Ended>;
  /** The headers of the handshake response. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Resolves to the first `count` frames once they have arrived. */
  first(count: number): Promise<readonly string[]>;
  close(): Promise<Ended>;
}

export interface Asking {
  readonly key?: string | undefined;
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

const addressOf = (url: string, query = '') =>
  `${url.replace(/^http/, 'ws')}/v2/ws/risk-events${query === '' ? '' : `?${query}`}`;

const headersOf = ({ key, headers = {} }: Asking) => ({
  ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
  ...headers,
});

/** Rejects when the handshake is refused. */
export function openStream(url: string, asking: Asking = {}): Promise<StreamClient> {
  const socket = new WebSocket(addressOf(url, asking.query), {
    headers: headersOf(asking),
    perMessageDeflate: false,
  });
  const frames: string[] = [];
  const waiting = new Set<() => void>();
  let headers: StreamClient['headers'] = {};
  socket.on('upgrade', (answer) => {
    headers = answer.headers;
  });
  socket.on('message', (data: Buffer) => {
    frames.push(data.toString());
    for (const look of waiting) look();
  });
  const ended = new Promise<Ended>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const first = (count: number) =>
    new Promise<readonly string[]>((resolve, reject) => {
      const look = () => {
        if (frames.length < count) return;
        waiting.delete(look);
        resolve(frames.slice(0, count));
      };
      waiting.add(look);
      look();
      void ended.then(({ code, reason }) =>
        reject(new Error(`closed with ${code} "${reason}" after ${frames.length} of ${count} frames`)),
      );
    });
  const close = () => {
    socket.close();
    return ended;
  };
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve({ socket, frames, ended, headers, first, close }));
    socket.on('error', reject);
  });
}

export interface Refused {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: unknown;
}

/** The response a program gets when its handshake is refused. */
export function refusalOf(url: string, asking: Asking = {}): Promise<Refused> {
  const socket = new WebSocket(addressOf(url, asking.query), { headers: headersOf(asking) });
  return new Promise((resolve, reject) => {
    socket.on('error', () => undefined);
    socket.on('open', () => reject(new Error('the handshake was accepted')));
    socket.on('unexpected-response', (_, answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: JSON.parse(Buffer.concat(chunks).toString()),
        }),
      );
    });
  });
}

/** How the connection ended for a browser, which is accepted and learns the reason from the close. */
export const endForBrowser = async (url: string, asking: Asking = {}): Promise<Ended> =>
  (await openStream(url, { ...asking, headers: { Origin: 'https://page.example', ...asking.headers } }))
    .ended;

/** A server's timers and steady clock, advanced by hand. */
export class HandClock {
  #nowMs = 1_000;
  readonly #works = new Set<{ readonly ms: number; readonly work: () => void; dueMs: number }>();

  get deps(): Pick<ServerDeps, 'every' | 'steadyMs'> {
    return {
      steadyMs: () => this.#nowMs,
      every: (ms, work) => {
        const entry = { ms, work, dueMs: this.#nowMs + ms };
        this.#works.add(entry);
        return () => void this.#works.delete(entry);
      },
    };
  }

  /** Advances the clock; timers that came due are called once, at the end. */
  leap(seconds: number): void {
    this.#nowMs += (seconds - 1) * 1_000;
    this.pass(1);
  }

  /** Advances the clock second by second, calling every timer that comes due. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.#nowMs += 1_000;
      for (const entry of this.#works) {
        if (entry.dueMs > this.#nowMs) continue;
        entry.dueMs = this.#nowMs + entry.ms;
        entry.work();
      }
    }
  }
}

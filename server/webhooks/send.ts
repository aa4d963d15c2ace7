// One POST to a receiver, with limits on its time, the bytes read and its destination. Returns the outcome and never throws. The dispatcher
// decides when and what to send.
import type { AddressGuard, Target } from './address-guard.ts';
import { guardedConnector } from './connect.ts';
import { Connections } from './connections.ts';
import { Exchange, type Outcome } from './exchange.ts';

export interface TimeLimits {
  readonly connectMs: number;
  /** Limit of the whole exchange, including the connection. */
  readonly totalMs: number;
}

/** Decision 45. */
const TIME_LIMITS: TimeLimits = { connectMs: 5_000, totalMs: 15_000 };
const CHECK_MS = 100;
const MAX_HEADER_BYTES = 16_384;
const IDLE_LINE_MS = 60_000;

export interface Post {
  /** Attempts at one endpoint share its connections, which no others use. */
  readonly endpoint: string;
  readonly url: string;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body: Buffer;
}

export interface SenderDeps {
  readonly guard: AddressGuard;
  readonly nowMs: () => number;
  /** Monotonic milliseconds; default: the clock. */
  readonly steadyMs?: () => number;
  /** Calls back once, unless cancelled before. */
  readonly after: (ms: number, work: () => void) => () => void;
  /** Maximum number of connections to one endpoint. */
  readonly connections: number;
  readonly ca?: string | undefined;
  readonly limits?: TimeLimits;
}

interface Line {
  readonly connections: Connections;
  usedMs: number;
}

export class Sender {
  readonly #deps: SenderDeps;
  readonly #limits: TimeLimits;
  readonly #steadyMs: () => number;
  readonly #lines = new Map<string, Line>();
  /** Open exchanges, oldest first, with the monotonic time at which each must end. */
  readonly #open = new Map<Exchange, number>();
  #cancelWatch: (() => void) | undefined;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? TIME_LIMITS;
    this.#steadyMs = deps.steadyMs ?? deps.nowMs;
  }

  send(post: Post): Promise<Outcome> {
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#deps.nowMs, (outcome) => {
        this.#open.delete(exchange);
        resolve(outcome);
      });
      this.#open.set(exchange, this.#steadyMs() + this.#limits.totalMs);
      this.#watch();
      this.#begin(post, exchange);
    });
  }

  /** Checks the address at every attempt; the connector checks it again for a new connection. */
  #begin(post: Post, exchange: Exchange): void {
    try {
      const target = this.#deps.guard.inspect(post.url);
      if (target.isLiteral) this.#dispatch(post, target, exchange);
      else this.#resolveAndDispatch(post, target, exchange);
    } catch (error) {
      exchange.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #resolveAndDispatch(post: Post, target: Target, exchange: Exchange): void {
    this.#deps.guard.addresses(target.host).then(
      () => {
        if (!exchange.isOver) this.#dispatch(post, target, exchange);
      },
      (error: Error) => exchange.fail(error),
    );
  }

  /** One timer for all exchanges: they have the same limit, so the oldest ends first. */
  #watch(): void {
    this.#cancelWatch ??= this.#deps.after(CHECK_MS, () => {
      this.#cancelWatch = undefined;
      const steadyMs = this.#steadyMs();
      for (const [exchange, endMs] of this.#open) {
        if (endMs > steadyMs) break;
        exchange.expire(this.#limits.totalMs);
      }
      if (this.#open.size > 0) this.#watch();
    });
  }

  /** Closes connections of idle endpoints. */
  sweep(): void {
    const beforeMs = this.#deps.nowMs() - IDLE_LINE_MS;
    for (const [endpoint, line] of this.#lines) {
      if (!line.connections.isUsed && line.usedMs < beforeMs) this.#drop(endpoint, line);
    }
  }

  close(): void {
    this.#cancelWatch?.();
    for (const [endpoint, line] of this.#lines) this.#drop(endpoint, line);
  }

  #dispatch({ endpoint, headers, body }: Post, { origin, path }: Target, exchange: Exchange): void {
    const line = this.#lineTo(endpoint, origin);
    line.usedMs = this.#deps.nowMs();
    line.connections.send({ method: 'POST', path, headers, body }, exchange);
  }

  #lineTo(endpoint: string, origin: string): Line {
    const known = this.#lines.get(endpoint);
    if (known?.connections.origin === origin) return known;
    if (known !== undefined) this.#drop(endpoint, known);
    const { guard, connections: max, ca, nowMs } = this.#deps;
    const client = {
      connect: guardedConnector({ guard, ca, timeoutMs: this.#limits.connectMs }),
      maxHeaderSize: MAX_HEADER_BYTES,
      // The sender enforces the deadline of the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const line = { connections: new Connections({ origin, max, client }), usedMs: nowMs() };
    this.#lines.set(endpoint, line);
    return line;
  }

  #drop(endpoint: string, { connections }: Line): void {
    this.#lines.delete(endpoint);
    connections.close();
  }
}

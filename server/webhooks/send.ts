// One POST to a receiver, bounded in every direction: time, what is read, where it goes. Tells what came of it and never throws.
// When and what to send is the dispatcher's business.
import { Pool } from 'undici';
import type { AddressGuard, Target } from './address-guard.ts';
import { guardedConnector } from './connect.ts';
import { Exchange, type Outcome } from './exchange.ts';

export interface TimeLimits {
  readonly connectMs: number;
  /** Of the whole exchange, the connection included. */
  readonly totalMs: number;
}

/** Decision 45. */
const TIME_LIMITS: TimeLimits = { connectMs: 5_000, totalMs: 15_000 };
const CHECK_MS = 100;
const MOST_HEADER_BYTES = 16_384;
const IDLE_POOL_MS = 60_000;

export interface Post {
  /** Attempts of one endpoint share its connections, and no others. */
  readonly endpoint: string;
  readonly url: string;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body: Buffer;
}

export interface SenderDeps {
  readonly guard: AddressGuard;
  readonly nowMs: () => number;
  /** Calls back once, unless cancelled before. */
  readonly after: (ms: number, work: () => void) => () => void;
  /** Most connections to one endpoint. */
  readonly connections: number;
  readonly ca?: string | undefined;
  readonly limits?: TimeLimits;
}

interface Line {
  readonly pool: Pool;
  readonly origin: string;
  users: number;
  usedMs: number;
}

export class Sender {
  readonly #deps: SenderDeps;
  readonly #limits: TimeLimits;
  readonly #lines = new Map<string, Line>();
  /** Exchanges that have not ended, oldest first, with the time of `#watchedMs` at which each must. */
  readonly #open = new Map<Exchange, number>();
  /** Goes on while something is watched, whatever happens to the clock. */
  #watchedMs = 0;
  #cancelWatch: (() => void) | undefined;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? TIME_LIMITS;
  }

  send(post: Post): Promise<Outcome> {
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#deps.nowMs, (outcome) => {
        this.#open.delete(exchange);
        resolve(outcome);
      });
      this.#open.set(exchange, this.#watchedMs + this.#limits.totalMs);
      this.#watch();
      this.#deps.guard.check(post.url).then(
        (target) => {
          if (!exchange.isOver) this.#dispatch(post, target, exchange);
        },
        (error: Error) => exchange.fail(error),
      );
    });
  }

  /** One timer for all of them: they all have the same limit, so the oldest ends first. */
  #watch(): void {
    this.#cancelWatch ??= this.#deps.after(CHECK_MS, () => {
      this.#cancelWatch = undefined;
      this.#watchedMs += CHECK_MS;
      for (const [exchange, endMs] of this.#open) {
        if (endMs >= this.#watchedMs) break;
        exchange.expire(this.#limits.totalMs);
      }
      if (this.#open.size > 0) this.#watch();
    });
  }

  /** Closes connections of endpoints that nothing was sent to for a while. */
  sweep(): void {
    const beforeMs = this.#deps.nowMs() - IDLE_POOL_MS;
    for (const [endpoint, line] of this.#lines) {
      if (line.users === 0 && line.usedMs < beforeMs) this.#drop(endpoint, line);
    }
  }

  close(): void {
    this.#cancelWatch?.();
    for (const [endpoint, line] of this.#lines) this.#drop(endpoint, line);
  }

  #dispatch(post: Post, target: Target, exchange: Exchange): void {
    const line = this.#lineTo(post.endpoint, target.origin);
    line.users++;
    line.usedMs = this.#deps.nowMs();
    exchange.onEnd(() => {
      line.users--;
    });
    try {
      const { body, headers } = post;
      line.pool.dispatch({ method: 'POST', path: target.path, headers, body }, exchange);
    } catch (error) {
      exchange.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #lineTo(endpoint: string, origin: string): Line {
    const known = this.#lines.get(endpoint);
    if (known?.origin === origin) return known;
    if (known !== undefined) this.#drop(endpoint, known);
    const { guard, connections, ca, nowMs } = this.#deps;
    const pool = new Pool(origin, {
      connections,
      pipelining: 1,
      connect: guardedConnector({ guard, ca, timeoutMs: this.#limits.connectMs }),
      maxHeaderSize: MOST_HEADER_BYTES,
      // The deadline of the whole exchange is the sender's.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const line = { pool, origin, users: 0, usedMs: nowMs() };
    this.#lines.set(endpoint, line);
    return line;
  }

  #drop(endpoint: string, { pool }: Line): void {
    if (this.#lines.get(endpoint)?.pool === pool) this.#lines.delete(endpoint);
    void pool.destroy();
  }
}

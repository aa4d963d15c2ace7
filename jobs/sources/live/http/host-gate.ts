// The budget of one host, shared by all sources that use it: requests in flight, requests per minute, bytes per day, and a circuit breaker
// that opens after repeated failures. Requests for the newest data go before requests that fill in history.
import { DAY_MS } from '../../../../platform/base/time.ts';
import type { Clock } from './clock.ts';
import { NetFault } from './net-fault.ts';

export interface HostBudget {
  readonly in_flight: number;
  readonly requests_per_minute: number;
  readonly bytes_per_day: number;
}

export type Urgency = 'tip' | 'history';

/** Share of a day's bytes that history may use. */
const HISTORY_SHARE = 0.5;
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 60_000;
const MAX_OPEN_MS = 3_600_000;
/** A request waits for as long as the host asks, up to this; beyond it, it is refused, so that its source says why. */
const LONGEST_HOLD_MS = 120_000;
const MINUTE_MS = 60_000;

export interface HostUse {
  readonly requests: number;
  readonly bytes: number;
  readonly failures_in_row: number;
  /** Milliseconds since 1970; null while requests may be sent. */
  readonly closed_until_ms: number | null;
}

export class HostGate {
  readonly #host: string;
  readonly #budget: HostBudget;
  readonly #clock: Clock;
  readonly #waiting: { readonly urgency: Urgency; readonly go: () => void }[] = [];
  #inFlight = 0;
  /** Moment at which the next request may be sent. */
  #nextMs = 0;
  #day = 0;
  #requests = 0;
  #bytes = 0;
  #failures = 0;
  #openings = 0;
  #openUntilMs = 0;
  /** Until when the host asked for no more requests. */
  #heldUntilMs = 0;
  #lastFailure = '';

  constructor(host: string, budget: HostBudget, clock: Clock) {
    this.#host = host;
    this.#budget = budget;
    this.#clock = clock;
  }

  /** Adds bytes that were received on that day before this process started. */
  noteEarlier(dayMs: number, bytes: number): void {
    this.#turnDay();
    if (Math.floor(dayMs / DAY_MS) === this.#day) this.#bytes += bytes;
  }

  /** Counts a request that followed a redirect; the next request waits for it too. */
  noteRedirect(): void {
    this.#requests += 1;
    this.#nextMs = Math.max(this.#nextMs, this.#clock.nowMs()) + this.#intervalMs;
  }

  /** Counts received bytes, whatever the response is worth. */
  noteBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  use(): HostUse {
    const untilMs = Math.max(this.#openUntilMs, this.#heldUntilMs);
    const isOpen = untilMs > this.#clock.nowMs();
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      failures_in_row: this.#failures,
      closed_until_ms: isOpen ? untilMs : null,
    };
  }

  get #intervalMs(): number {
    return MINUTE_MS / this.#budget.requests_per_minute;
  }

  /** Runs one request when it is its turn. @throws NetFault `circuit` or `budget` without sending it. */
  async run<T>(urgency: Urgency, request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#refuse(urgency);
    await this.#turn(urgency);
    try {
      this.#refuse(urgency);
      await this.#pace(signal);
      this.#requests += 1;
      const response = await request();
      this.#failures = 0;
      this.#openings = 0;
      return response;
    } catch (error) {
      this.#note(error);
      throw error;
    } finally {
      this.#inFlight -= 1;
      this.#admit();
    }
  }

  #refuse(urgency: Urgency): void {
    this.#turnDay();
    const nowMs = this.#clock.nowMs();
    if (this.#openUntilMs > nowMs)
      throw new NetFault(
        'circuit',
        `${this.#host} failed repeatedly; the next request is sent later. Last failure: ${this.#lastFailure}`,
        {
          retryAfterMs: this.#openUntilMs - nowMs,
        },
      );
    if (this.#heldUntilMs > nowMs + LONGEST_HOLD_MS)
      throw new NetFault('circuit', `${this.#host} asked for no requests for a while. ${this.#lastFailure}`, {
        retryAfterMs: this.#heldUntilMs - nowMs,
      });
    const limit = this.#budget.bytes_per_day * (urgency === 'tip' ? 1 : HISTORY_SHARE);
    if (this.#bytes < limit) return;
    throw new NetFault('budget', `today's bytes for ${this.#host} are used up (${this.#bytes}).`, {
      retryAfterMs: (this.#day + 1) * DAY_MS - nowMs,
      todo: 'Raise hosts.….bytes_per_day, or fetch less often',
    });
  }

  #turnDay(): void {
    const day = Math.floor(this.#clock.nowMs() / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    this.#requests = 0;
    this.#bytes = 0;
  }

  #turn(urgency: Urgency): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ urgency, go });
      this.#admit();
    });
  }

  #admit(): void {
    while (this.#inFlight < this.#budget.in_flight && this.#waiting.length > 0) {
      const tip = this.#waiting.findIndex(({ urgency }) => urgency === 'tip');
      const [next] = this.#waiting.splice(Math.max(tip, 0), 1);
      this.#inFlight += 1;
      next?.go();
    }
  }

  async #pace(signal: AbortSignal | undefined): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const atMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = atMs + this.#intervalMs;
    if (atMs > nowMs) await this.#clock.sleep(atMs - nowMs, signal);
  }

  /** A refused request is not a failure: the host works. A rate limit holds back every request for as long as the host asks. */
  #note(error: unknown): void {
    if (!(error instanceof NetFault) || !error.isTransient) return;
    const nowMs = this.#clock.nowMs();
    if (error.kind === 'limit') {
      this.#heldUntilMs = Math.max(this.#heldUntilMs, nowMs + (error.retryAfterMs ?? 0));
      this.#nextMs = Math.max(this.#nextMs, nowMs + Math.min(error.retryAfterMs ?? 0, LONGEST_HOLD_MS));
    }
    this.#failures += 1;
    this.#lastFailure = error.message;
    if (this.#failures < FAILURES_TO_OPEN) return;
    this.#openUntilMs = nowMs + Math.min(MAX_OPEN_MS, OPEN_MS * 2 ** this.#openings);
    this.#openings += 1;
    this.#failures = FAILURES_TO_OPEN - 1;
  }
}

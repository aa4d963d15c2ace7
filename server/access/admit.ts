// The first check of every request: who sent it, and whether its rate limit is used up. A failure is stored, not thrown, because the
// body of an error depends on the endpoint, which has not been looked up yet.
import type { IncomingMessage } from 'node:http';
import { LIMITS, type PlanName } from '../../schemas/plans.ts';
import type { Caller } from '../define/caller.ts';
import { Failure } from '../define/failure.ts';
import { failureOf } from '../http/failure-of.ts';
import { authenticate, InvalidKeyError, type KeyFinder } from './authenticate.ts';
import { anonymousCaller, callerOfKey } from './caller.ts';
import { type AddressOf, clientAddress } from './client-address.ts';
import { type Rate, RateLimiter } from './rate-limit.ts';

export interface Admission {
  readonly caller: Caller;
  readonly rate: Rate;
  /** Why the request is refused; undefined when it is not. */
  readonly failure: Failure | undefined;
}

/** When a request arrived: both clocks, read once. */
export interface Instant {
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Monotonic milliseconds. */
  readonly steadyMs: number;
}

export interface AdmissionDeps {
  readonly keys: KeyFinder;
  readonly anonymousPlan: PlanName | null;
  readonly trustedProxies: readonly string[];
  /** Whether a request for this target does not count against an address. */
  readonly isUncounted: (target: string) => boolean;
  /** Whether a request for this target is for open data that people browse. */
  readonly isBrowsed: (target: string) => boolean;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
}

interface Counted {
  readonly subject: string;
  readonly limiter: RateLimiter;
  readonly at: Instant;
}

type From = Pick<IncomingMessage, 'headers' | 'socket'>;

const RETRY = ['Retry-After', '60'] as const;

export class AdmissionControl {
  readonly anonymous: Caller;
  readonly #deps: AdmissionDeps;
  readonly #addressOf: AddressOf;
  /** Requests with a valid key, by organisation. */
  readonly #keyed = new RateLimiter();
  /** All others, by address. */
  readonly #keyless = new RateLimiter();
  /** Open data that people browse, by address or organisation. */
  readonly #browsing = new RateLimiter();
  /** Well-formed but unknown keys, by address. */
  readonly #guesses = new RateLimiter();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.anonymous = anonymousCaller(deps.anonymousPlan);
    this.#addressOf = clientAddress(deps.trustedProxies);
  }

  /** Counts the request against the organisation of its key, or against its address when it has no valid key. */
  admit(request: IncomingMessage, token: string | undefined, at: Instant): Admission {
    if (token === undefined)
      return this.#deps.isUncounted(request.url ?? '')
        ? { caller: this.anonymous, rate: this.#look(request, at.steadyMs), failure: undefined }
        : this.#keylessly(request, at, undefined);
    try {
      const record = authenticate(token, this.#deps.keys, { connection: request.socket, nowMs: at.nowMs });
      const caller = callerOfKey(record);
      const rate = this.#taken(caller, request, { subject: record.org, limiter: this.#keyed, at });
      return admission(caller, rate, undefined);
    } catch (thrown) {
      const guess = thrown instanceof InvalidKeyError ? this.#throttled(request, thrown, at) : undefined;
      return this.#keylessly(request, at, guess ?? failureOf(thrown));
    }
  }

  /** Rate-limit headers for requests that are not counted, such as malformed HTTP. */
  peek(request: From): Rate {
    return this.#look(request, this.#deps.steadyMs());
  }

  /** The rate state of an organisation, without counting a request. */
  rateOf({ key, limits }: Caller): Rate {
    return this.#keyed.look(key?.org ?? '', limits.requests_per_minute, this.#deps.steadyMs());
  }

  address(request: From): string {
    const forwarded = request.headers['x-forwarded-for'];
    return this.#addressOf(
      request.socket.remoteAddress,
      typeof forwarded === 'string' ? forwarded : undefined,
    );
  }

  sweep(): void {
    const nowMs = this.#deps.steadyMs();
    for (const limiter of [this.#keyed, this.#keyless, this.#browsing, this.#guesses]) limiter.sweep(nowMs);
  }

  get counts() {
    return {
      subjects: this.#keyed.subjects + this.#keyless.subjects + this.#browsing.subjects,
      refused: this.#keyed.refused + this.#keyless.refused + this.#browsing.refused,
      guesses_refused: this.#guesses.refused,
    };
  }

  #look(request: From, steadyMs: number): Rate {
    return this.#keyless.look(this.address(request), this.anonymous.limits.requests_per_minute, steadyMs);
  }

  #keylessly(request: IncomingMessage, at: Instant, failure: Failure | undefined): Admission {
    const subject = this.address(request);
    const rate = this.#taken(this.anonymous, request, { subject, limiter: this.#keyless, at });
    return admission(this.anonymous, rate, failure);
  }

  #taken({ plan, limits }: Caller, { url = '' }: IncomingMessage, { subject, limiter, at }: Counted): Rate {
    const { requests_per_minute: limit } = limits;
    const isSmall = plan === null || plan === 'free';
    if (!isSmall || !this.#deps.isBrowsed(url)) return limiter.take(subject, limit, at.steadyMs);
    // An organisation may be named like an address.
    const name = limiter === this.#keyed ? `org ${subject}` : subject;
    return this.#browsing.take(name, limit * LIMITS.browsing_factor, at.steadyMs);
  }

  /**
   * Counts a guess; returns a failure once the address has made too many. Valid keys never get here: one address may be shared by
   * several clients, and guessing a random key of 190 bits gains nothing from a response.
   */
  #throttled(request: IncomingMessage, { isGuess }: InvalidKeyError, at: Instant): Failure | undefined {
    const address = this.address(request);
    const limit = LIMITS.key_guesses_per_minute;
    const { isExceeded } = isGuess
      ? this.#guesses.take(address, limit, at.steadyMs)
      : this.#guesses.look(address, limit, at.steadyMs);
    return isExceeded ? new Failure('rate_limited', undefined, { headers: RETRY }) : undefined;
  }
}

/** A caller refused for guessing keeps that error, even when its rate limit is exceeded too. */
const admission = (caller: Caller, rate: Rate, failure: Failure | undefined): Admission => ({
  caller,
  rate,
  failure: rate.isExceeded && failure?.code !== 'rate_limited' ? exceeded(rate.limit) : failure,
});

const exceeded = (limit: number) =>
  new Failure('rate_limit_exceeded', undefined, { headers: RETRY, details: { limit, window_seconds: 60 } });

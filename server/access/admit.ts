// The first look at every request: whose it is and whether its minute still has room. What is wrong is kept, not thrown, because
// the body of an error depends on the endpoint, which nobody has looked for yet.
import type { IncomingMessage } from 'node:http';
import { LIMITS, type PlanName } from '../../schemas/plans.ts';
import type { Caller } from '../define.ts';
import { Failure } from '../define-failure.ts';
import { failureOf } from '../failure-of.ts';
import { authenticate, bearerOf, InvalidKeyError, type KeyFinder } from './authenticate.ts';
import { anonymousCaller, callerOfKey } from './caller.ts';
import { type AddressOf, clientAddress } from './client-address.ts';
import { type Rate, RateLimiter } from './rate-limit.ts';

export interface Admission {
  readonly caller: Caller;
  readonly rate: Rate;
  /** Why the request is refused; undefined when it is not. */
  readonly failure: Failure | undefined;
}

export interface AdmissionDeps {
  readonly keys: KeyFinder;
  readonly anonymousPlan: PlanName | null;
  readonly trustedProxies: readonly string[];
  /** Paths that do not count against an address. */
  readonly uncounted: ReadonlySet<string>;
  readonly nowMs: () => number;
  /** Milliseconds that only go forward. */
  readonly steadyMs: () => number;
}

type From = Pick<IncomingMessage, 'headers' | 'socket'>;

const RETRY = ['Retry-After', '60'] as const;

export class Gatekeeper {
  readonly anonymous: Caller;
  readonly #deps: AdmissionDeps;
  readonly #addressOf: AddressOf;
  readonly #requests: RateLimiter;
  /** Keys that looked right and were not known, by address. */
  readonly #guesses: RateLimiter;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.anonymous = anonymousCaller(deps.anonymousPlan);
    this.#addressOf = clientAddress(deps.trustedProxies);
    this.#requests = new RateLimiter(deps.steadyMs);
    this.#guesses = new RateLimiter(deps.steadyMs);
  }

  /** Counts the request against its organisation, or against its address when it has no good key. */
  admit(request: IncomingMessage): Admission {
    return this.admitToken(request, bearerOf(request.headers.authorization));
  }

  admitToken(request: IncomingMessage, token: string | undefined): Admission {
    if (token === undefined)
      return this.#deps.uncounted.has(request.url ?? '')
        ? this.#uncounted(request)
        : this.#anonymously(request, undefined);
    try {
      this.#checkGuesses(request);
      const record = authenticate(token, this.#deps.keys, {
        connection: request.socket,
        nowMs: this.#deps.nowMs(),
      });
      return this.#counted(callerOfKey(record), `org ${record.org}`, undefined);
    } catch (thrown) {
      if (thrown instanceof InvalidKeyError && thrown.isGuess)
        this.#guesses.take(this.address(request), LIMITS.key_guesses_per_minute);
      return this.#anonymously(request, failureOf(thrown));
    }
  }

  /** What the headers of an answer say that counts for nothing, such as one to what is not proper HTTP. */
  peek(request: From): Rate {
    return this.#requests.look(`address ${this.address(request)}`, this.anonymous.limits.requests_per_minute);
  }

  /** The state of an organisation's minute, uncounted. */
  rateOf({ key, limits }: Caller): Rate {
    return this.#requests.look(`org ${key?.org}`, limits.requests_per_minute);
  }

  address(request: From): string {
    const forwarded = request.headers['x-forwarded-for'];
    return this.#addressOf(
      request.socket.remoteAddress,
      typeof forwarded === 'string' ? forwarded : undefined,
    );
  }

  sweep(): void {
    this.#requests.sweep();
    this.#guesses.sweep();
  }

  get counts() {
    return {
      subjects: this.#requests.subjects,
      refused: this.#requests.refused,
      guesses_refused: this.#guesses.refused,
    };
  }

  #anonymously(request: IncomingMessage, failure: Failure | undefined): Admission {
    return this.#counted(this.anonymous, `address ${this.address(request)}`, failure);
  }

  #uncounted(request: IncomingMessage): Admission {
    return { caller: this.anonymous, rate: this.peek(request), failure: undefined };
  }

  #counted(caller: Caller, subject: string, failure: Failure | undefined): Admission {
    const rate = this.#requests.take(subject, caller.limits.requests_per_minute);
    return { caller, rate, failure: rate.isExceeded ? exceeded(rate.limit) : failure };
  }

  #checkGuesses(request: IncomingMessage): void {
    if (this.#guesses.subjects === 0) return;
    const { isExceeded } = this.#guesses.look(this.address(request), LIMITS.key_guesses_per_minute);
    if (isExceeded) throw new Failure('rate_limited', undefined, { headers: RETRY });
  }
}

const exceeded = (limit: number) =>
  new Failure('rate_limit_exceeded', undefined, { headers: RETRY, details: { limit, window_seconds: 60 } });

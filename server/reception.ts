// What is known of each request before anybody looks at what it asks for: its id, its caller, its rate; and the headers that say so.
import type { IncomingMessage } from 'node:http';
import type { Admission, Gatekeeper } from './access/admit.ts';
import { bearerOf } from './access/authenticate.ts';
import type { Rate } from './access/rate-limit.ts';
import { type MakeRequestId, requestIdOf } from './request-id.ts';

/** Any page may read any answer: a key travels in a header of its own, never in a cookie. */
const FOR_PAGES: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Schema-Version, X-Idempotency-Replayed, ETag, Deprecation, Sunset, Link',
];

export interface Asked {
  readonly requestId: string;
  readonly admission: Admission;
  /** Steady milliseconds. */
  readonly startedMs: number;
}

export interface ReceptionDeps {
  readonly gate: Gatekeeper;
  readonly makeRequestId: MakeRequestId;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
}

export class Reception {
  readonly #deps: ReceptionDeps;
  readonly #asked = new WeakMap<IncomingMessage, Asked>();

  constructor(deps: ReceptionDeps) {
    this.#deps = deps;
  }

  /** Counts a request. The quick path asks once and keeps the answer itself. */
  receive(request: IncomingMessage): Asked {
    return this.#received(request, bearerOf(request.headers.authorization));
  }

  /** Counts a request once, however often it is asked about. */
  ask(request: IncomingMessage): Asked {
    let asked = this.#asked.get(request);
    if (asked === undefined) {
      asked = this.receive(request);
      this.#asked.set(request, asked);
    }
    return asked;
  }

  /** Counts a request whose key may have come another way than in its header. */
  askWith(request: IncomingMessage, token: string | undefined): Asked {
    const asked = this.#received(request, token);
    this.#asked.set(request, asked);
    return asked;
  }

  remember(request: IncomingMessage, asked: Asked): void {
    this.#asked.set(request, asked);
  }

  /** The headers of an answer that are of this request alone. */
  headersOf({ headers }: IncomingMessage, { requestId, admission }: Asked): readonly string[] {
    const own = ['X-Request-ID', requestId, ...this.rateHeaders(admission.rate)];
    return headers.origin === undefined ? own : [...own, ...FOR_PAGES];
  }

  #received(request: IncomingMessage, token: string | undefined): Asked {
    const { gate, makeRequestId, steadyMs } = this.#deps;
    const startedMs = steadyMs();
    const requestId = requestIdOf(request.headers['x-request-id'], makeRequestId);
    return { requestId, admission: gate.admitToken(request, token), startedMs };
  }

  rateHeaders({ limit, remaining, resetMs }: Rate): readonly string[] {
    const reset = Math.ceil((this.#deps.nowMs() + resetMs) / 1000);
    return [
      'X-RateLimit-Limit',
      String(limit),
      'X-RateLimit-Remaining',
      String(remaining),
      'X-RateLimit-Reset',
      String(reset),
    ];
  }
}

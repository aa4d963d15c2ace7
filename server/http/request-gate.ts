// What is known of each request before anybody looks at what it asks for: its id, its caller, its rate; and the headers that say so.
import type { IncomingMessage } from 'node:http';
import type { Admission, AdmissionControl, Instant } from '../access/admit.ts';
import { bearerOver } from '../access/authenticate.ts';
import type { Rate } from '../access/rate-limit.ts';
import { DateLine, headerLines, inOnePiece } from './head.ts';
import { type MakeRequestId, requestIdOf } from './request-id.ts';

/** Any page may read any answer: a key travels in a header of its own, never in a cookie. */
const FOR_PAGES = headerLines([
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Schema-Version, X-Partial-Day, X-Idempotency-Replayed, ETag, Deprecation, Sunset, Link',
]);

export interface ReceivedRequest {
  readonly requestId: string;
  readonly admission: Admission;
  readonly at: Instant;
}

export interface RequestGateDeps {
  readonly admissionControl: AdmissionControl;
  readonly makeRequestId: MakeRequestId;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
}

export class RequestGate {
  readonly #deps: RequestGateDeps;
  readonly #received = new WeakMap<IncomingMessage, ReceivedRequest>();
  readonly #date = new DateLine();
  readonly #minute = new MinuteLines();

  constructor(deps: RequestGateDeps) {
    this.#deps = deps;
  }

  /** Counts a request. The quick path asks once and keeps the answer itself. */
  receive(request: IncomingMessage): ReceivedRequest {
    return this.#receive(request, bearerOver(request.socket, request.headers.authorization));
  }

  /** Counts a request once, however often it is asked about. */
  ask(request: IncomingMessage): ReceivedRequest {
    let received = this.#received.get(request);
    if (received === undefined) {
      received = this.receive(request);
      this.#received.set(request, received);
    }
    return received;
  }

  /** Counts a request whose key may have come another way than in its header. */
  askWith(request: IncomingMessage, token: string | undefined): ReceivedRequest {
    const received = this.#receive(request, token);
    this.#received.set(request, received);
    return received;
  }

  remember(request: IncomingMessage, received: ReceivedRequest): void {
    this.#received.set(request, received);
  }

  /** The lines of an answer's head that are of this request alone. */
  ownLines({ headers }: IncomingMessage, { requestId, admission, at }: ReceivedRequest): string {
    const lines = this.#linesOf(requestId, admission.rate, at.nowMs);
    return headers.origin === undefined ? lines : lines + FOR_PAGES;
  }

  /** The same of what is not proper HTTP and counts for nothing. */
  linesOfImproper(requestId: string, request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    return this.#linesOf(requestId, this.#deps.admissionControl.peek(request), this.#deps.nowMs());
  }

  #linesOf(requestId: string, { limit, remaining, resetMs }: Rate, nowMs: number): string {
    const minute = this.#minute.of(limit, Math.ceil((nowMs + resetMs) / 1000));
    return `${minute}${remaining}\r\nX-Request-ID: ${requestId}\r\n${this.#date.at(nowMs)}`;
  }

  #receive(request: IncomingMessage, token: string | undefined): ReceivedRequest {
    const { admissionControl, makeRequestId, nowMs, steadyMs } = this.#deps;
    const at = { nowMs: nowMs(), steadyMs: steadyMs() };
    const requestId = requestIdOf(request.headers['x-request-id'], makeRequestId);
    return { requestId, admission: admissionControl.admit(request, token, at), at };
  }
}

/** The lines of a rate, up to the number that every request changes. Made anew when the minute is another than the last one. */
class MinuteLines {
  #limit = Number.NaN;
  #reset = Number.NaN;
  #lines = '';

  of(limit: number, reset: number): string {
    if (limit !== this.#limit || reset !== this.#reset) {
      [this.#limit, this.#reset] = [limit, reset];
      this.#lines = inOnePiece(
        `X-RateLimit-Limit: ${limit}\r\nX-RateLimit-Reset: ${reset}\r\n`,
        'X-RateLimit-Remaining: ',
      );
    }
    return this.#lines;
  }
}

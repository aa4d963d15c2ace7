// Assigns every request, on arrival and before its path is checked, an id, its caller, its rate, and the corresponding headers.
import type { IncomingMessage } from 'node:http';
import type { Admission, AdmissionControl, Instant } from '../access/admit.ts';
import { bearerOver } from '../access/authenticate.ts';
import { type MaybePromise, whenResolved } from '../access/maybe-promise.ts';
import type { Rate } from '../access/rate-limit.ts';
import { DateLine, headerLines, inOnePiece } from '../replies/head.ts';
import { type MakeRequestId, requestIdOf } from './request-id.ts';

/** Any page may read any response, because keys are sent in their own header, never in a cookie. */
const FOR_PAGES = headerLines([
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Schema-Version, X-Partial-Day, X-Idempotency-Replayed, X-Quota-Limit, X-Quota-Remaining, X-Quota-Reset, ETag, Accept-Ranges, Content-Range, Deprecation, Sunset, Link',
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
  readonly #remembered = new WeakMap<IncomingMessage, ReceivedRequest>();
  readonly #date = new DateLine();
  readonly #rateLines = new RateLines();

  constructor(deps: RequestGateDeps) {
    this.#deps = deps;
  }

  /** Counts a request. Call it once per request. */
  receive(request: IncomingMessage): MaybePromise<ReceivedRequest> {
    return this.receiveWith(request, bearerOver(request.socket, request.headers.authorization));
  }

  /** Like `receive`, for a key that may arrive outside its header. */
  receiveWith(request: IncomingMessage, token: string | undefined): MaybePromise<ReceivedRequest> {
    const { admissionControl, makeRequestId, nowMs, steadyMs } = this.#deps;
    const at = { nowMs: nowMs(), steadyMs: steadyMs() };
    const requestId = requestIdOf(request.headers['x-request-id'], makeRequestId);
    return whenResolved(admissionControl.admit(request, token, at), (admission) => ({
      requestId,
      admission,
      at,
    }));
  }

  /** Stores a received request, for libraries that pass on only the request. */
  remember(request: IncomingMessage, received: ReceivedRequest): void {
    this.#remembered.set(request, received);
  }

  /** Returns what `remember` stored. */
  of(request: IncomingMessage): ReceivedRequest {
    const received = this.#remembered.get(request);
    if (received === undefined) throw new Error('The request was not received.');
    return received;
  }

  /** The header lines of this request only. */
  ownLines({ headers }: IncomingMessage, { requestId, admission, at }: ReceivedRequest): string {
    const lines = this.#linesOf(requestId, admission.rate, at.nowMs);
    return headers.origin === undefined ? lines : lines + FOR_PAGES;
  }

  /** The header lines for invalid HTTP, which is not counted. */
  uncountedLines(requestId: string, request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    return this.#linesOf(requestId, this.#deps.admissionControl.peek(request), this.#deps.nowMs());
  }

  #linesOf(requestId: string, { limit, remaining, resetMs }: Rate, nowMs: number): string {
    const rate = this.#rateLines.of(limit, Math.ceil((nowMs + resetMs) / 1000));
    return `${rate}${remaining}\r\nX-Request-ID: ${requestId}\r\n${this.#date.at(nowMs)}`;
  }
}

/** The rate-limit lines except for the number that every request changes; rebuilt when the window or the limit changes. */
class RateLines {
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

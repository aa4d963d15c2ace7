// Assigns every request, on arrival and before its path is checked, an id, its caller, its rate, and the corresponding headers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type MaybePromise, whenResolved } from '../../platform/base/tasks.ts';
import { LIMITS } from '../../schemas/plans.ts';
import type { Admission, AdmissionControl, Instant } from '../access/admit.ts';
import { bearerOver } from '../access/authenticate.ts';
import type { Rate } from '../access/limits.ts';
import type { Endpoint } from '../define/endpoint.ts';
import type { RenderedResponse } from '../replies/rendered-response.ts';
import { DateLine, headerLines, inOnePiece } from '../replies/send-head.ts';

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

const SANE = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,${LIMITS.request_id_characters - 1}}$`);

/** A key or signing secret sent as an id by mistake would end up in logs. */
const SECRET = /rk_live_|whsec_/;

/** The id of a request: the caller's own if acceptable, otherwise a new one that is cheap to create. */
export type MakeRequestId = () => string;

/** Ids are `req_<seed>_<count>`. `seed` is random and created once per process, so ids of two servers differ. */
export function requestIdMaker(seed: string): MakeRequestId {
  const prefix = `req_${seed}_`;
  let count = 0;
  return () => `${prefix}${++count}`;
}

export function requestIdOf(header: string | readonly string[] | undefined, make: MakeRequestId): string {
  return typeof header === 'string' && SANE.test(header) && !SECRET.test(header) ? header : make();
}

/** A request while it is handled, and its outcome. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly received: ReceivedRequest;
}

/** A response, or the thrown value if there is none. */
export interface Outcome {
  /** Undefined if no endpoint matches the path, and for the Model Context Protocol, which forms its own responses. */
  readonly endpoint: Endpoint | undefined;
  readonly rendered?: RenderedResponse;
  readonly thrown?: unknown;
  /** How it is counted, if not by the path of the endpoint and the status of the response. */
  readonly counted?: { readonly route: string; readonly status: number };
}

// The body of an error, in the form of its endpoint's family (7.1, 7.5, decisions 36 and 59). Every body carries the request id.

import { StoreError } from '../../platform/storage/s3/store-error.ts';
import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';
import type { Endpoint, Envelope } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { UnreadableLogError } from '../replay/replay-log.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { RenderedResponse } from './rendered-response.ts';

export interface ErrorContext {
  readonly requestId: string;
  /** URL of the documentation, without a trailing slash. */
  readonly docsUrl: string;
  /** The endpoint of the path, if there is one. */
  readonly endpoint?: Pick<Endpoint, 'envelope' | 'internalErrorStatus' | 'failureMessage'> | undefined;
}

/** Keeps errors that quote the request from being many times larger than it. */
export const MAX_ERROR_BYTES = 65_536;
const MAX_MESSAGE_CHARACTERS = 1_000;

export function errorResponse(failure: Failure, context: ErrorContext): RenderedResponse {
  const whole = Buffer.from(JSON.stringify(errorBody(failure, context)));
  const isBounded = whole.length <= MAX_ERROR_BYTES;
  const status = statusOf(failure, context);
  return new RenderedResponse({
    status,
    body: isBounded ? whole : Buffer.from(JSON.stringify(errorBody(shortened(failure), context))),
    headers: ['Cache-Control', 'no-store', ...failure.headers, ...retryHeader(failure, status)],
  });
}

/** Seconds after which what cannot be read may be readable, where the failure names no other time. */
const RETRY_S = '10';

/** What is only temporary says when to ask again. */
const retryHeader = ({ headers }: Failure, status: number): readonly string[] =>
  status === UNAVAILABLE && !headers.includes('Retry-After') ? ['Retry-After', RETRY_S] : [];

const UNAVAILABLE = 503;

/** Omits the details: programs parse them, so they must not be truncated. */
const shortened = ({ code, message, headers }: Failure): Failure =>
  new Failure(code, `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`, { headers });

function statusOf({ code }: Failure, { endpoint }: ErrorContext): number {
  const { http } = ERRORS[code];
  return code === 'internal_error' ? (endpoint?.internalErrorStatus ?? http) : http;
}

function errorBody(failure: Failure, context: ErrorContext): object {
  const { code } = failure;
  const details = completed(failure.details, context);
  const request_id = context.requestId;
  const message = messageOf(failure, context);
  const standard = { code, message, ...(details && { details }), request_id };
  switch (errorForm(code, context.endpoint?.envelope)) {
    case 'bare':
      return { error: message };
    case 'flat':
      return { error: code, message, details: { ...details, request_id } };
    case 'legacy':
      return { status: false, data: [], message, error: standard };
    case 'standard': {
      const url = `${context.docsUrl}/errors/${code}`;
      return { error: { ...standard, ...(ERRORS[code].is_documented && { documentation_url: url }) } };
    }
  }
}

/** With the whole address of the page that a path names. */
function completed(details: Failure['details'], { docsUrl }: ErrorContext): Failure['details'] {
  const { upgrade_url: page } = details ?? {};
  return typeof page === 'string' && page.startsWith('/')
    ? { ...details, upgrade_url: docsUrl + page }
    : details;
}

/** An endpoint's own sentence comes first (4.6); the reason of what is missing only for now follows it. */
function messageOf({ code, message }: Failure, { endpoint }: ErrorContext): string {
  const own = endpoint?.failureMessage;
  if (own === undefined || ERRORS[code].http < 500) return message;
  return code === 'internal_error' ? own : `${own} ${message}`;
}

export type ErrorForm = 'standard' | 'legacy' | 'flat' | 'bare';

const LEGACY: ReadonlySet<Envelope | undefined> = new Set(['legacy', 'legacy_data']);
/** Statuses of a caller that is not admitted: its error has the same body wherever it knocks. */
const NOT_ADMITTED: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Which of the documented bodies an error has: by its code, and by the envelope of its endpoint. */
export function errorForm(code: ErrorCode, envelope: Envelope | undefined): ErrorForm {
  const { body, http } = ERRORS[code];
  if (body !== 'standard') return body;
  if (LEGACY.has(envelope)) return 'legacy';
  return envelope === 'flat' && !NOT_ADMITTED.has(http) ? 'flat' : 'standard';
}

/**
 * The failure that a thrown value means. It may already be one, or mean that something cannot be read now. Anything else is an internal
 * error, whose message is not sent.
 */
export const failureOf = (thrown: unknown): Failure =>
  thrown instanceof Failure ? thrown : new Failure(codeOf(thrown), undefined, { cause: thrown });

const codeOf = (thrown: unknown) =>
  [UnreadableLogError, StoreUnavailableError, StoreError].some((kind) => thrown instanceof kind)
    ? 'unavailable'
    : 'internal_error';

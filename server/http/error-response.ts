// The body of an error, in the form of its endpoint's family (7.1, 7.5, decisions 36 and 59). Every body carries the request id.
import { ERRORS } from '../../schemas/errors.ts';
import { deprecationHeaders } from '../define/deprecation.ts';
import type { Endpoint, Envelope } from '../define/endpoint.ts';
import { Failure } from '../define/failure.ts';
import { RenderedResponse } from './rendered-response.ts';

export interface ErrorContext {
  readonly requestId: string;
  /** URL of the documentation, without a trailing slash. */
  readonly docsUrl: string;
  /** The endpoint of the path, if there is one. */
  readonly endpoint?:
    | Pick<Endpoint, 'envelope' | 'internalErrorStatus' | 'failureMessage' | 'ending'>
    | undefined;
}

/** Keeps errors that quote the request from being many times larger than it. */
export const MAX_ERROR_BYTES = 65_536;
const MAX_MESSAGE_CHARACTERS = 1_000;

export function errorResponse(failure: Failure, context: ErrorContext): RenderedResponse {
  const whole = Buffer.from(JSON.stringify(errorBody(failure, context)));
  const isBounded = whole.length <= MAX_ERROR_BYTES;
  return new RenderedResponse({
    status: statusOf(failure, context),
    body: isBounded ? whole : Buffer.from(JSON.stringify(errorBody(shortened(failure), context))),
    headers: ['Cache-Control', 'no-store', ...endingHeaders(failure, context), ...failure.headers],
  });
}

/** Omits the details: programs parse them, so they must not be truncated. */
const shortened = ({ code, message, headers }: Failure): Failure =>
  new Failure(code, `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`, { headers });

/** Errors of a deprecated path also carry its headers; a 410 already has them. */
const endingHeaders = ({ code }: Failure, { endpoint }: ErrorContext): readonly string[] =>
  endpoint?.ending === undefined || code === 'gone' ? [] : deprecationHeaders(endpoint.ending);

function statusOf({ code }: Failure, { endpoint }: ErrorContext): number {
  const { http } = ERRORS[code];
  return code === 'internal_error' ? (endpoint?.internalErrorStatus ?? http) : http;
}

const LEGACY: ReadonlySet<string | undefined> = new Set<Envelope>(['legacy', 'legacy_data']);

function errorBody(failure: Failure, context: ErrorContext): object {
  const { code, details } = failure;
  const request_id = context.requestId;
  const spec = ERRORS[code];
  const message = messageOf(failure, context);
  if (spec.body === 'bare') return { error: message };
  if (spec.body === 'flat') return { error: code, message, details: { ...details, request_id } };
  if (LEGACY.has(context.endpoint?.envelope)) {
    const error = { code, message, ...(details && { details }), request_id };
    return { status: false, data: [], message, error };
  }
  const documentation = spec.is_documented ? { documentation_url: `${context.docsUrl}/errors/${code}` } : {};
  return { error: { code, message, ...(details && { details }), request_id, ...documentation } };
}

const messageOf = ({ code, message }: Failure, { endpoint }: ErrorContext): string =>
  ERRORS[code].http < 500 ? message : (endpoint?.failureMessage ?? message);

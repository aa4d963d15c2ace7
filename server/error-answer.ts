// The body of an error in the form its endpoint's family uses (7.1, 7.5, decision 36). Request id in every one.
import { ERRORS } from '../schemas/errors.ts';
import { Answer } from './answer.ts';
import type { Endpoint, Envelope } from './define.ts';
import type { Failure } from './define-failure.ts';

export interface ErrorContext {
  readonly requestId: string;
  /** Address of the documentation, without a slash at the end. */
  readonly docsUrl: string;
  /** Endpoint that was asked, when the path names one. */
  readonly endpoint?: Pick<Endpoint, 'envelope' | 'internalErrorStatus'> | undefined;
}

export function errorAnswer(failure: Failure, context: ErrorContext): Answer {
  return new Answer({
    status: statusOf(failure, context),
    body: Buffer.from(JSON.stringify(errorBody(failure, context))),
    headers: ['Cache-Control', 'no-store', ...failure.headers],
  });
}

function statusOf({ code }: Failure, { endpoint }: ErrorContext): number {
  const { http } = ERRORS[code];
  return code === 'internal_error' ? (endpoint?.internalErrorStatus ?? http) : http;
}

const LEGACY: ReadonlySet<string | undefined> = new Set<Envelope>(['legacy', 'legacy_data']);

function errorBody(failure: Failure, context: ErrorContext): object {
  const { code, message, details } = failure;
  const request_id = context.requestId;
  const spec = ERRORS[code];
  if (spec.body === 'bare') return { error: message };
  if (spec.body === 'flat') return { error: code, message, details: { ...details, request_id } };
  if (LEGACY.has(context.endpoint?.envelope)) {
    return { status: false, data: [], message, error: { code, message, request_id } };
  }
  const documentation = spec.is_documented ? { documentation_url: `${context.docsUrl}/errors/${code}` } : {};
  return { error: { code, message, ...(details && { details }), request_id, ...documentation } };
}

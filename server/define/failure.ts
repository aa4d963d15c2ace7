// An error that ends a request: thrown anywhere below a route, turned into a response in replies/error-response.ts.
import { printable } from '../../platform/base/printable.ts';
import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';

export type Details = Readonly<Record<string, unknown>>;

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly details: Details | undefined;
  /** Headers of the error response, for example `Retry-After`. */
  readonly headers: readonly string[];

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].message,
    more: { details?: Details; headers?: readonly string[]; cause?: unknown } = {},
  ) {
    super(printable(message), more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? [];
  }
}

/** A wrong member of a body. */
export const fieldFailure = (field: string, problem: string): Failure =>
  new Failure('validation_failed', `${field} ${problem}.`, { details: { fields: [{ field, problem }] } });

/** A wrong query parameter. */
export const parameterFailure = (parameter: string, problem: string): Failure =>
  new Failure('validation_failed', `${parameter} ${problem}.`, {
    details: { parameter, fields: [{ field: parameter, problem }] },
  });

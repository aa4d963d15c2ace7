// An answer that is an error: thrown anywhere below a route, turned into a body in http/error-response.ts.
import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';

export type Details = Readonly<Record<string, unknown>>;

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly details: Details | undefined;
  /** Headers the error brings along, for example `Retry-After`. */
  readonly headers: readonly string[];

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].message,
    more: { details?: Details; headers?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? [];
  }
}

/** One member of a body that is not what it should be. */
export const fieldFailure = (field: string, problem: string): Failure =>
  new Failure('validation_failed', `${field} ${problem}.`, { details: { fields: [{ field, problem }] } });

/** One query parameter that is not what it should be. */
export const parameterFailure = (parameter: string, problem: string): Failure =>
  new Failure('validation_failed', `${parameter} ${problem}.`, {
    details: { parameter, fields: [{ field: parameter, problem }] },
  });

// What can go wrong with a request. Branch on the class and on `code`, which is stable; messages may change.

export interface ErrorFacts {
  readonly status: number;
  /** The stable code, such as `rate_limit_exceeded`; `unknown` if what answered was not the service, such as a proxy. */
  readonly code: string;
  /** What to name when you report the error. */
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds after which the service would accept the request again. */
  readonly retryAfterSeconds: number | null;
  readonly documentationUrl: string | null;
}

/** The service refused the request, or failed. */
export class ApiError extends Error implements ErrorFacts {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | null;
  readonly documentationUrl: string | null;

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.documentationUrl = facts.documentationUrl;
  }
}

/** There was no answer, or only part of one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** What answered does not speak this interface: another content type, text that is no JSON, pages without an end. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError';
  readonly status: number;
  readonly requestId: string | null;

  constructor(message: string, { status, requestId }: Pick<ErrorFacts, 'status' | 'requestId'>) {
    super(message);
    this.status = status;
    this.requestId = requestId;
  }
}

/** The stream refuses this key, plan or filter: a retry would not help. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** The stable code, such as `invalid_key`; `unknown` if the service gave none. */
  readonly code: string;
  readonly closeCode: number;

  constructor(closeCode: number, reason: string) {
    super(`The stream refused the connection: ${reason === '' ? `code ${closeCode}` : reason}`);
    this.closeCode = closeCode;
    this.code = /^(\w+):/.exec(reason)?.[1] ?? 'unknown';
  }
}

/** Events between the last one that the caller has and `from` are no longer kept: they are lost to a follower. */
export class GapError extends Error {
  override readonly name = 'GapError';
  readonly since: string;
  /** Time of the earliest event that is still kept, ISO 8601. */
  readonly from: string;

  constructor(since: string, from: string) {
    super(`Events after ${since} and before ${from} are no longer kept.`);
    this.since = since;
    this.from = from;
  }
}

// Errors of a bucket, in words and by kind.
import { printable } from '../../base/printable.ts';

/**
 * `credentials`: the key is unknown, the signature is wrong or a permission is missing. `bucket`: there is no such bucket. `network`: no
 * response, or one that asks to retry later. `answer`: anything else.
 */
export type StoreFault = 'credentials' | 'bucket' | 'network' | 'answer';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;
  readonly retryAfterMs: number | null;

  constructor(
    fault: StoreFault,
    message: string,
    { retryAfterMs = null, ...options }: ErrorOptions & { readonly retryAfterMs?: number | null } = {},
  ) {
    super(printable(message), options);
    this.fault = fault;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Refusal {
  readonly status: number;
  /** S3's name of the error; empty without a body. */
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs: number | null;
}

const LATER = new Set([408, 425, 429, 500, 502, 503, 504]);

/** `what` is the operation and the name of the object. */
export function refused(what: string, { status, code, message, retryAfterMs }: Refusal): StoreError {
  const response = `${status}${code === '' ? '' : ` ${code}`}${message === '' ? '' : `, ${message.replace(/\.$/, '')}`}`;
  if (code === 'NoSuchBucket')
    return new StoreError(
      'bucket',
      `${what}: there is no such bucket (${response}). Create it, or correct the address in the settings.`,
    );
  if (status === 401 || status === 403)
    return new StoreError(
      'credentials',
      `${what}: access denied (${response}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that the key may list the bucket, and read, write and delete below the prefix.`,
    );
  if (LATER.has(status))
    return new StoreError('network', `${what}: the store is unavailable (${response}).`, { retryAfterMs });
  return new StoreError('answer', `${what}: the store responded with ${response}.`);
}

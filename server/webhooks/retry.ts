// When a failed delivery is retried, and when it is abandoned (decision 44). The schedule is that of Standard Webhooks.
import { HOUR_S } from '../../platform/base/time.ts';
import { REJECTED_FORM, TARGET_GONE } from './messages/answers.ts';

const MINUTE_S = 60;
/** Wait before each attempt, in seconds after the end of the previous one; the first is sent at once. */
export const WAIT_SECONDS: readonly number[] = [
  0,
  5,
  5 * MINUTE_S,
  30 * MINUTE_S,
  2 * HOUR_S,
  5 * HOUR_S,
  10 * HOUR_S,
  14 * HOUR_S,
  20 * HOUR_S,
  24 * HOUR_S,
];
export const MAX_ATTEMPTS = WAIT_SECONDS.length;
/** Relative variation of each wait, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
const MAX_RETRY_AFTER_S = 24 * HOUR_S;
const GONE = 410;

/** The result of one attempt. */
export interface AttemptOutcome {
  /** From 1. */
  readonly attempt: number;
  /** Status of the response; null if there was none or it was incomplete. */
  readonly status: number | null;
  readonly retryAfter?: string | undefined;
  /** Code of the error, if the response was judged by what a product says in it. */
  readonly error?: string | undefined;
  /** Whether the address rule forbids the URL. */
  readonly isBlocked: boolean;
  readonly endedMs: number;
}

export type Verdict =
  | { readonly status: 'delivered' }
  | { readonly status: 'retrying'; readonly nextMs: number }
  | { readonly status: 'failed'; readonly disables?: 'gone' | 'blocked_url' };

/** `random`: 0 inclusive to 1 exclusive. `maxAttempts`: 1 for deliveries that are never retried. */
export function verdictOf(outcome: AttemptOutcome, maxAttempts: number, random: () => number): Verdict {
  const { attempt, status, error, isBlocked, endedMs } = outcome;
  if (status !== null && status >= 200 && status < 300 && error === undefined) return { status: 'delivered' };
  if (isBlocked) return { status: 'failed', disables: 'blocked_url' };
  if (error === REJECTED_FORM) return { status: 'failed' };
  if (status === GONE || error === TARGET_GONE) return { status: 'failed', disables: 'gone' };
  const wait = WAIT_SECONDS[attempt];
  if (wait === undefined || attempt >= maxAttempts) return { status: 'failed' };
  const jittered = wait * (1 - JITTER + 2 * JITTER * random());
  const asked = retryAfterSeconds(outcome.retryAfter, endedMs);
  return { status: 'retrying', nextMs: endedMs + Math.round(Math.max(jittered, asked) * 1_000) };
}

/** Seconds that a `Retry-After` requests, as a number or a date, at most 24 h; 0 without a valid one. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  const seconds = /^[0-9]+$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S) : 0;
}

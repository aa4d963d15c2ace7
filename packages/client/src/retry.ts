// Sends a request until there is an answer that stands: 429 and requests in flight after `Retry-After`, 5xx, broken connections and cut
// bodies after growing pauses, nothing else. Writes carry an idempotency key, so a retry has no second effect.
import { apiErrorOf, type RawAnswer, retryAfterSeconds } from './answer.ts';
import { ConnectionError, InvalidAnswerError } from './errors.ts';

export interface RetryRules {
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** 0 to 1. Spreads the retries of clients that failed at the same time. */
  readonly random: () => number;
  /** Maximum number of requests, including the first. */
  readonly attempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** If the service asks for a longer pause than this, the error is thrown at once. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryRules = {
  wait: pause,
  random: Math.random,
  attempts: 5,
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  longestRetryAfterMs: 90_000,
};

/** Ends early, without an error, when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
  });
}

type Outcome = { readonly raw: RawAnswer } | { readonly broken: unknown };

/** @throws ConnectionError or InvalidAnswerError after the last attempt; the reason of the signal */
export async function withRetries(
  send: () => Promise<RawAnswer>,
  rules: RetryRules,
  signal?: AbortSignal,
): Promise<RawAnswer> {
  for (let attempt = 1; ; attempt++) {
    const outcome: Outcome = await send().then(
      (raw) => ({ raw }),
      (broken: unknown) => ({ broken }),
    );
    signal?.throwIfAborted();
    const pauseMs = attempt < rules.attempts ? pauseAfter(outcome, attempt, rules) : undefined;
    if (pauseMs === undefined) return settled(outcome, attempt);
    await rules.wait(pauseMs, signal);
    signal?.throwIfAborted();
  }
}

function settled(outcome: Outcome, attempts: number): RawAnswer {
  if ('raw' in outcome) return outcome.raw;
  const { broken } = outcome;
  if (broken instanceof InvalidAnswerError) throw broken;
  const reason = broken instanceof Error ? `${broken.message}${causeOf(broken)}` : String(broken);
  throw new ConnectionError(`The service cannot be reached, in ${attempts} attempts: ${reason}`, {
    cause: broken,
  });
}

const causeOf = ({ cause }: Error): string =>
  cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';

/** Milliseconds until the next attempt; undefined if a retry would not help. */
function pauseAfter(outcome: Outcome, attempt: number, rules: RetryRules): number | undefined {
  if ('broken' in outcome) return backOffMs(attempt, rules);
  const { raw } = outcome;
  const seconds = retryAfterSeconds(raw.headers);
  const askedMs = seconds === null ? undefined : seconds * 1_000;
  if (askedMs !== undefined && askedMs > rules.longestRetryAfterMs) return undefined;
  if (raw.status >= 500) return Math.max(askedMs ?? 0, backOffMs(attempt, rules));
  if (raw.status === 429) return askedMs;
  const isInFlight = raw.status === 409 && apiErrorOf(raw).code === 'idempotency_in_flight';
  return isInFlight ? (askedMs ?? rules.firstPauseMs) : undefined;
}

function backOffMs(attempt: number, { firstPauseMs, longestPauseMs, random }: RetryRules): number {
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return pauseMs * (0.5 + random() / 2);
}

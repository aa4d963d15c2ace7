// The only place that retries after transient faults: full jitter, Retry-After, and one deadline for all attempts together.
import type { Clock } from './clock.ts';
import { NetFault } from './net-fault.ts';

export interface RetryRules {
  /** Attempts in total. */
  readonly tries: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** For all attempts and waits together. */
  readonly deadlineMs: number;
}

export const RETRY_RULES: RetryRules = { tries: 5, baseMs: 500, capMs: 30_000, deadlineMs: 120_000 };

export interface RetryTools {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly signal?: AbortSignal;
}

/** @throws the last fault: immediately if a retry cannot help or the wait would pass the deadline. */
export async function withRetries<T>(
  action: () => Promise<T>,
  rules: RetryRules,
  { clock, random, signal }: RetryTools,
): Promise<T> {
  const endMs = clock.nowMs() + rules.deadlineMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof NetFault) || !error.isTransient || attempt >= rules.tries) throw error;
      const waitMs = waitBefore(attempt, error.retryAfterMs, { rules, random });
      if (clock.nowMs() + waitMs > endMs || signal?.aborted === true) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Retry-After is the minimum; jitter on top keeps clients from returning together. */
function waitBefore(
  attempt: number,
  retryAfterMs: number | null,
  { rules, random }: { rules: RetryRules; random: () => number },
): number {
  const spread = random() * Math.min(rules.capMs, rules.baseMs * 2 ** (attempt - 1));
  return retryAfterMs === null ? spread : retryAfterMs + random() * rules.baseMs;
}

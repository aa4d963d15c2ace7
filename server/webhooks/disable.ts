// When a receiver is disabled: after 120 h of nothing but failures, at least two of which are 12 h apart (decision 47).

const HOUR_MS = 3_600_000;
export const DISABLE_AFTER_MS = 120 * HOUR_MS;
const WARN_AFTER_MS = DISABLE_AFTER_MS / 2;
const APART_MS = 12 * HOUR_MS;

export interface Failing {
  /** First failure since the last success; null if the last attempt succeeded. */
  readonly failing_since_ms: number | null;
  readonly last_failure_ms: number | null;
}

/** `warn` from half-way on. Only the clock decides: no further attempt is needed. */
export function stateOf(
  { failing_since_ms, last_failure_ms }: Failing,
  nowMs: number,
): 'fine' | 'warn' | 'disable' {
  if (failing_since_ms === null || last_failure_ms === null) return 'fine';
  const failingMs = nowMs - failing_since_ms;
  if (failingMs >= DISABLE_AFTER_MS && last_failure_ms - failing_since_ms >= APART_MS) return 'disable';
  return failingMs >= WARN_AFTER_MS ? 'warn' : 'fine';
}

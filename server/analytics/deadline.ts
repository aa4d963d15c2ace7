// A deadline for work elsewhere, in a thread or another process.

export interface DeadlineTools {
  /** Calls back after that many milliseconds, unless the returned function is called first. */
  readonly after: (ms: number, work: () => void) => () => void;
  /** Monotonic milliseconds. */
  readonly steadyMs: () => number;
}

/** A timer that is later than this says that the whole process was stopped, by a signal or with its machine, or did not get to its events. */
const LATE_MS = 1_000;

/**
 * Calls `expire` after that many milliseconds, unless the returned function is called first. Time in which this process did not run does not
 * count, because the work may have stood still too, or its result may be here already, unread: then the work gets the whole time again.
 */
export function deadline({ after, steadyMs }: DeadlineTools, ms: number, expire: () => void): () => void {
  let cancel = () => {};
  const begin = (): void => {
    const startedMs = steadyMs();
    cancel = after(ms, () => {
      if (steadyMs() - startedMs > ms + LATE_MS) begin();
      else expire();
    });
  };
  begin();
  return () => cancel();
}

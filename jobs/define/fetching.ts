// Whether anything fetches at all: a source that fails is tried again, so sources that are due and not tried mean that the process that
// fetches does not run, or hangs.

/** When a fetched source was tried and is due. Unix seconds. */
export interface FetchTimes {
  /** False if it is turned off or has no key. */
  readonly is_on: boolean;
  /** Null before the first attempt. */
  readonly last_try_at: number | null;
  readonly next_try_at: number | null;
  readonly every_s: number;
}

/**
 * Since when no source has been tried, successfully or not, although one is due. Unix seconds; null while sources are tried, before the
 * first attempt, and for twice the shortest interval.
 */
export function silentSince(sources: readonly FetchTimes[], now: number): number | null {
  const fetched = sources.filter(({ is_on }) => is_on);
  const tried = fetched.flatMap(({ last_try_at }) => last_try_at ?? []);
  if (tried.length === 0) return null;
  const [last, patience] = [Math.max(...tried), 2 * Math.min(...fetched.map(({ every_s }) => every_s))];
  const isDue = fetched.some(({ next_try_at }) => next_try_at !== null && next_try_at < now - patience);
  return isDue && last < now - patience ? last : null;
}

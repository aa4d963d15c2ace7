// Logical time never runs ahead of the clock: a version dated in the future would block every later run, because published time never
// goes backward. Anything dated in the future is refused before work starts, and the error says how to go back.

/** Synchronised clocks of two machines differ by less than this; a larger difference means that one is wrong. Seconds. */
export const CLOCK_TOLERANCE_SECONDS = 60;

/** A time in the future was found. */
export class TimeAheadError extends Error {
  override readonly name = 'TimeAheadError';
}

export const isAhead = (seconds: number, nowMs: number): boolean =>
  seconds > nowMs / 1000 + CLOCK_TOLERANCE_SECONDS;

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

export interface Claim {
  /** For example: `version 01… is published`. */
  readonly what: string;
  /** Unix seconds. */
  readonly at: number;
  readonly nowMs: number;
  /** Argument for `retract --to`: a version, or an instant when none is early enough. */
  readonly wayBack: string;
}

export const aheadError = ({ what, at, nowMs, wayBack }: Claim): TimeAheadError =>
  new TimeAheadError(
    `${what} as of ${iso(at)}, ${Math.round(at - nowMs / 1000)} s ahead of this machine's clock (${iso(Math.floor(nowMs / 1000))}). ` +
      `Correct the clock if it is wrong. If it was ahead at that run, go back with the command \`retract --to ${wayBack}\` of the jobs.`,
  );

/** @throws TimeAheadError for an interval that ends in the future. */
export function refuseFuture(to: number, nowMs: number): void {
  if (isAhead(to, nowMs)) throw new TimeAheadError(futureText(to, nowMs));
}

export const futureText = (to: number, nowMs: number): string =>
  `${iso(to)} is ${Math.round(to - nowMs / 1000)} s ahead of this machine's clock (${iso(Math.floor(nowMs / 1000))}): nothing is computed for a time in the future.`;

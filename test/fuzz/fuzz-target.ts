// A parser of bytes from outside, as the fuzzer calls it.

// biome-ignore lint/suspicious/noExplicitAny: the arguments of a constructor do not matter for `instanceof`
type ErrorClass = abstract new (...args: any[]) => Error;

export interface FuzzTarget {
  /** Name of its area, a slash, and its own. */
  readonly name: string;
  /** Who decides the bytes. */
  readonly from: string;
  /** Inputs to begin with: at least one that the parser accepts. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Errors by which the parser refuses an input. Any other is a finding. */
  readonly refuses: readonly ErrorClass[];
  /** Texts that the parser looks for, in addition to the literals of its source. */
  readonly tokens?: readonly string[];
  /** 4,096 by default. */
  readonly maxBytes?: number;
  /** Branches that an input of this many bytes may take. */
  readonly operations?: (bytes: number) => number;
  /** Parses, and throws FalseResultError if a property of the result does not hold. */
  readonly run: (input: Buffer) => unknown;
}

/** A result that contradicts a property of the parser. */
export class FalseResultError extends Error {
  override readonly name = 'FalseResultError';
}

/** @throws FalseResultError */
export function demand(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new FalseResultError(problem);
}

/** Passes the parsed JSON on; text that is not JSON never reaches the parser. */
export const ofJson =
  (read: (value: unknown) => unknown) =>
  (input: Buffer): unknown => {
    let value: unknown;
    try {
      value = JSON.parse(input.toString());
    } catch {
      return null;
    }
    return read(value);
  };

export const MAX_BYTES = 4_096;
/** Generous for anything linear, and far below what a square of the length would take. */
export const OPERATIONS = (bytes: number): number => 20_000 + 300 * bytes;

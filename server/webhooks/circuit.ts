// How many attempts one receiver may have in progress: few at first, more while it responds, fewer when it fails, and one now and then
// while it does not respond at all. Waiting attempts keep their place and do not count as failed.

const FIRST_ALLOWANCE = 4;
const TRIP_AFTER = 5;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;

/** `answered`: any HTTP response. `silent`: no connection, or no complete response in time. */
export type Sign = 'answered' | 'silent';

export class Circuit {
  readonly #max: number;
  #allowance: number;
  #silences = 0;
  #pauseMs = 0;
  /** Nothing is sent before this time; 0 if closed. */
  #openUntilMs = 0;

  constructor(max: number) {
    this.#max = max;
    this.#allowance = Math.min(FIRST_ALLOWANCE, max);
  }

  /** Number of attempts that may be in progress at once. */
  allowance(nowMs: number): number {
    if (this.#pauseMs === 0) return this.#allowance;
    return nowMs >= this.#openUntilMs ? 1 : 0;
  }

  record(sign: Sign, nowMs: number): void {
    if (sign === 'answered') {
      this.#allowance = Math.min(this.#max, this.#allowance + 1);
      this.#silences = 0;
      this.#pauseMs = 0;
      return;
    }
    this.#silences++;
    this.#allowance = Math.max(1, Math.floor(this.#allowance / 2));
    if (this.#silences < TRIP_AFTER) return;
    // Attempts that were in progress together when the receiver stopped responding count as one reason to pause.
    if (nowMs < this.#openUntilMs) return;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs === 0 ? FIRST_PAUSE_MS : this.#pauseMs * 2);
    this.#openUntilMs = nowMs + this.#pauseMs;
  }
}

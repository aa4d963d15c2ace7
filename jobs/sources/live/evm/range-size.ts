// How many blocks to request at once: doubled after a success, halved after a refusal, never below one block. After a refusal the reduced
// size is the limit for a while, so that a provider with a fixed limit does not refuse every second call.
import type { Refusal } from './refusal.ts';

export interface RangeSizes {
  readonly first: number;
  readonly max: number;
}

export const RANGE_SIZES: RangeSizes = { first: 2_000, max: 50_000 };

/** Number of successes after which a larger size is tried again. */
const PATIENCE = 32;

export class RangeSize {
  readonly #max: number;
  #size: number;
  #limit: number;
  #successes = 0;

  constructor({ first, max }: RangeSizes) {
    this.#max = Math.max(1, max);
    this.#limit = this.#max;
    this.#size = Math.min(Math.max(1, first), this.#max);
  }

  get size(): number {
    return this.#size;
  }

  succeeded(): void {
    this.#successes += 1;
    if (this.#successes % PATIENCE === 0) this.#limit = Math.min(this.#limit * 2, this.#max);
    this.#size = Math.min(this.#size * 2, this.#limit);
  }

  /** False if fewer blocks than were requested are not possible. */
  refused(asked: number, { size }: Refusal): boolean {
    this.#successes = 0;
    if (asked <= 1) return false;
    const half = Math.floor(asked / 2);
    this.#size = size !== null && size < asked ? size : half;
    this.#limit = this.#size;
    return true;
  }
}

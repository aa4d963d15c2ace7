// xoshiro128** (Blackman and Vigna, 2018): fast 32-bit draws from a state of four words. One stream per path and purpose, seeded by
// Philox, so that results do not depend on how paths are spread over workers.
import { philox, type Words } from './philox.ts';

const TWO_32 = 0x1_0000_0000;

export class RandomStream {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** A state of four zero words would stay zero: its first word becomes one. */
  constructor([a, b, c, d]: Words) {
    this.#a = (a | b | c | d) === 0 ? 1 : a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
  }

  /** The next unsigned 32-bit integer. */
  next(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /** Uniform in [0, 1), a multiple of 2⁻³². */
  fraction(): number {
    return this.next() / TWO_32;
  }

  /** Uniform integer in [0, count), count at most 2³². Its bias is below count / 2³². */
  below(count: number): number {
    return Math.floor((this.next() / TWO_32) * count);
  }
}

/** The stream of one path and purpose. `seed` is an integer from 0 to 2⁵³ − 1. */
export function openStream(seed: number, path: number, purpose: number): RandomStream {
  return new RandomStream(philox([path, purpose, 0, 0], [seed % TWO_32, Math.floor(seed / TWO_32)]));
}

// xoshiro128** (Blackman and Vigna, 2018): fast 32-bit draws from a state of four words. One stream per path and purpose, seeded by
// Philox, so results do not depend on how paths are spread over workers.

// Philox4x32-10, a counter-based random number generator (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
// The same counter and key yield the same four words on every machine, so paths can be drawn anywhere and in any order.

export type Words = readonly [number, number, number, number];

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** Four unsigned 32-bit words for a counter of four words and a key of two. */
export function philox(counter: Words, key: readonly [number, number]): Words {
  const words = Int32Array.of(...counter);
  philoxAt(words, 0, key[0], key[1]);
  const [a = 0, b = 0, c = 0, d = 0] = words;
  return [a >>> 0, b >>> 0, c >>> 0, d >>> 0];
}

/** Computes in place: reads the counter in `words` from `index` on and replaces it by its words. Allocates nothing. */
function philoxAt(words: Int32Array, index: number, key0: number, key1: number): void {
  let a = words[index] as number;
  let b = words[index + 1] as number;
  let c = words[index + 2] as number;
  let d = words[index + 3] as number;
  let weyl0 = key0 | 0;
  let weyl1 = key1 | 0;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = highWord(MULTIPLIER_0, a);
    const low0 = Math.imul(MULTIPLIER_0, a);
    const high1 = highWord(MULTIPLIER_1, c);
    const low1 = Math.imul(MULTIPLIER_1, c);
    a = high1 ^ b ^ weyl0;
    b = low1;
    c = high0 ^ d ^ weyl1;
    d = low0;
    weyl0 = (weyl0 + WEYL_0) | 0;
    weyl1 = (weyl1 + WEYL_1) | 0;
  }
  words[index] = a;
  words[index + 1] = b;
  words[index + 2] = c;
  words[index + 3] = d;
}

/** Upper 32 bits of the product of two unsigned 32-bit integers, in halves of 16 bits, so that no sum exceeds 32 bits. */
function highWord(x: number, y: number): number {
  const xLow = x & 0xffff;
  const xHigh = x >>> 16;
  const yLow = y & 0xffff;
  const yHigh = y >>> 16;
  const middle = (Math.imul(xHigh, yLow) + (Math.imul(xLow, yLow) >>> 16)) | 0;
  const other = (Math.imul(xLow, yHigh) + (middle & 0xffff)) | 0;
  return (Math.imul(xHigh, yHigh) + (middle >>> 16) + (other >>> 16)) | 0;
}

const TWO_32 = 0x1_0000_0000;

export class RandomStream {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(words: Words) {
    this.#a = firstWord(...words);
    [, this.#b, this.#c, this.#d] = words;
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

/**
 * The words of a stream in pairs, generated ahead into `words`, for loops in which a call per word would cost too much. The second word of
 * a pair is seldom used and is stored as the state that `finished` turns into the word.
 */
export class WordStream {
  readonly words: Uint32Array;
  readonly #state = new Int32Array(4);

  /** `words` is written to; its length is even. */
  constructor(words: Uint32Array) {
    this.words = words;
  }

  /** Continues with the stream of this path and purpose, the same as that of `openStream`. */
  open(seed: number, path: number, purpose: number): void {
    const words = seedWords(seed, path, purpose);
    this.#state[0] = firstWord(...words);
    for (let i = 1; i < 4; i++) this.#state[i] = words[i] as number;
  }

  /** Fills `words` from an index to the end, and returns 0. */
  fill(from: number): 0 {
    const { words } = this;
    let a = this.#state[0] as number;
    let b = this.#state[1] as number;
    let c = this.#state[2] as number;
    let d = this.#state[3] as number;
    for (let i = from - (from & 1); i < words.length; i += 2) {
      if (i >= from) {
        words[i] = finished(b);
        const shifted = b << 9;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        d = (d << 11) | (d >>> 21);
      }
      words[i + 1] = b;
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = (d << 11) | (d >>> 21);
    }
    this.#state[0] = a;
    this.#state[1] = b;
    this.#state[2] = c;
    this.#state[3] = d;
    return 0;
  }
}

/** Turns a state into the word drawn from it. */
export function finished(state: number): number {
  const product = Math.imul(state, 5);
  return Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
}

/** Four words for each path from `from` (inclusive) to `to` (exclusive): the state one step before the start of its stream. */
export function statesBefore(seed: number, from: number, to: number, purpose: number): Int32Array {
  const states = new Int32Array(4 * (to - from));
  const [key0, key1] = keyOf(seed);
  for (let path = from, index = 0; path < to; path++, index += 4) {
    states[index] = path;
    states[index + 1] = purpose;
    philoxAt(states, index, key0, key1);
    stepBack(states, index);
  }
  return states;
}

/** Steps from the first state of a stream to the one before. */
function stepBack(states: Int32Array, at: number): void {
  const [a, b] = [states[at] as number, states[at + 1] as number];
  const [c, d] = [states[at + 2] as number, states[at + 3] as number];
  const turned = (d >>> 11) | (d << 21);
  // This is x ^ x << 9 of the word before; repeated shifts recover x.
  const mixed = b ^ c;
  const before = mixed ^ (mixed << 9) ^ (mixed << 18) ^ (mixed << 27);
  const first = firstWord(a, b, c, d) ^ turned;
  states[at] = first;
  states[at + 1] = before;
  states[at + 2] = b ^ before ^ first;
  states[at + 3] = turned ^ before;
}

/** The stream of one path and purpose. `seed` is an integer from 0 to 2⁵³ − 1. */
export function openStream(seed: number, path: number, purpose: number): RandomStream {
  return new RandomStream(seedWords(seed, path, purpose));
}

const seedWords = (seed: number, path: number, purpose: number): Words =>
  philox([path, purpose, 0, 0], keyOf(seed));

const keyOf = (seed: number): readonly [number, number] => [seed % TWO_32, Math.floor(seed / TWO_32)];

/** A state of four zero words would stay zero, so its first word becomes one. */
const firstWord = (a: number, b: number, c: number, d: number): number => ((a | b | c | d) === 0 ? 1 : a);

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
export function philoxAt(words: Int32Array, index: number, key0: number, key1: number): void {
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

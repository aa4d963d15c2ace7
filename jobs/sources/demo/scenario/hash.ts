// Counter-based randomness: every number is a hash of (seed, counter), so any instant of the demo world can be computed
// without generating what precedes it. Integer arithmetic only, hence the same on every machine.

const GOLDEN = 0x9e3779b1;
const TO_UNIT = 2 ** -32;

/** 32 well-mixed bits of a seed and a counter, as an unsigned integer. */
export function hash(seed: number, counter: number): number {
  let x = (seed ^ Math.imul(counter, GOLDEN)) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15) ^ seed, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** A number in [0, 1). */
export function unit(seed: number, counter: number): number {
  return hash(seed, counter) * TO_UNIT;
}

/** A number in [-1, 1). */
export function signed(seed: number, counter: number): number {
  return hash(seed, counter) * (2 * TO_UNIT) - 1;
}

/** Hexadecimal digits that depend on the seed alone. */
export function hexDigits(seed: number, length: number): string {
  let text = '';
  for (let i = 0; text.length < length; i++) text += hash(seed, i).toString(16).padStart(8, '0');
  return text.slice(0, length);
}

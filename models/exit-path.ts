// One path of the exit Monte Carlo, hour by hour. A run spends its time in this loop: it reads two tables, keeps the rest in local numbers,
// and gets everything that is constant over the hours from its caller.
import type { BucketRows } from './history-walk.ts';

/** Everything that all paths share. Amounts are in USD at the initial price. */
export interface PathTables {
  /** Rows at which a block can begin. */
  readonly blocks: BucketRows;
  /** By bucket: the number of its rows divided by 2³². */
  readonly scale: Float64Array;
  /** Withdrawable amounts at or below which a path is in bucket 1, 2, … */
  readonly cuts: Float64Array;
  readonly supplied: number;
  readonly withdrawable: number;
  /** `STRIDE` numbers for each row: the change of the withdrawable amount, and the factor on the price. */
  readonly steps: Float64Array;
  /** By row: index in `steps` of the last row of its unbroken stretch. */
  readonly ends: Int32Array;
  /** From `boundOf`: within a stretch a block continues if the next word is below it. */
  readonly bound: number;
  /** Amount that should have been sold by each hour. */
  readonly due: Float64Array;
  readonly position: number;
  /** A remainder below this is rounding. */
  readonly dust: number;
  readonly horizon: number;
  /** 1 for each bucket in which a path began a block. */
  readonly entered: Uint8Array;
  readonly hasDepth: boolean;
  /** Reserve of the constant product that has the market's depth at 100 bps; infinite if the depth is unknown. */
  readonly reserve: number;
  /** Amount that can be sold within the limit of slippage in one hour. */
  readonly limit: number;
}

/** Results by path. */
export interface RawPaths {
  readonly proceeds: Float64Array;
  readonly stranded: Float64Array;
  readonly slippage: Float64Array;
}

const WIDTH = 2;
/** Numbers of each row in `steps`. The loop uses its own constant, because an exported binding is looked up at each use. */
export const STRIDE = WIDTH;

/** The first bit of a word. */
const FLIP = 0x80000000 | 0;
const TWO_32 = 0x1_0000_0000;

/**
 * Word and bound are compared with their first bit flipped, as signed integers, which need no conversion. No block is long enough to need a
 * bound above every word.
 */
export const boundOf = (below: number): number => Math.min(below, TWO_32 - 1) ^ FLIP;

/**
 * Returns the hour in which the last of the position exited, or −1. `states` are those that `walkPaths` takes. The market's own path does
 * not depend on the position, so larger positions and shorter horizons compare path by path. Two steps of the generator in random-stream.ts
 * are inlined, so that they are computed while amounts are waited for.
 */
export function simulatePath(t: PathTables, states: Int32Array, paths: RawPaths, index: number): number {
  const { supplied, steps, ends, bound, due, position, dust, horizon, reserve, limit } = t;
  const from = index << 2;
  let a = states[from] as number;
  let b = states[from + 1] as number;
  let c = states[from + 2] as number;
  let d = states[from + 3] as number;
  let { withdrawable } = t;
  let price = 1;
  let taken = 0;
  let proceeds = 0;
  let slippage = 0;
  let at = 0;
  let end = 0;
  for (let hour = 0; ; hour = (hour + 1) | 0) {
    const amount = positive(smaller(smaller(due[hour] as number, withdrawable) - taken, limit));
    const cost = amount / (reserve + amount);
    proceeds += amount * price * (1 - cost);
    slippage += amount * price * cost;
    taken += amount;
    const left = position - taken;
    if (left <= dust || hour === horizon)
      return keep(paths, index, { hour, left: left <= dust ? 0 : left, price, proceeds, slippage });
    const goesOn = (finished(b) ^ FLIP) < bound && at !== end;
    const e = c ^ a;
    const f = d ^ b;
    const second = b ^ e;
    a ^= f;
    c = e ^ (b << 9) ^ a;
    d = ((f << 11) | (f >>> 21)) ^ second;
    b = second ^ c;
    a ^= d;
    c ^= second << 9;
    d = (d << 11) | (d >>> 21);
    at = goesOn ? (at + WIDTH) | 0 : Math.imul(drawRow(t, withdrawable, second), WIDTH);
    if (!goesOn) end = ends[at / WIDTH] as number;
    withdrawable = smaller(positive(withdrawable + (steps[at] as number)), supplied);
    price *= steps[(at + 1) | 0] as number;
  }
}

interface PathEnd {
  readonly hour: number;
  /** 0 if everything has exited. */
  readonly left: number;
  readonly price: number;
  readonly proceeds: number;
  readonly slippage: number;
}

/** Stores the results of a path; returns the hour of the exit, −1 without one. */
function keep(paths: RawPaths, index: number, { hour, left, price, proceeds, slippage }: PathEnd): number {
  paths.proceeds[index] = proceeds;
  paths.slippage[index] = slippage;
  paths.stranded[index] = left * price;
  return left === 0 ? hour : -1;
}

const smaller = (value: number, other: number): number => (value > other ? other : value);

/** max(0, value) without a branch: the sign changes from hour to hour, and a misprediction costs more than the addition. */
const positive = (value: number): number => (value + Math.abs(value)) / 2;

/** The word that random-stream.ts draws from a state, as a signed integer. */
function finished(state: number): number {
  const product = Math.imul(state, 5);
  return Math.imul((product << 7) | (product >>> 25), 9);
}

/** The first row of a new block, from the bucket of the withdrawable amount. A sum instead of branches, as in `positive`. */
function drawRow({ blocks, scale, cuts, entered }: PathTables, withdrawable: number, word: number): number {
  const { rows, starts } = blocks;
  const bucket =
    Number(withdrawable <= (cuts[0] as number)) +
    Number(withdrawable <= (cuts[1] as number)) +
    Number(withdrawable <= (cuts[2] as number)) +
    Number(withdrawable <= (cuts[3] as number));
  entered[bucket] = 1;
  const draw = ((finished(word) >>> 0) * (scale[bucket] as number)) | 0;
  return rows[((starts[bucket] as number) + draw) | 0] as number;
}

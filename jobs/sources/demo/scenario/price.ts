// The price of a feed at any block: value noise in octaves, each four times as slow and twice as wide as the previous one, which looks
// like a random walk at every scale, yet is bounded and needs no history. Only + - * and /, hence the same on every machine.
import { BLOCKS_PER_DAY } from './block.ts';
import { signed } from './hash.ts';
import { type Market, tradedBlocks } from './market.ts';

/** Lattice spacing of octave k is 2 ** (8 + 2k) blocks: 51 minutes to 36 days. */
const FIRST_SHIFT = 8;
const OCTAVES = 6;
const BLOCKS_PER_YEAR = 365 * BLOCKS_PER_DAY;
/** Trends are measured from here: 2020-01-01. */
const TREND_ORIGIN_BLOCK = 131_486_399;

export interface Walk {
  readonly seed: number;
  /** Maximum relative distance from the base, as a fraction. */
  readonly swing: number;
  /** Relative growth per year, as a fraction. */
  readonly trendPerYear: number;
  /** Trading hours of the market to which the price belongs. */
  readonly market: Market | null;
}

/** Computes a walk at ascending blocks; caches the surrounding lattice points, which affects its speed but not its values. */
export class Noise {
  readonly #walk: Walk;
  readonly #cell = new Int32Array(OCTAVES).fill(-1);
  readonly #left = new Float64Array(OCTAVES);
  readonly #rise = new Float64Array(OCTAVES);
  #lastBlock = -1;
  #last = 0;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  /** Relative distance from the base price at a block. */
  at(block: number): number {
    if (block !== this.#lastBlock) {
      this.#last = this.#sumAt(block);
      this.#lastBlock = block;
    }
    return this.#last;
  }

  #sumAt(block: number): number {
    const { market, seed, swing, trendPerYear } = this.#walk;
    const clock = market === null ? block : tradedBlocks(market, block);
    let sum = trendPerYear === 0 ? 0 : (trendPerYear * (block - TREND_ORIGIN_BLOCK)) / BLOCKS_PER_YEAR;
    let amplitude = swing / 2 ** OCTAVES;
    for (let octave = 0; octave < OCTAVES; octave++) {
      const shift = FIRST_SHIFT + 2 * octave;
      const cell = clock >> shift;
      if (this.#cell[octave] !== cell) this.#enter(octave, cell, seed);
      const along = (clock & ((1 << shift) - 1)) / (1 << shift);
      const smooth = along * along * (3 - 2 * along);
      sum += amplitude * ((this.#left[octave] as number) + smooth * (this.#rise[octave] as number));
      amplitude *= 2;
    }
    return sum;
  }

  #enter(octave: number, cell: number, seed: number): void {
    const left = signed(seed + octave, cell);
    this.#cell[octave] = cell;
    this.#left[octave] = left;
    this.#rise[octave] = signed(seed + octave, cell + 1) - left;
  }
}

// The ordinary rounds of a feed between two blocks: one in every so many cells of its grid, one when its price enters another step of
// its deviation, and one when its market opens. Each cell depends only on itself and the one before, so the result does not depend on
// how time is divided.
import type { Feed } from './feeds.ts';
import { unit } from './hash.ts';
import { isOpenAt } from './market.ts';
import { Noise } from './price.ts';

/** Blocks after `after`, up to and including `upTo`. */
export interface Span {
  readonly after: number;
  readonly upTo: number;
}

/** Rounds in typed arrays: index of the feed, block, and the answer's leading digits as an integer. */
export class RoundBuffer {
  readonly feed: Int32Array;
  readonly block: Int32Array;
  readonly head: Float64Array;
  readonly capacity: number;
  count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.feed = new Int32Array(capacity);
    this.block = new Int32Array(capacity);
    this.head = new Float64Array(capacity);
  }

  push(feed: number, block: number, head: number): void {
    this.feed[this.count] = feed;
    this.block[this.count] = block;
    this.head[this.count] = head;
    this.count++;
  }

  /** Swaps two rows. */
  swap(one: number, other: number): void {
    for (const column of [this.feed, this.block, this.head]) {
      const value = column[one] as number;
      column[one] = column[other] as number;
      column[other] = value;
    }
  }
}

/** Walks the grid of one feed; stops when the buffer is full and continues on the next call. */
export class GridWalk {
  readonly #feed: Feed;
  readonly #span: Span;
  readonly #walk: Noise;
  readonly #wobble: Noise | null;
  readonly #scale: number;
  readonly #step: number;
  readonly #last: number;
  #cell: number;
  #wasOpen = true;
  #level = 0;

  constructor(feed: Feed, span: Span) {
    const { spacing, offset, jitter, lag, every } = feed.grid;
    this.#feed = feed;
    this.#span = span;
    this.#walk = new Noise(feed.walk);
    this.#wobble = feed.wobble === null ? null : new Noise(feed.wobble);
    this.#scale = feed.base * 10 ** feed.headDecimals;
    this.#step = feed.deviation === 0 && feed.market === null ? every : 1;
    this.#last = feed.listing.is_silent === true ? -1 : Math.floor((span.upTo - lag - offset) / spacing);
    const first = Math.floor((span.after - lag - jitter - offset) / spacing);
    this.#cell = this.#step === 1 ? first : Math.ceil(first / every) * every;
    if (this.#step === 1) this.#look(this.#cell - 1);
  }

  /** Returns true when the interval is finished. */
  fill(buffer: RoundBuffer): boolean {
    const { after, upTo } = this.#span;
    const index = this.#feed.index;
    while (this.#cell <= this.#last) {
      if (buffer.count === buffer.capacity) return false;
      const cell = this.#cell;
      this.#cell += this.#step;
      const block = this.#look(cell);
      if (block > after && block <= upTo) buffer.push(index, block, this.answerAt(block));
    }
    return true;
  }

  /** Leading digits of the answer at a block. */
  answerAt(block: number): number {
    const moved = this.#scale * (1 + this.#walk.at(block - this.#feed.grid.lag));
    return Math.round(this.#wobble === null ? moved : moved * (1 + this.#wobble.at(block)));
  }

  /** Records the state of a cell; returns the block of its round, or -1 if it has none. */
  #look(cell: number): number {
    const { grid, market, deviation } = this.#feed;
    const own = grid.offset + cell * grid.spacing + Math.floor(unit(grid.seed, cell) * (grid.jitter + 1));
    const block = own + grid.lag;
    const isOpen = market === null || isOpenAt(market, block);
    const opens = isOpen && !this.#wasOpen;
    this.#wasOpen = isOpen;
    if (!isOpen) return -1;
    let moves = false;
    if (deviation !== 0) {
      const level = Math.round(this.#walk.at(own) / deviation);
      moves = level !== this.#level;
      this.#level = level;
    }
    return opens || moves || cell % grid.every === 0 ? block : -1;
  }
}

export interface Round {
  readonly block: number;
  /** Leading digits of the answer. */
  readonly head: number;
}

const PIECE = 4_096;

/** The rounds of a walk, one by one. */
export function* roundsIn(walk: { readonly fill: (buffer: RoundBuffer) => boolean }): Generator<Round> {
  const piece = new RoundBuffer(PIECE);
  let isDone = false;
  while (!isDone) {
    piece.count = 0;
    isDone = walk.fill(piece);
    for (let i = 0; i < piece.count; i++) {
      yield { block: piece.block[i] as number, head: piece.head[i] as number };
    }
  }
}

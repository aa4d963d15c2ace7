// A filtered historical bootstrap: walks over hourly rows of history in blocks of random length (Politis and Romano 1994). A block
// never crosses a hole in the history, and a new block can be drawn from the rows of one bucket alone.
import type { RandomStream } from './random-stream.ts';

export interface History {
  /** For each row the place of the last row of its unbroken stretch. */
  readonly stretchEnd: Int32Array;
  /** Bucket of each row; all zero where rows are drawn from everything. */
  readonly bucket: Uint8Array;
}

/** Rows of a bucket below which its draws come from all rows instead. */
export const MIN_BUCKET_ROWS = 48;

/** A walk laid out for loops: what `HistoryWalk` decides by, in flat arrays. */
export interface WalkTables {
  /** 1 for the last row of an unbroken stretch. */
  readonly isLast: Uint8Array;
  /** Rows that the blocks of each bucket begin at: bucket b has `counts[b]` of them from `starts[b]`. */
  readonly rows: Int32Array;
  readonly starts: Int32Array;
  readonly counts: Int32Array;
  /** A block goes on when the next random word is below it. */
  readonly goesOnBelow: number;
}

/** `blockLength` is the mean number of rows of a block, at least 1. @throws RangeError without rows. */
export function walkTables(history: History, blockLength: number, buckets = 1): WalkTables {
  const { stretchEnd, bucket } = history;
  const lists = rowsOfBuckets(history, buckets);
  const counts = Int32Array.from(lists, ({ length }) => length);
  const starts = new Int32Array(buckets);
  for (let i = 1; i < buckets; i++) starts[i] = (starts[i - 1] ?? 0) + (counts[i - 1] ?? 0);
  const rows = new Int32Array(counts.reduce((sum, count) => sum + count, 0));
  for (const [i, list] of lists.entries()) rows.set(list, starts[i]);
  const isLast = new Uint8Array(bucket.length);
  for (let row = 0; row < isLast.length; row++) isLast[row] = row < (stretchEnd[row] ?? row) ? 0 : 1;
  // Exact: a product with a power of two. A word is below it where its fraction is below the probability.
  return { isLast, rows, starts, counts, goesOnBelow: Math.ceil(goesOnWith(blockLength) * TWO_32) };
}

const TWO_32 = 0x1_0000_0000;

/** Probability that a block goes on. */
const goesOnWith = (blockLength: number): number => 1 - 1 / Math.max(1, blockLength);

function rowsOfBuckets({ bucket }: History, buckets: number): readonly Int32Array[] {
  if (bucket.length === 0) throw new RangeError('a bootstrap needs at least one row');
  const all = new Int32Array(bucket.length);
  const lists = Array.from({ length: buckets }, () => new Int32Array(bucket.length));
  const counts = new Int32Array(buckets);
  for (let row = 0; row < all.length; row++) {
    const own = bucket[row] as number;
    all[row] = row;
    if (own >= buckets) continue;
    (lists[own] as Int32Array)[counts[own] as number] = row;
    counts[own] = (counts[own] as number) + 1;
  }
  return lists.map((list, each) => {
    const count = counts[each] ?? 0;
    return count < MIN_BUCKET_ROWS ? all : list.subarray(0, count);
  });
}

export class HistoryWalk {
  readonly #stretchEnd: Int32Array;
  readonly #rowsOf: readonly Int32Array[];
  readonly #goesOn: number;

  /** `blockLength` is the mean number of rows of a block, at least 1. @throws RangeError without rows. */
  constructor(history: History, blockLength: number, buckets = 1) {
    this.#rowsOf = rowsOfBuckets(history, buckets);
    this.#stretchEnd = history.stretchEnd;
    this.#goesOn = goesOnWith(blockLength);
  }

  /** The row of a new block. */
  draw(stream: RandomStream, bucket: number): number {
    const rows = this.#rowsOf[bucket];
    if (rows === undefined) throw new RangeError(`no bucket ${bucket}`);
    return rows[stream.below(rows.length)] ?? 0;
  }

  /** The next row of the block, or the first of a new one. Takes two draws each time, so that paths stay comparable. */
  next(stream: RandomStream, row: number, bucket: number): number {
    const goesOn = stream.fraction() < this.#goesOn && row < (this.#stretchEnd[row] ?? row);
    const fresh = this.draw(stream, bucket);
    return goesOn ? row + 1 : fresh;
  }
}

// A filtered historical bootstrap: walks over hourly rows of history in blocks of random length (Politis and Romano 1994). A block
// never crosses a hole in the history, and a new block can be drawn from the rows of one bucket only.
import type { RandomStream } from './random-stream.ts';

export interface History {
  /** For each row the index of the last row of its unbroken stretch. */
  readonly stretchEnd: Int32Array;
  /** Bucket of each row; all zero if rows are drawn from everything. */
  readonly bucket: Uint8Array;
}

/** Minimum number of rows of a bucket; below it, draws come from all rows instead. */
export const MIN_BUCKET_ROWS = 48;

/** Rows at which blocks can begin, by bucket: bucket b has `counts[b]` of them from index `starts[b]`. */
export interface BucketRows {
  readonly rows: Int32Array;
  readonly starts: Int32Array;
  readonly counts: Int32Array;
}

/** A walk laid out for loops: the decisions of `HistoryWalk` in flat arrays. */
export interface WalkTables extends BucketRows {
  /** 1 for the last row of an unbroken stretch. */
  readonly isLast: Uint8Array;
  /** A block continues if the next random word is below this. */
  readonly goesOnBelow: number;
}

/** `blockLength` is the mean number of rows of a block, at least 1. @throws RangeError without rows. */
export function walkTables(history: History, blockLength: number, buckets = 1): WalkTables {
  const { stretchEnd, bucket } = history;
  const isLast = new Uint8Array(bucket.length);
  for (let row = 0; row < isLast.length; row++) isLast[row] = row < (stretchEnd[row] ?? row) ? 0 : 1;
  // Exact, because it is a product with a power of two. A word is below it if its fraction is below the probability.
  return { ...bucketRows(bucket, buckets), isLast, goesOnBelow: Math.ceil(goesOnWith(blockLength) * TWO_32) };
}

const TWO_32 = 0x1_0000_0000;

/** Probability that a block continues. */
const goesOnWith = (blockLength: number): number => 1 - 1 / Math.max(1, blockLength);

/**
 * Rows of each bucket; a bucket with few rows has all rows instead. If `room` is given, it is written to; it holds at most as many rows for
 * each bucket as there are.
 * @throws RangeError without rows.
 */
export function bucketRows(bucket: Uint8Array, buckets: number, room?: Int32Array): BucketRows {
  if (bucket.length === 0) throw new RangeError('A bootstrap needs at least one row.');
  const own = new Int32Array(buckets);
  for (let row = 0; row < bucket.length; row++) {
    const each = bucket[row] as number;
    if (each < buckets) own[each] = (own[each] as number) + 1;
  }
  const counts = own.map((count) => (count < MIN_BUCKET_ROWS ? bucket.length : count));
  const starts = new Int32Array(buckets);
  for (let i = 1; i < buckets; i++) starts[i] = (starts[i - 1] ?? 0) + (counts[i - 1] ?? 0);
  const rows = room ?? new Int32Array(counts.reduce((sum, count) => sum + count, 0));
  // A thin bucket is overwritten with all rows.
  const positions = starts.slice();
  for (let row = 0; row < bucket.length; row++) {
    const each = bucket[row] as number;
    if (each >= buckets) continue;
    const index = positions[each] as number;
    rows[index] = row;
    positions[each] = index + 1;
  }
  for (let each = 0; each < buckets; each++)
    if ((own[each] as number) < MIN_BUCKET_ROWS)
      for (let row = 0; row < bucket.length; row++) rows[(starts[each] as number) + row] = row;
  return { rows, starts, counts };
}

export class HistoryWalk {
  readonly #stretchEnd: Int32Array;
  readonly #rows: BucketRows;
  readonly #goesOn: number;

  /** `blockLength` is the mean number of rows of a block, at least 1. @throws RangeError without rows. */
  constructor(history: History, blockLength: number, buckets = 1) {
    this.#rows = bucketRows(history.bucket, buckets);
    this.#stretchEnd = history.stretchEnd;
    this.#goesOn = goesOnWith(blockLength);
  }

  /** The row of a new block. */
  draw(stream: RandomStream, bucket: number): number {
    const { rows, starts, counts } = this.#rows;
    const [start, count] = [starts[bucket], counts[bucket]];
    if (start === undefined || count === undefined) throw new RangeError(`No bucket ${bucket}.`);
    return rows[start + stream.below(count)] ?? 0;
  }

  /** The next row of the block, or the first of a new one. Always takes two draws, so that paths stay comparable. */
  next(stream: RandomStream, row: number, bucket: number): number {
    const goesOn = stream.fraction() < this.#goesOn && row < (this.#stretchEnd[row] ?? row);
    const fresh = this.draw(stream, bucket);
    return goesOn ? row + 1 : fresh;
  }
}

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

export class HistoryWalk {
  readonly #stretchEnd: Int32Array;
  readonly #rowsOf: readonly Int32Array[];
  readonly #goesOn: number;

  /** `blockLength` is the mean number of rows of a block, at least 1. @throws RangeError without rows. */
  constructor(history: History, blockLength: number, buckets = 1) {
    if (history.bucket.length === 0) throw new RangeError('a bootstrap needs at least one row');
    this.#stretchEnd = history.stretchEnd;
    this.#goesOn = 1 - 1 / Math.max(1, blockLength);
    const all = Int32Array.from(history.bucket.keys());
    this.#rowsOf = Array.from({ length: buckets }, (_, bucket) => {
      const own = all.filter((row) => history.bucket[row] === bucket);
      return own.length < MIN_BUCKET_ROWS ? all : own;
    });
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

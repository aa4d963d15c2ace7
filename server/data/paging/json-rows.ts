// JSON rows in one buffer, from which any selection is copied without parsing.

const COMMA = Buffer.from(',');
const OPEN = '['.charCodeAt(0);
const CLOSE = ']'.charCodeAt(0);

export class JsonRows {
  /** Each row is followed by a comma: row `i` and its comma extend from `starts[i]` up to `starts[i + 1]`. */
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;

  constructor(rows: readonly Buffer[]) {
    this.#bytes = Buffer.concat(rows.flatMap((row) => [row, COMMA]));
    this.#starts = new Uint32Array(rows.length + 1);
    let start = 0;
    rows.forEach((row, ordinal) => {
      this.#starts[ordinal] = start;
      start += row.length + COMMA.length;
    });
    this.#starts[rows.length] = start;
  }

  /** A JSON array. Adjacent rows are copied together; the bracket replaces the last comma. */
  arrayOf(ordinals: readonly number[]): Buffer {
    const size = ordinals.reduce((sum, ordinal) => sum + this.#start(ordinal + 1) - this.#start(ordinal), 1);
    const array = Buffer.allocUnsafe(Math.max(2, size));
    array[0] = OPEN;
    let at = 1;
    for (let index = 0; index < ordinals.length; ) {
      const first = ordinals[index] ?? 0;
      let end = first + 1;
      while (ordinals[++index] === end) end++;
      at += this.#bytes.copy(array, at, this.#start(first), this.#start(end));
    }
    array[array.length - 1] = CLOSE;
    return array;
  }

  #start(ordinal: number): number {
    return this.#starts[ordinal] ?? 0;
  }
}

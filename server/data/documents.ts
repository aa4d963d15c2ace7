// One published dataset in memory: the file's bytes and the position of each document's value.
import { keyText, lineSpan } from '../../snapshots/ndjson-line.ts';

const NEWLINE = 0x0a;

export class Documents {
  readonly #bytes: Buffer;
  readonly #ordinals = new Map<string, number>();
  /** Start and end of each value, two numbers per document. */
  readonly #spans: Uint32Array;

  /** @throws Error naming a line that is not in the published form. */
  constructor(id: string, count: number, bytes: Buffer) {
    this.#bytes = bytes;
    this.#spans = new Uint32Array(count * 2);
    let ordinal = 0;
    for (let start = 0; start < bytes.length; ordinal++) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      const span = lineSpan(bytes, start, end);
      if (span === undefined)
        throw new Error(`Dataset ${id}, line ${ordinal + 1}: not a published document.`);
      this.#ordinals.set(keyText(bytes, span), ordinal);
      this.#spans[ordinal * 2] = span.valueStart;
      this.#spans[ordinal * 2 + 1] = span.valueEnd;
      start = end + 1;
    }
    if (ordinal !== count) {
      throw new Error(`Dataset ${id}: the manifest names ${count} documents, the file holds ${ordinal}.`);
    }
  }

  /** The value's JSON as published. */
  get(key: string): Buffer | undefined {
    const ordinal = this.#ordinals.get(key);
    if (ordinal === undefined) return undefined;
    return this.#bytes.subarray(this.#spans[ordinal * 2], this.#spans[ordinal * 2 + 1]);
  }

  keys(): IterableIterator<string> {
    return this.#ordinals.keys();
  }
}

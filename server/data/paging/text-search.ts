// Finds the rows whose text contains a term, in one pass over the concatenation of all texts.
import { lowerBound } from '../../../platform/base/lower-bound.ts';

const BREAK = '\n';

/** The form in which texts and terms are compared: compatibility characters normalised, lower case. */
export const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The words of a search, all of which must occur. */
export const termsOf = (search: string): readonly string[] =>
  folded(search)
    .split(/\s+/)
    .filter((term) => term !== '');

export class TextSearch {
  readonly #text: string;
  /** Where the text of each row starts, plus the end of the last. */
  readonly #starts: Uint32Array;

  constructor(texts: readonly string[]) {
    const pieces = texts.map((text) => `${folded(text).replaceAll(BREAK, ' ')}${BREAK}`);
    this.#starts = new Uint32Array(texts.length + 1);
    let start = 0;
    pieces.forEach((piece, ordinal) => {
      this.#starts[ordinal] = start;
      start += piece.length;
    });
    this.#starts[texts.length] = start;
    this.#text = pieces.join('');
  }

  /** Ordinals of the rows that contain the term, ascending. A term contains no white space. */
  rowsWith(term: string): readonly number[] {
    const found: number[] = [];
    let ordinal = 0;
    let index = this.#text.indexOf(term);
    while (index !== -1) {
      ordinal = this.#rowAt(index, ordinal);
      found.push(ordinal);
      index = this.#text.indexOf(term, this.#starts[ordinal + 1]);
    }
    return found;
  }

  /** The row at a text position, usually one of the next few after `from`. */
  #rowAt(position: number, from: number): number {
    let step = 1;
    while (from + step < this.#starts.length && (this.#starts[from + step] ?? 0) <= position) step *= 2;
    const end = Math.min(from + step, this.#starts.length - 1);
    return from + lowerBound(end - from, (index) => (this.#starts[from + index + 1] ?? 0) > position);
  }
}

// Rows sorted by one of their numbers, in both directions, as lists of ordinals. Unknown numbers (NaN) come last in both, and equal numbers
// keep the order of their ordinals, so both orders are total.
import { lowerBound } from '../../../platform/base/lower-bound.ts';

export class SortedOrdinals {
  readonly ascending: Uint32Array;
  /** Number of rows whose number is known; they come first. */
  readonly known: number;
  readonly #values: Float64Array;
  #descending: Uint32Array | undefined;

  constructor(values: Float64Array) {
    const known: number[] = [];
    const unknown: number[] = [];
    values.forEach((value, ordinal) => {
      (Number.isNaN(value) ? unknown : known).push(ordinal);
    });
    known.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
    this.ascending = Uint32Array.from([...known, ...unknown]);
    this.known = known.length;
    this.#values = values;
  }

  get descending(): Uint32Array {
    this.#descending ??= this.#reversed();
    return this.#descending;
  }

  /** Ordinals of the rows from `min` to `max`, inclusive. */
  between(min: number, max: number): Uint32Array {
    const from = this.#firstPlace((value) => value >= min);
    return this.ascending.subarray(
      from,
      Math.max(
        from,
        this.#firstPlace((value) => value > max),
      ),
    );
  }

  #valueAt(index: number): number {
    return this.#values[this.ascending[index] ?? 0] ?? Number.NaN;
  }

  #firstPlace(isAtOrAfter: (value: number) => boolean): number {
    return lowerBound(this.known, (index) => isAtOrAfter(this.#valueAt(index)));
  }

  /** Reverses the order of groups of equal numbers, but not the order inside each group. */
  #reversed(): Uint32Array {
    const reversed = this.ascending.slice();
    let at = 0;
    for (let end = this.known; end > 0; ) {
      let start = end - 1;
      while (start > 0 && this.#valueAt(start - 1) === this.#valueAt(start)) start--;
      reversed.set(this.ascending.subarray(start, end), at);
      at += end - start;
      end = start;
    }
    return reversed;
  }
}

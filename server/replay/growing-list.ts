// A list of ascending numbers below 2^32 that grows by half: four bytes per number, where a JavaScript array needs eight or more.

const FIRST_CAPACITY = 4;
const GROWTH = 1.5;

export class GrowingList {
  #items = new Uint32Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const grown = new Uint32Array(Math.ceil(this.#items.length * GROWTH));
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.#length++] = item;
  }

  at(index: number): number {
    const item = index < this.#length ? this.#items[index] : undefined;
    if (item === undefined)
      throw new RangeError(`The list has ${this.#length} items; number ${index} was requested.`);
    return item;
  }
}

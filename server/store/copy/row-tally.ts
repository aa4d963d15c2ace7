// The number of rows of a table, and an order-independent hash over them, because databases sort text differently.
import { createHash } from 'node:crypto';

const MODULUS = 1n << 256n;

export class RowTally {
  #rows = 0;
  #sum = 0n;

  get rows(): number {
    return this.#rows;
  }

  /** Values in the order of the table's columns. */
  add(values: readonly unknown[]): void {
    const text = JSON.stringify(values.map(plain));
    const hash = createHash('sha256').update(text).digest('hex');
    this.#rows += 1;
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % MODULUS;
  }

  equals(other: RowTally): boolean {
    return this.#rows === other.#rows && this.#sum === other.#sum;
  }
}

const plain = (value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;

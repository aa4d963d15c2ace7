// What `transaction` is where several tables cannot be changed together: the work alone. Tables are not made in it, since they would stay.
import { EngineError } from './errors.ts';

export class NoTransactions {
  #isInside = false;

  async run<T>(work: () => Promise<T>): Promise<T> {
    const isOuter = !this.#isInside;
    this.#isInside = true;
    try {
      return await work();
    } finally {
      if (isOuter) this.#isInside = false;
    }
  }

  /** @throws EngineError inside of one */
  refusePreparing(): void {
    if (this.#isInside) throw new EngineError('tables are not prepared inside a transaction');
  }
}

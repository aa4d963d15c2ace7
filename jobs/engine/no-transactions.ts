// `transaction` for a warehouse that cannot change several tables together: it only runs the work. Preparing tables in it is refused,
// because they could not be rolled back.
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

  /** @throws EngineError inside a transaction */
  refusePreparing(): void {
    if (this.#isInside) throw new EngineError('Tables cannot be prepared inside a transaction.');
  }
}

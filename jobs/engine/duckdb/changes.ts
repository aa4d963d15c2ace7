// Collects statements that change the catalogue and runs them together, because each of them alone would cost a round trip.
import type { DuckDb } from './session.ts';

export class Changes {
  readonly #db: DuckDb;
  #statements: string[] = [];

  constructor(db: DuckDb) {
    this.#db = db;
  }

  add(statement: string): void {
    this.#statements.push(statement);
  }

  /** Runs the collected statements. Must be called before anything queries the tables. */
  async flush(): Promise<void> {
    const statements = this.#statements;
    this.#statements = [];
    if (statements.length > 0) await this.#db.execute(statements.join(';\n'));
  }
}

// Statements that change the catalogue, run together: each by itself costs a round trip.
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

  /** Runs what was added. To be called before anything asks for the tables. */
  async flush(): Promise<void> {
    const statements = this.#statements;
    this.#statements = [];
    if (statements.length > 0) await this.#db.execute(statements.join(';\n'));
  }
}

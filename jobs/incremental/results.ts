// Results of queries, from one run to the next, for as long as running them again would return the same.
import { NO_TIME, type Parameters } from '../engine/parameters.ts';
import type { Row } from '../engine/rows.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { type Dependencies, NO_NEEDS, NO_TIME_USE, type RowNeeds } from './dependencies.ts';
import { type Basis, isUnchanged, mayHaveRows, type Tools, versionsOf } from './unchanged.ts';

/** What a result depends on. */
export interface Reading extends Dependencies {
  /** Identifies the result: for example, the text of a query before its parameters are replaced. */
  readonly name: string;
  readonly parameters: Parameters;
}

/** A query without parameters. `needs`: which tables must have rows for it to return any, if known. */
export const readingOf = (sql: string, reads: readonly string[], needs: RowNeeds = NO_NEEDS): Reading => ({
  name: sql,
  reads,
  times: NO_TIME_USE,
  needs,
  parameters: NO_TIME,
});

/** Runs queries. If the caller states what a result depends on, it may get an earlier result. */
export interface ResultSource {
  /** How many queries are worth running at the same time; one if not given. */
  readonly atOnce?: number;
  rows(sql: string, reading?: Reading): Promise<readonly Row[]>;
}

/** Larger results are not worth their memory. */
const MAX_ROWS = 10_000;

type ResultTools = Tools & { readonly warehouse: Pick<Warehouse, 'rows' | 'capabilities'> };

export class QueryResults implements ResultSource {
  readonly atOnce: number;
  readonly #tools: ResultTools;
  readonly #found = new Map<string, { readonly basis: Basis; readonly result: unknown }>();

  constructor(tools: ResultTools) {
    this.#tools = tools;
    this.atOnce = tools.warehouse.capabilities.atOnce;
  }

  async rows(sql: string, reading?: Reading): Promise<readonly Row[]> {
    const read = () => this.#tools.warehouse.rows(sql);
    if (reading === undefined) return read();
    if (!(await mayHaveRows(this.#tools, reading.needs))) return [];
    return this.keep(reading, read, (rows) => rows.length <= MAX_ROWS);
  }

  /** Resolves to the result of `make`, or to an earlier result if it would be the same. */
  async keep<T>(
    reading: Reading,
    make: () => Promise<T>,
    isWorthIt: (result: T) => boolean = () => true,
  ): Promise<T> {
    const { name, reads, parameters } = reading;
    const found = this.#tools.off?.has('query-results') ? undefined : this.#found.get(name);
    if (
      found !== undefined &&
      (await isUnchanged(this.#tools, reading, { was: found.basis, now: parameters }))
    )
      return found.result as T;
    this.#found.delete(name);
    // Read first: a table that changes meanwhile then counts as changed.
    const basis = { versions: await versionsOf(this.#tools, reads), parameters };
    const result = await make();
    if (isWorthIt(result)) this.#found.set(name, { basis, result });
    return result;
  }
}

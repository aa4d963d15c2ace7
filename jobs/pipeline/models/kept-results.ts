// Keeps the results of queries from one run to the next, for as long as they would be the same.
import { NO_TIME, type Parameters } from '../../engine/parameters.ts';
import { NO_NEEDS, type RowNeeds } from '../../engine/row-needs.ts';
import { NO_TIME_USE } from '../../engine/time-use.ts';
import type { Row } from '../../engine/rows.ts';
import type { Warehouse } from '../../engine/warehouse.ts';
import type { Query } from './model.ts';
import { type Basis, isUnchanged, mayHaveRows, type Tools, versionsOf } from './unchanged.ts';

/** What a result depends on. */
export interface Reading extends Pick<Query, 'reads' | 'times' | 'needs'> {
  /** Names the result: a query's text with its parameters, for example. */
  readonly name: string;
  readonly parameters: Parameters;
}

/** A query without parameters. `needs`: which tables must have rows for it to give any, where that is known. */
export const readingOf = (sql: string, reads: readonly string[], needs: RowNeeds = NO_NEEDS): Reading => ({
  name: sql,
  reads,
  times: NO_TIME_USE,
  needs,
  parameters: NO_TIME,
});

/** Runs queries. Where it is said what a result depends on, an earlier one may be given. */
export interface Asked {
  /** How many queries it runs at the same time with profit; one where it does not say. */
  readonly atOnce?: number;
  rows(sql: string, reading?: Reading): Promise<readonly Row[]>;
}

/** Larger results are not worth their memory. */
const MAX_ROWS = 10_000;

interface Kept {
  readonly basis: Basis;
  readonly result: unknown;
}

type KeptTools = Tools & { readonly warehouse: Pick<Warehouse, 'rows' | 'capabilities'> };

export class KeptResults implements Asked {
  readonly atOnce: number;
  readonly #tools: KeptTools;
  readonly #kept = new Map<string, Kept>();

  constructor(tools: KeptTools) {
    this.#tools = tools;
    this.atOnce = tools.warehouse.capabilities.atOnce;
  }

  async rows(sql: string, reading?: Reading): Promise<readonly Row[]> {
    const read = () => this.#tools.warehouse.rows(sql);
    if (reading === undefined) return read();
    if (!(await mayHaveRows(this.#tools, reading.needs))) return [];
    return this.keep(reading, read, (rows) => rows.length <= MAX_ROWS);
  }

  /** The result of `make`, or an earlier one that is the same. */
  async keep<T>(
    reading: Reading,
    make: () => Promise<T>,
    isWorthIt: (result: T) => boolean = () => true,
  ): Promise<T> {
    const { name, reads, parameters } = reading;
    const kept = this.#kept.get(name);
    if (kept !== undefined && (await isUnchanged(this.#tools, reading, { was: kept.basis, now: parameters })))
      return kept.result as T;
    this.#kept.delete(name);
    const result = await make();
    if (isWorthIt(result)) {
      const versions = await versionsOf(this.#tools, reads);
      this.#kept.set(name, { basis: { versions, parameters }, result });
    }
    return result;
  }
}

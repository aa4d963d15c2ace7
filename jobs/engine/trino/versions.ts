// Versions of tables on Trino: for models, those in their states; for policy tables, a hash.
import { createHash } from 'node:crypto';
import type { Row } from '../rows.ts';
import { CountedVersions, UNWRITTEN } from '../versions.ts';
import type { Queries } from '../warehouse.ts';
import type { TableStates } from './table-states.ts';

export class Versions extends CountedVersions {
  readonly #states: TableStates;
  readonly #query: Queries['rows'];
  readonly #bound = new Map<string, string>();

  constructor(states: TableStates, query: Queries['rows']) {
    super();
    this.#states = states;
    this.#query = query;
  }

  async of(table: string): Promise<string> {
    return this.#bound.get(table) ?? String(this.#states.version(table) ?? UNWRITTEN);
  }

  override async hasRows(table: string): Promise<boolean> {
    return this.#states.hasRows(table) ?? super.hasRows(table);
  }

  /** Returns the version, which is a hash of the contents. */
  bound(table: string, contents: unknown): string {
    const hash = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
    this.#bound.set(table, hash);
    return hash;
  }

  protected isBound(table: string): boolean {
    return this.#bound.has(table);
  }

  protected rows(sql: string): Promise<readonly Row[]> {
    return this.#query(sql);
  }
}

// Versions of tables on Trino: for models, those in their states; for policy tables, a hash.
import { createHash } from 'node:crypto';
import { KnownVersions, UNWRITTEN } from '../known-versions.ts';
import type { ColumnType, Row } from '../rows.ts';
import type { TableStates } from './table-states.ts';

interface Asked {
  readonly rows: (sql: string) => Promise<readonly Row[]>;
  readonly describe: (table: string) => Promise<readonly ColumnType[] | null>;
}

export class Versions extends KnownVersions {
  readonly #states: TableStates;
  readonly #asked: Asked;
  readonly #bound = new Map<string, string>();

  constructor(states: TableStates, asked: Asked) {
    super();
    this.#states = states;
    this.#asked = asked;
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
    return this.#asked.rows(sql);
  }

  protected async columnsOf(table: string): Promise<readonly string[] | null> {
    return (await this.#asked.describe(table))?.map(({ name }) => name) ?? null;
  }
}

// Versions of tables. What was computed from tables need not be computed again while their versions are the same.
import type { SwitchedOff } from '../../platform/base/switches.ts';
import type { Row } from './rows.ts';

/** Used in place of a table's name: the engine itself, with the functions that models use. */
export const ENGINE = 'engine';

/** Version of a table that was never written. */
export const UNWRITTEN = '0';

export interface TableVersions {
  /**
   * Version of a model's table, of a policy table or of the engine. It changes whenever the rows do and never returns to an earlier value;
   * it is kept in the warehouse.
   */
  of(table: string): Promise<string>;
  /** SQL condition for the rows that an `append` model got since it had that version; undefined if the engine cannot tell. */
  addedSince?(table: string, version: string): Promise<string | undefined>;
  /** False only for a model's table without rows. Queried once for each version of the table. */
  hasRows(table: string): Promise<boolean>;
}

/** Remembers whether each table has rows, and in which of its versions that was found. */
export abstract class CountedVersions implements TableVersions {
  readonly #off: SwitchedOff;
  readonly #filled = new Map<string, { readonly version: string; readonly hasRows: boolean }>();

  constructor(off: SwitchedOff) {
    this.#off = off;
  }

  abstract of(table: string): Promise<string>;
  protected abstract rows(sql: string): Promise<readonly Row[]>;
  /** Whether the table is bound from outside, so that its version says nothing about its rows. */
  protected abstract isBound(table: string): boolean;

  async hasRows(table: string): Promise<boolean> {
    const version = await this.of(table);
    // A table whose rows are not versioned may have some by now.
    if (version === UNWRITTEN || this.isBound(table)) return true;
    const noted = this.#off.has('filled-tables') ? undefined : this.#filled.get(table);
    if (noted?.version === version) return noted.hasRows;
    const rows = await this.rows(`select 1 as one from ${table} limit 1`);
    this.noteRows(table, version, rows.length > 0);
    return rows.length > 0;
  }

  /** Whether the table has rows, if that has been noted. */
  async notedRows(table: string): Promise<'none' | 'some' | 'unknown'> {
    const noted = this.#filled.get(table);
    if (noted?.version !== (await this.of(table))) return 'unknown';
    return noted.hasRows ? 'some' : 'none';
  }

  protected noteRows(table: string, version: string, hasRows: boolean): void {
    this.#filled.set(table, { version, hasRows });
  }

  protected forgetRows(): void {
    this.#filled.clear();
  }
}
